import { decorate, refuseBare } from './decorate.js';
import type { MethodOptions } from './decorated-method.js';
import type { Returns } from './return-types.js';
import type {
  BreakerSelector,
  FallbackFn,
  KeySelector,
  ResilientDecorator,
  ResilientOptions,
  SignalSelector,
} from './types.js';

/**
 * Runs a method under a reliability policy: `@Resilient({ retries: 3, timeout: '10s', circuitBreaker: 'payments' })`.
 *
 * The method keeps its signature, its value and its errors; the account of a call is one step away with `resultOf` and
 * `reportOf`. Works under `experimentalDecorators` and under standard decorators. `@Resilient('upstream')` takes its
 * policies from the application alone, by the name that the module gave them.
 * @throws {ConfigurationError} while the class is being defined, for options that cannot work.
 */
export function Resilient<
  const F extends string | FallbackFn = FallbackFn,
  S extends SignalSelector = SignalSelector,
  B extends BreakerSelector = BreakerSelector,
  const R extends Returns | undefined = undefined,
  K extends KeySelector = KeySelector,
>(options?: ResilientOptions<F, S, B, R, K> | string): ResilientDecorator<F, S, B, R, K>;
export function Resilient(...given: unknown[]): unknown {
  const [options = {}] = given;
  if (given.length > 1 || typeof options === 'function') refuseBare('@Resilient', given);
  const said = (typeof options === 'string' ? { use: options } : options) as MethodOptions;
  const decorating = { label: '@Resilient', options: said };
  return (target: unknown, place: unknown, descriptor?: PropertyDescriptor) =>
    decorate(decorating, target, place, descriptor);
}
