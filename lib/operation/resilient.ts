import { checkFunction, checkName, type TimeOptions } from '../errors/check.js';
import { ConfigurationError, located } from '../errors/configuration-error.js';
import type { CircuitBreaker } from '../policies/circuit-breaker/circuit-breaker.js';
import type { FallbackChain } from '../policies/fallback/fallback-chain.js';
import type { IdempotencyPolicy } from '../policies/idempotency/idempotency-policy.js';
import type { ValidateOption } from '../policies/validation/as-validation.js';
import type { ValidationPolicy } from '../policies/validation/validation-policy.js';
import { checkPolicyOptions } from './check-options.js';
import { copyIdentity } from './copy-identity.js';
import type { OperationResult } from './operation-result.js';
import type { PolicyOptions } from './options.js';
import { settingsFrom } from './options-to-settings.js';
import { compilePlan } from './plan.js';
import { StandaloneHost, standaloneHost } from './standalone-host.js';
import { start } from './start.js';

type Fn = (...args: any[]) => unknown;
type Args<M extends Fn> = Parameters<M>;

/** A function with the `this` and the arguments of another one. */
type Like<M extends Fn, R> = (this: ThisParameterType<M>, ...args: Args<M>) => R;
/** The value of the function, of its fallback, or of one of several. */
type Value<M extends Fn, U, F extends Fn> = Awaited<ReturnType<M>> | Awaited<U> | Awaited<ReturnType<F>>;
type Own =
  | 'fallback'
  | 'fallbacks'
  | 'signal'
  | 'circuitBreaker'
  | 'idempotencyKey'
  | 'idempotency'
  | 'validate'
  | 'validation';

/** Options of {@link resilient}: those of a decorator, with functions that know the arguments. */
export interface ResilientFunctionOptions<M extends Fn, U = never, F extends Like<M, unknown> = Like<M, U>>
  extends Omit<PolicyOptions, Own>, TimeOptions {
  /** Names the operation in reports and events. Default: the function's own name. */
  readonly name?: string | undefined;
  /** A stand-in for a failed call; the result may be its value, too. */
  readonly fallback?: Like<M, U> | false | undefined;
  /** Several stand-ins, tried in order; the result may be the value of one of them. */
  readonly fallbacks?: FallbackChain<F> | false | undefined;
  /** The caller's signal, or a function that finds it for a call. */
  readonly signal?: AbortSignal | Like<M, AbortSignal | undefined> | undefined;
  /** A breaker, or a function that finds it for a call. There is no application here that could know one by its name. */
  readonly circuitBreaker?: CircuitBreaker | Like<M, CircuitBreaker> | false | undefined;
  /** Finds the key of a call: calls with one key are one execution, and later ones are given what came of it. */
  readonly idempotencyKey?: Like<M, string> | undefined;
  /** `idempotencyKey`, `idempotencyStore` and `idempotencyTtl`, and more, as one object. */
  readonly idempotency?: IdempotencyPolicy<Like<M, string>> | false | undefined;
  /** Checks of the value: a question, a validator, a Standard Schema, or a list of them. */
  readonly validate?: ValidateOption<NoInfer<Value<M, U, F>>> | false | undefined;
  /** `validate` as one object. */
  readonly validation?: ValidationPolicy<NoInfer<Value<M, U, F>>> | false | undefined;
}

/**
 * A function with policies around it, that gives results with reports:
 * `const readUser = resilient({ retries: 3, timeout: '2s' }, fetchUser)`.
 * @throws {ConfigurationError} before anything runs, for options that cannot work.
 */
export function resilient<M extends Fn, U = never, F extends Like<M, unknown> = Like<M, U>>(
  options: ResilientFunctionOptions<M, U, F>,
  fn: M,
): Like<M, Promise<OperationResult<Value<M, U, F>>>> {
  checkFunction('fn', fn);
  const given = options as PolicyOptions & TimeOptions & { name?: string };
  // Options that are none are refused below, together with their place.
  const givenName = (given as typeof given | null)?.name;
  const name = givenName === undefined ? nameOf(fn) : checkName('name', givenName);
  const plan = located(name, () => {
    checkPolicyOptions(given, ['name', 'clock', 'random']);
    if (typeof given.fallback === 'string') {
      throw new ConfigurationError({
        option: 'fallback',
        problem: 'is a name',
        cure: 'give the function itself; only methods of a class go by name',
      });
    }
    const ownTime = given.clock !== undefined || given.random !== undefined;
    const host = ownTime ? new StandaloneHost({ clock: given.clock, random: given.random }) : standaloneHost;
    return compilePlan(name, fn, settingsFrom(given), host);
  });
  // eslint-disable-next-line @typescript-eslint/unbound-method -- a method on purpose: no constructor, with the `this` of its call
  const wrapper = {
    run(this: unknown, ...args: Args<M>) {
      return start(plan, this, args, 'result') as Promise<OperationResult<Value<M, U, F>>>;
    },
  }.run;
  copyIdentity(fn, wrapper);
  return wrapper;
}

function nameOf(fn: Fn): string {
  if (fn.name.trim() !== '') return fn.name;
  throw new ConfigurationError({
    option: 'name',
    problem: 'is missing, and the function has none of its own',
    cure: "give name: '…'",
  });
}
