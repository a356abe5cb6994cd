import type { ShieldProfileName } from '../shield/profiles.js';
import type { ShieldOptions } from '../shield/shield-options.js';
import type { Shield } from '../shield/shield.js';
import { SHIELDED_OPTIONS } from './check-method-options.js';
import { decorate, refuseBare } from './decorate.js';
import type { MethodOptions, ShieldChoice } from './decorated-method.js';
import type { Returns } from './return-types.js';
import { GivenShield, OwnShield } from './shield-choice.js';
import type {
  BreakerSelector,
  FallbackFn,
  ResilientDecorator,
  ResilientOptions,
  SignalSelector,
} from './types.js';

/** What a shielded method may be told beside its shield: all but a timeout, retries and stand-ins, which that has itself. */
export type ShieldedOptions<
  S extends SignalSelector = SignalSelector,
  B extends BreakerSelector = BreakerSelector,
  R extends Returns | undefined = Returns | undefined,
> = Pick<
  ResilientOptions<FallbackFn, S, B, R>,
  | 'name'
  | 'throws'
  | 'returns'
  | 'deadline'
  | 'signal'
  | 'circuitBreaker'
  | 'maxConcurrent'
  | 'concurrencyLimit'
  | 'validate'
  | 'validation'
  | 'events'
  | 'onReport'
>;

/** `@Shielded` with a profile. */
interface WithProfile {
  <
    S extends SignalSelector = SignalSelector,
    B extends BreakerSelector = BreakerSelector,
    const R extends Returns | undefined = undefined,
  >(
    name: string,
    shield?: ShieldOptions,
    options?: ShieldedOptions<S, B, R>,
  ): ResilientDecorator<FallbackFn, S, B, R>;
  <
    S extends SignalSelector = SignalSelector,
    B extends BreakerSelector = BreakerSelector,
    const R extends Returns | undefined = undefined,
  >(
    shield?: ShieldOptions,
    options?: ShieldedOptions<S, B, R>,
  ): ResilientDecorator<FallbackFn, S, B, R>;
}

/** The forms of `@Shielded`. */
export interface ShieldedDecorators {
  /**
   * Runs a method under a shield: `@Shielded(github)`, `@Shielded('github')` for one of the application, or
   * `@Shielded()` for one of the method's own with the profile `api`. The method keeps its signature and its errors.
   * @throws {ConfigurationError} while the class is being defined, for options that cannot work, and on a method that
   * has `@Resilient`, too.
   */
  <
    S extends SignalSelector = SignalSelector,
    B extends BreakerSelector = BreakerSelector,
    const R extends Returns | undefined = undefined,
  >(
    shield?: Shield | string,
    options?: ShieldedOptions<S, B, R>,
  ): ResilientDecorator<FallbackFn, S, B, R>;
  /** A shield of the method's own, for a dependency in the same network. */
  readonly internal: WithProfile;
  /** A shield of the method's own, for an API of somebody else. */
  readonly api: WithProfile;
  /** A shield of the method's own, for what takes minutes. */
  readonly slow: WithProfile;
}

function shielded(...given: unknown[]): unknown {
  const [shield, options] = given;
  if (given.length > 2 || typeof shield === 'function' || isPlace(options)) refuseBare('@Shielded', given);
  return decorator(
    '@Shielded',
    shield === undefined ? definition(undefined, []) : new GivenShield(shield),
    options,
  );
}

function withProfile(profile: ShieldProfileName): WithProfile {
  const label = `@Shielded.${profile}`;
  return ((...given: unknown[]) => {
    if (typeof given[0] === 'function' || isPlace(given[1])) refuseBare(label, given);
    const options = given[typeof given[0] === 'string' ? 2 : 1];
    return decorator(label, definition(profile, given), options);
  }) as WithProfile;
}

function definition(profile: ShieldProfileName | undefined, given: readonly unknown[]): ShieldChoice {
  const name = typeof given[0] === 'string' ? given[0] : undefined;
  const options = given[name === undefined ? 0 : 1] ?? {};
  return new OwnShield(profile, name, options);
}

function decorator(label: string, shield: ShieldChoice, options: unknown) {
  const said = { ...(options as MethodOptions | undefined), shield };
  const decorating = { label, options: said, allowed: SHIELDED_OPTIONS };
  return (target: unknown, place: unknown, descriptor?: PropertyDescriptor) =>
    decorate(decorating, target, place, descriptor);
}

/** What a decorator without parentheses is handed: the key of a method, or the context of a standard decorator. */
function isPlace(value: unknown): boolean {
  return (
    typeof value === 'string' ||
    typeof value === 'symbol' ||
    (typeof value === 'object' && value !== null && 'kind' in value)
  );
}

// Bundlers leave out what an application does not use, if they may.
export const Shielded: ShieldedDecorators = /* @__PURE__ */ Object.assign(
  shielded as unknown as ShieldedDecorators,
  {
    internal: /* @__PURE__ */ withProfile('internal'),
    api: /* @__PURE__ */ withProfile('api'),
    slow: /* @__PURE__ */ withProfile('slow'),
  },
);
