import { ConfigurationError } from '../errors/configuration-error.js';
import { refuse } from '../errors/check.js';
import type { OperationHost } from '../operation/host.js';
import { perInstance } from '../operation/per-instance.js';
import type { AnyFunction, Settings } from '../operation/settings.js';
import type { ShieldProfileName } from '../shield/profiles.js';
import { withProfile, type ShieldOptions } from '../shield/shield-options.js';
import { Shield } from '../shield/shield.js';
import type { MethodOptions } from './decorated-method.js';

/** A shield of a decorator's own: one for each operation of each application. */
export class OwnShield {
  constructor(
    readonly profile: ShieldProfileName | undefined,
    /** Default: the name of the operation. */
    readonly name: string | undefined,
    readonly options: ShieldOptions,
  ) {}
}

/** A shield, the name of one of the application, or what one is made of. */
export type ShieldChoice = Shield | string | OwnShield;

/** What a shield stands in for. */
const INSTEAD_OF: readonly (keyof MethodOptions)[] = [
  'retries',
  'retryOn',
  'backoff',
  'retry',
  'timeout',
  'fallback',
  'fallbacks',
  'fallbackOn',
  'rateLimitOn',
  'retryAfter',
  'maxRateLimitWait',
  'rateLimit',
  'idempotencyKey',
  'idempotencyStore',
  'idempotencyTtl',
  'idempotency',
  'idempotent',
  'use',
];

/** @throws {ConfigurationError} for an option that a shielded method cannot have as well. */
export function checkBesideShield(options: MethodOptions, from: string): void {
  const option = INSTEAD_OF.find((name) => options[name] !== undefined && options[name] !== false);
  if (option === undefined) return;
  throw new ConfigurationError({
    option,
    problem: `is given by ${from} to a method that is shielded`,
    cure: 'leave it to the shield, which has a timeout, retries and recovery of its own; or use @Resilient alone',
  });
}

/** What a layer below says that concerns a shielded method, too. */
export function besideShield<O extends MethodOptions>(options: O): O {
  const kept = Object.entries(options).filter(([name]) => !(INSTEAD_OF as readonly string[]).includes(name));
  return Object.fromEntries(kept) as O;
}

/** @throws {ConfigurationError} for what makes no shield. */
export function checkShieldChoice(choice: unknown): void {
  if (choice instanceof Shield || (typeof choice === 'string' && choice.trim() !== '')) return;
  if (!(choice instanceof OwnShield))
    return refuse('@Shielded', choice, 'give a Shield, the name of one, or nothing');
  // Made and forgotten: a mistake is to be seen where it is written, which whoever asks this knows.
  unlocated(() => makeShield(choice, 'shield', {}));
}

/** The shield of an operation in an application; outside any, each instance has its own. */
export function resolveShield(
  choice: ShieldChoice,
  operationName: string,
  host: OperationHost,
): Settings['shield'] {
  if (choice instanceof Shield) return choice;
  const { clock, random } = host;
  if (typeof choice === 'string') {
    if (host.shield !== undefined) return host.shield(choice);
    host.warn(
      `shield '${choice}' is given by name outside an application, so each instance has one of its own with default settings; ` +
        'import ResilienceModule, or give a Shield',
    );
    return perInstance(() => new Shield(choice, { clock, random }));
  }
  const make = (): Shield => makeShield(choice, operationName, { clock, random }, host);
  return host.isApplication ? make() : perInstance(make);
}

/** Tells a shield which method it is that has this name: the key of its cache goes by names. */
export function noteShielded(shield: Settings['shield'], operationName: string, method: AnyFunction): void {
  if (shield instanceof Shield) shield.note(operationName, method);
}

function makeShield(
  { profile, name, options }: OwnShield,
  operationName: string,
  time: Pick<ShieldOptions, 'clock' | 'random'>,
  host?: OperationHost,
): Shield {
  return new Shield(
    name ?? operationName,
    { ...time, ...(profile === undefined ? options : withProfile(options, profile)) },
    { profileIsFixed: profile !== undefined, ...(host !== undefined && { host }) },
  );
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
