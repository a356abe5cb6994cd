import { checkFunction, checkName } from '../errors/check.js';
import { located } from '../errors/configuration-error.js';
import { copyIdentity } from '../operation/copy-identity.js';
import { warnProcess, type OperationHost } from '../operation/host.js';
import { StandaloneHost, standaloneHost } from '../operation/standalone-host.js';
import { start } from '../operation/start.js';
import { systemClock, type Clock } from '../time/clock.js';
import { readEnvironment } from './environment.js';
import { learnNothing } from './learned.js';
import type { ShieldProfileName } from './profiles.js';
import { changedConfig, type ShieldChange } from './shield-change.js';
import {
  checkConfig,
  checkProfile,
  checkShieldOptions,
  withProfile,
  type ProfiledShieldOptions,
  type ShieldConfig,
  type ShieldOptions,
} from './shield-options.js';
import { ShieldPlans } from './shield-plans.js';
import { shieldSnapshot, type ShieldSnapshot } from './shield-snapshot.js';
import { ShieldState } from './shield-state.js';
import { TUNING, type ShieldTuning } from './tuning.js';

type AnyFunction = (this: any, ...args: any[]) => unknown;

/** What only the container and tests say. */
export interface ShieldInternals {
  readonly tuning?: ShieldTuning;
  readonly host?: OperationHost;
  /** The profile is said by the code, and no variable changes it. */
  readonly profileIsFixed?: boolean;
}

/**
 * One dependency, and how its calls survive its slow-downs: a timeout that adapts, retries within a budget, and a limit
 * to the rate that comes with the first slow-down and goes with health. Share one shield between all that call it.
 */
export class Shield {
  readonly name: string;
  private state: ShieldState;
  private config: ShieldConfig;
  /** @internal */
  readonly tuning: ShieldTuning;
  private readonly ownClock: Clock | undefined;
  private adopted: Clock | undefined;
  private readonly host: OperationHost | undefined;
  private standalone: OperationHost | undefined = undefined;
  private readonly options: ProfiledShieldOptions;
  private readonly plans = new ShieldPlans(this, () => this.host ?? this.ownHost());

  /**
   * @throws {ConfigurationError} for a name that begins with no letter, a profile that does not exist, or a
   * configuration that cannot work; the message never shows what came from the environment.
   */
  constructor(name: string, options?: ProfiledShieldOptions);
  /** @internal */
  constructor(name: string, options?: ProfiledShieldOptions, internals?: ShieldInternals);
  constructor(name: string, options: ProfiledShieldOptions = {}, internals: ShieldInternals = {}) {
    this.name = checkName('name', name);
    this.options = options;
    this.tuning = internals.tuning ?? TUNING;
    this.host = internals.host;
    [this.config, this.state] = located(`shield '${name}'`, () => {
      checkShieldOptions(options, ['profile']);
      // Only what no option says is looked for there.
      const found = readEnvironment(name, options, internals.profileIsFixed === true);
      const { profile: named = 'api', ...config } = { ...options, ...found };
      const profile = checkProfile(named);
      const settings = checkConfig(config, profile);
      return [config, new ShieldState(this, settings, learnNothing(name, settings, this.tuning))];
    });
    this.ownClock = options.clock;
  }

  /** A dependency in the same network: milliseconds, and hundreds of calls a second. */
  static internal(name: string, options: ShieldOptions = {}): Shield {
    return withFixedProfile('internal', name, options);
  }

  /** An API of somebody else: seconds, and a few calls a second. */
  static api(name: string, options: ShieldOptions = {}): Shield {
    return withFixedProfile('api', name, options);
  }

  /** Minutes, and a call every few seconds: a language model, a report, a batch. */
  static slow(name: string, options: ShieldOptions = {}): Shield {
    return withFixedProfile('slow', name, options);
  }

  get profile(): ShieldProfileName {
    return this.state.settings.profile.name;
  }

  /** @internal */
  get current(): ShieldState {
    return this.state;
  }

  /** @internal */
  get clock(): Clock {
    return this.ownClock ?? this.adopted ?? systemClock;
  }

  /** Calls `fn` under this shield. @throws its error, the same object, when the shield gives up and nothing stands in. */
  run<A extends unknown[], R>(fn: (...args: A) => R, ...args: A): Promise<Awaited<R>> {
    checkFunction('fn', fn);
    return start(this.plans.ofFunction(fn as AnyFunction), fn, args, 'value') as Promise<Awaited<R>>;
  }

  /** A function with this shield around it, that is otherwise the same. */
  protect<M extends (...args: any[]) => Promise<unknown>>(fn: M): M {
    checkFunction('fn', fn);
    const { plans } = this;
    plans.ofMethod(fn);
    // eslint-disable-next-line @typescript-eslint/unbound-method -- a method on purpose: no constructor, with the `this` of its call
    const wrapper = {
      run(this: unknown, ...args: unknown[]) {
        return start(plans.ofMethod(fn), this, args, 'value');
      },
    }.run as unknown as M;
    copyIdentity(fn, wrapper);
    return wrapper;
  }

  /**
   * Changes what is given, in one step; what is not given stays, `false` takes away. Calls that run keep what they
   * began with. What has been learnt stays, unless the profile changes.
   * @throws {ConfigurationError} for what cannot work; then nothing has changed.
   */
  reconfigure(change: ShieldChange): void {
    located(`shield '${this.name}'`, () => {
      const config = changedConfig(this.config, change);
      const profile =
        change.profile === undefined ? this.state.settings.profile : checkProfile(change.profile);
      const settings = checkConfig(config, profile);
      const { learned } = this.state;
      const keeps = learned.profile === profile;
      this.state = new ShieldState(
        this,
        settings,
        keeps ? learned : learnNothing(this.name, settings, this.tuning),
      );
      if (keeps) learned.gate.reconfigure(settings, this.clock.monotonicMs());
      this.config = config;
    });
  }

  snapshot(): ShieldSnapshot {
    return shieldSnapshot(this.state, this.clock.monotonicMs());
  }

  /**
   * Is told of an operation that it shields, and that has a plan of its own.
   * @internal
   */
  note(operationName: string, fn: AnyFunction): void {
    this.plans.note(operationName, fn);
  }

  /** @internal */
  tellsApart(operationName: string): boolean {
    return this.plans.tellsApart(operationName);
  }

  /** @internal */
  warn(message: string): void {
    if (this.host === undefined) warnProcess(message);
    else this.host.warn(message);
  }

  /**
   * Goes by the time of the application whose calls it shields, unless it was given a clock.
   * @internal
   */
  adopt(clock: Clock): void {
    this.adopted = clock;
  }

  private ownHost(): OperationHost {
    const { random } = this.options;
    const clock = this.ownClock ?? this.adopted;
    if (clock === undefined && random === undefined) return standaloneHost;
    // What it was adopted by tells the time to all its calls, so that its gate never sees two.
    if (this.standalone === undefined || (clock !== undefined && this.standalone.clock !== clock))
      this.standalone = new StandaloneHost({ clock, random });
    return this.standalone;
  }
}

function withFixedProfile(profile: ShieldProfileName, name: string, options: ShieldOptions): Shield {
  const all = located(`shield '${name}'`, () => withProfile(options, profile));
  return new Shield(name, all, { profileIsFixed: true });
}
