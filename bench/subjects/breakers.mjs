// Rules of circuit breakers beside each other: a window should cost no more than a count.
import { CircuitBreaker } from 'relprim';
import { operation, run } from './relprim.mjs';
import { fails, taken } from './work.mjs';

const guarded = (options, fn) => run(operation(fn).withCircuitBreaker(new CircuitBreaker(options)));
const ofCalls = { failureRate: 1, window: 100_000, minimumCalls: 100_000 };
const ofTime = { failureRate: 1, window: '60s', minimumCalls: 1e9 };
const ofAnHour = { ...ofTime, window: '1h' };

/** Failures in a row: see policies.mjs and failing.mjs. */
const IN_A_ROW = 'relprim: breaker';
const FAILING = 'relprim: a call that fails, breaker';

export default {
  'relprim: breaker, failure rate of 100,000 calls': {
    make: () => guarded(ofCalls),
    over: IN_A_ROW,
    marks: { moreNs: 30 },
  },
  'relprim: breaker, failure rate of 60 s': {
    make: () => guarded(ofTime),
    over: IN_A_ROW,
    marks: { moreNs: 30 },
  },
  'relprim: breaker, failure rate of an hour, a call that fails': {
    make: () => ({ call: taken(guarded(ofAnHour, fails).call) }),
    over: FAILING,
    marks: { moreNs: 30 },
  },
};
