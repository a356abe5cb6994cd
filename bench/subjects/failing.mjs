// Calls that do not go well.
import { CircuitBreaker, fallbackChain, resultOf, RetryPolicy, TimeoutPolicy } from 'relprim';
import { decorated, openBreaker, operation, run } from './relprim.mjs';
import { fails, failsFirst, hangs, taken, works } from './work.mjs';

const noDelay = { delayForRetry: () => 0 };
const taking = (subject) => ({ call: taken(run(subject).call) });
const retried = (times) =>
  run(operation(failsFirst(times)).withRetry(new RetryPolicy({ maxAttempts: times + 1, backoff: noDelay })));
const REFUSAL = { marks: { ns: 1_200 } };

/** What anybody would write: the failures themselves are most of what retries cost. */
function byHand(times) {
  const fn = failsFirst(times);
  return async () => {
    for (let retry = 0; ; retry += 1) {
      try {
        return await fn();
      } catch (error) {
        if (retry === times) throw error;
      }
    }
  };
}

export default {
  'relprim: one retry without delay': { make: () => retried(1) },
  'by hand: three retries without delay': { make: () => ({ call: byHand(3) }) },
  'relprim: three retries without delay': { make: () => retried(3), marks: { ns: 6_000 } },
  'relprim: timeout of 1 ms': {
    make: () => taking(operation(hangs).withTimeout(new TimeoutPolicy('1ms'))),
  },
  'relprim: a failure answered by a fallback': {
    make: () => run(operation(fails).withFallbacks(fallbackChain(['other', works]))),
  },
  'relprim: a call that fails': { make: () => taking(operation(fails)) },
  'relprim: a call that fails, breaker': {
    make: () => taking(operation(fails).withCircuitBreaker(new CircuitBreaker({ failureThreshold: 1e9 }))),
  },
  'relprim: a call that fails, decorated': { make: () => ({ call: taken(decorated({}, fails)) }) },
  'relprim: refused by an open breaker': {
    make: async () => taking(operation().withCircuitBreaker(await openBreaker())),
    ...REFUSAL,
  },
  'relprim: the same refusal, decorated': {
    make: async () => ({ call: taken(decorated({ circuitBreaker: await openBreaker() })) }),
    ...REFUSAL,
  },
  'relprim: the same refusal, resultOf()': {
    async make() {
      const call = decorated({ circuitBreaker: await openBreaker() });
      return { call: taken(() => resultOf(call())) };
    },
    ...REFUSAL,
  },
};
