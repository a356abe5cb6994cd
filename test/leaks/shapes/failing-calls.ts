import { CircuitBreaker, fallbackChain, isRetryableHttp, resilient, validator } from '../../../lib/index.js';
import { endingOf, later, noDelay, shortDelay, type Shape } from './shape.js';

async function fail(): Promise<never> {
  await later();
  throw new Error('down');
}

/** Fails so often before each success. */
function failing(times: number): () => Promise<number> {
  let asked = 0;
  return async () => {
    asked += 1;
    if (asked % (times + 1) !== 0) throw new Error('down');
    return asked;
  };
}

class Limited extends Error {}

export const failingCalls: readonly Shape[] = [
  {
    name: 'a success after two failures, without a delay',
    endings: { 'succeeded 3': 1 },
    timersLeft: 1,
    together: 1,
    begin: ({ signal, clock }) => {
      const run = resilient(
        { name: 'op', retries: 3, backoff: noDelay, timeout: '1h', signal, clock },
        failing(2),
      );
      return () => endingOf(run());
    },
  },
  {
    name: 'a success after a failure and a wait',
    endings: { 'succeeded 2': 1 },
    timersLeft: 2,
    together: 500,
    begin: ({ signal, clock }) => {
      const options = {
        retries: 1,
        backoff: shortDelay,
        timeout: '1h',
        deadline: '2h',
        signal,
        clock,
      } as const;
      const run = resilient({ name: 'op', ...options }, async (answer: () => Promise<number>) => answer());
      return () => endingOf(run(failing(1)));
    },
  },
  {
    name: 'retries that are used up',
    endings: { 'failed 3 Error': 1 },
    timersLeft: 1,
    begin: ({ signal, clock }) => {
      const circuitBreaker = new CircuitBreaker({ failureThreshold: Number.MAX_SAFE_INTEGER, clock });
      const options = {
        retries: 2,
        backoff: noDelay,
        deadline: '1h',
        circuitBreaker,
        signal,
        clock,
      } as const;
      const run = resilient(options, fail);
      return () => endingOf(run());
    },
  },
  {
    name: 'a failure that is not worth another try',
    endings: { 'failed 1 Error': 1 },
    begin: ({ signal, clock }) => {
      const run = resilient({ retries: 2, retryOn: isRetryableHttp, signal, clock }, fail);
      return () => endingOf(run());
    },
  },
  {
    name: 'a success after a wait that a provider asked for',
    endings: { 'succeeded 2': 1 },
    together: 500,
    begin: ({ signal, clock }) => {
      const options = { retries: 1, rateLimitOn: [Limited], retryAfter: () => 0.001, signal, clock } as const;
      const run = resilient({ name: 'op', ...options }, async (once: { asked: boolean }) => {
        if (once.asked) return 1;
        once.asked = true;
        throw new Limited('429');
      });
      return () => endingOf(run({ asked: false }));
    },
  },
  {
    name: 'a fallback that answers',
    endings: { 'succeeded 2': 1 },
    timersLeft: 1,
    begin: ({ signal, clock }) => {
      const run = resilient({ timeout: '1h', fallback: async () => 'kept', signal, clock }, fail);
      return () => endingOf(run());
    },
  },
  {
    name: 'fallbacks that all fail',
    endings: { 'failed 2 FallbackChainError': 1 },
    timersLeft: 1,
    begin: ({ signal, clock }) => {
      const fallbacks = fallbackChain(['cache', fail], ['file', fail]);
      const run = resilient({ timeout: '1h', fallbacks, signal, clock }, fail);
      return () => endingOf(run());
    },
  },
  {
    name: 'a value that is not valid',
    endings: { 'failed 1 ValidationFailedError': 1 },
    timersLeft: 1,
    begin: ({ signal, clock }) => {
      const positive = validator('positive', async (value: number) => value > 0, {
        message: 'must be above 0',
      });
      const run = resilient(
        { timeout: '1h', validate: [positive], signal, clock, name: 'op' },
        async () => -1,
      );
      return () => endingOf(run());
    },
  },
];
