import { ConfigurationError } from '../errors/configuration-error.js';
import { refuse } from '../errors/check.js';
import type { OperationHost } from '../operation/host.js';
import { perInstance } from '../operation/per-instance.js';
import type { Settings } from '../operation/settings.js';
import type { ShieldProfileName } from '../shield/profiles.js';
import { withProfile, type ShieldOptions } from '../shield/shield-options.js';
import { Shield } from '../shield/shield.js';
import type { ShieldChoice } from './decorated-method.js';

/*
 * What `@Shielded` can be given. Each resolves itself: the engine of decorated methods knows shields by their interface
 * alone, so that an application without one does not carry them.
 */

/** A shield, the name of one of the application, or anything else, which is refused. */
export class GivenShield implements ShieldChoice {
  readonly isOwn = false;

  constructor(private readonly given: unknown) {}

  check(): void {
    const { given } = this;
    if (given instanceof Shield || (typeof given === 'string' && given.trim() !== '')) return;
    refuse('@Shielded', given, 'give a Shield, the name of one, or nothing');
  }

  resolve(_operationName: string, host: OperationHost): Settings['shield'] {
    const given = this.given as Shield | string;
    if (given instanceof Shield) return given;
    if (host.shield !== undefined) return host.shield(given);
    const { clock, random } = host;
    host.warn(
      `shield '${given}' is given by name outside an application, so each instance has one of its own with default settings; ` +
        'import ResilienceModule, or give a Shield',
    );
    return perInstance(() => new Shield(given, { clock, random }));
  }
}

/** A shield of a decorator's own: one for each operation of each application. */
export class OwnShield implements ShieldChoice {
  readonly isOwn = true;

  constructor(
    private readonly profile: ShieldProfileName | undefined,
    /** Default: the name of the operation. */
    private readonly name: string | undefined,
    readonly options: ShieldOptions,
  ) {}

  check(): void {
    // Made and forgotten: a mistake is to be seen where it is written, which whoever asks this knows.
    unlocated(() => this.make('shield', {}));
  }

  /** Outside any application, each instance has its own. */
  resolve(operationName: string, host: OperationHost): Settings['shield'] {
    const { clock, random } = host;
    const make = (): Shield => this.make(operationName, { clock, random }, host);
    return host.isApplication ? make() : perInstance(make);
  }

  private make(
    operationName: string,
    time: Pick<ShieldOptions, 'clock' | 'random'>,
    host?: OperationHost,
  ): Shield {
    const { profile, name, options } = this;
    return new Shield(
      name ?? operationName,
      { ...time, ...(profile === undefined ? options : withProfile(options, profile)) },
      { profileIsFixed: profile !== undefined, ...(host !== undefined && { host }) },
    );
  }
}

/** Takes away where a mistake stands, for somebody to say it who knows better. */
function unlocated(build: () => unknown): void {
  try {
    build();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const { option, problem, cure } = error;
    throw new ConfigurationError({ option, problem, cure });
  }
}
