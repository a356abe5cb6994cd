import { checkFunction, checkName, type TimeOptions } from '../errors/check.js';
import { ConfigurationError, located } from '../errors/configuration-error.js';
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

/** Options of {@link resilient}: those of a decorator, with functions that know the arguments. */
export interface ResilientFunctionOptions<M extends Fn, U = never> extends Omit<PolicyOptions, 'fallback' | 'signal' | 'circuitBreaker'>, TimeOptions {
  /** Names the operation in reports and events. Default: the function's own name. */
  readonly name?: string | undefined;
  /** A stand-in for a failed call; the result may be its value, too. */
  readonly fallback?: ((...args: Args<M>) => U) | false | undefined;
  readonly signal?: AbortSignal | ((...args: Args<M>) => AbortSignal | undefined) | undefined;
  readonly circuitBreaker?: Exclude<PolicyOptions['circuitBreaker'], string> | undefined;
}

/**
 * A function with policies around it, that gives results with reports:
 * `const readUser = resilient({ retries: 3, timeout: '2s' }, fetchUser)`.
 * @throws {ConfigurationError} before anything runs, for options that cannot work.
 */
export function resilient<M extends Fn, U = never>(
  options: ResilientFunctionOptions<M, U>,
  fn: M,
): (...args: Args<M>) => Promise<OperationResult<Awaited<ReturnType<M>> | Awaited<U>>> {
  checkFunction('fn', fn);
  const given = options as PolicyOptions & TimeOptions & { name?: string };
  // Options that are none are refused below, together with their place.
  const givenName = (given as typeof given | null)?.name;
  const name = givenName === undefined ? nameOf(fn) : checkName('name', givenName);
  const plan = located(name, () => {
    checkPolicyOptions(given, ['name', 'clock', 'random']);
    if (typeof given.fallback === 'string') {
      throw new ConfigurationError({ option: 'fallback', problem: 'is a name', cure: 'give the function itself; only methods of a class go by name' });
    }
    const ownTime = given.clock !== undefined || given.random !== undefined;
    const host = ownTime ? new StandaloneHost({ clock: given.clock, random: given.random }) : standaloneHost;
    return compilePlan(name, fn, settingsFrom(given), host);
  });
  const wrapper = {
    run(this: unknown, ...args: Args<M>) {
      return start(plan, this, args, 'result') as Promise<OperationResult<Awaited<ReturnType<M>> | Awaited<U>>>;
    },
  }.run;
  copyIdentity(fn, wrapper);
  return wrapper;
}

function nameOf(fn: Fn): string {
  if (fn.name.trim() !== '') return fn.name;
  throw new ConfigurationError({ option: 'name', problem: 'is missing, and the function has none of its own', cure: "give name: '…'" });
}
