import { callersSignal } from '../../attempt/callers-signal.js';
import { runSoloAttempt } from '../../attempt/solo-attempt.js';
import type { Clock } from '../../time/clock.js';
import type { CircuitBreaker } from './circuit-breaker.js';
import type { Permit } from './circuit-breaker-state.js';

/** One call through a breaker alone: asks it, calls, and records how that ends. */
export async function runGuarded<A extends unknown[], R>(
  breaker: CircuitBreaker,
  clock: Clock,
  { signal }: { readonly signal?: AbortSignal | undefined },
  fn: (...args: A) => R,
  args: A,
): Promise<Awaited<R>> {
  const caller = callersSignal(signal);
  let permit: Permit | undefined;
  const startMs = clock.monotonicMs();
  try {
    caller.signal?.throwIfAborted();
    permit = breaker.admit(clock);
    if (permit === undefined) throw breaker.refusal();
    const operationName = `circuit breaker '${breaker.name}'`;
    // Without a budget of its own it leaves the cost to the breaker of the operation around it.
    const budget = breaker.hasBudget ? breaker : undefined;
    const options = { operationName, clock, number: 1, signal: caller.signal, budget };
    const value = await runSoloAttempt(options, fn, args);
    const nowMs = clock.monotonicMs();
    breaker.recordSuccess(permit, nowMs, nowMs - startMs, value);
    return value;
  } catch (error) {
    if (permit === undefined) throw error;
    if (caller.signal?.aborted === true || !breaker.records(error)) breaker.release(permit);
    else breaker.recordFailure(permit, clock.monotonicMs(), clock.monotonicMs() - startMs);
    throw error;
  } finally {
    caller.release();
  }
}
