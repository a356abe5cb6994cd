// Policies together, and what else a call may ask for.
import { currentAttempt, fallbackChain, idempotencyPolicy, resultOf } from 'relprim';
import { limit, rateLimit, validation } from './policies.mjs';
import { decorated, run, three, threeOptions } from './relprim.mjs';
import { works } from './work.mjs';

export const THREE = 'relprim: retry + timeout + breaker';
const IN_NEST = 'relprim: the three, decorated, in a Nest application';

export default {
  [THREE]: {
    make: () => run(three()),
    marks: { ratio: { 20: 7.6, 22: 8.4, 24: 7.2 }, bytes: 1_300 },
  },
  'relprim: the three, decorated, without an application': {
    make: () => ({ call: decorated(threeOptions()) }),
  },
  [IN_NEST]: {
    make: async () => ({ call: await (await import('./nest.mjs')).inNest(threeOptions()) }),
    marks: { ratio: 9 },
  },
  'relprim: the three, decorated, resultOf()': {
    make() {
      const call = decorated(threeOptions());
      return { call: () => resultOf(call()) };
    },
  },
  'relprim: the three, the report read': {
    make() {
      const reported = three();
      return { call: async () => (await reported.run()).report };
    },
  },
  'relprim: the three, the signal read by the method': {
    make: () => run(three(async () => currentAttempt().signal)),
  },
  'relprim: the three + deadline': { make: () => run(three().withDeadline('30s')) },
  'relprim: the three + validation': { make: () => run(three().withValidation(validation())) },
  'relprim: the three + fallback, unused': {
    make: () => run(three().withFallbacks(fallbackChain(['other', works]))),
  },
  'relprim: the three + concurrency limit': { make: () => run(three().withConcurrencyLimit(limit())) },
  'relprim: the three + rate limit': { make: () => run(three().withRateLimit(rateLimit())) },
  'relprim: all policies together, a key for each call': {
    make() {
      const all = three(async (_key) => 1)
        .withDeadline('30s')
        .withValidation(validation())
        .withFallbacks(fallbackChain(['other', works]))
        .withConcurrencyLimit(limit())
        .withRateLimit(rateLimit())
        .withIdempotency(idempotencyPolicy((key) => key));
      let count = 0;
      return { call: () => all.run(`key ${(count += 1)}`) };
    },
    changesProcess: true,
  },
};
