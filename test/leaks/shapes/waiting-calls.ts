import { ConcurrencyLimit, InMemoryCache, resilient, resultOf, Shield } from '../../../lib/index.js';
import { FakeClock } from '../../../lib/testing/index.js';
import { endingOf, hang, later, left, type Shape } from './shape.js';

class TooSlow extends Error {}

export const waitingCalls: readonly Shape[] = [
  {
    name: 'a success after a wait for room in a concurrency limit',
    endings: { 'succeeded 1': 1 },
    timersLeft: 1,
    begin: ({ signal, clock }) => {
      const concurrencyLimit = new ConcurrencyLimit({
        maxConcurrent: 10,
        queue: { size: 1_000, maxWait: '1m' },
        clock,
      });
      const run = resilient({ name: 'op', timeout: '1h', concurrencyLimit, signal, clock }, later);
      return () => endingOf(run());
    },
  },
  {
    name: 'a timeout in a concurrency limit, for which others wait',
    endings: { 'timed_out 1 OperationTimeoutError': 1 },
    together: 1_000,
    begin: ({ signal, clock }) => {
      const concurrencyLimit = new ConcurrencyLimit({ maxConcurrent: 500, queue: { size: 500 }, clock });
      const run = resilient({ timeout: '2ms', concurrencyLimit, signal, clock }, hang);
      return () => endingOf(run());
    },
  },
  {
    name: 'a success under a shield',
    endings: { 'succeeded 1': 1 },
    timersLeft: 2,
    begin: ({ signal, clock }) => {
      // Its timeout is of two lengths: the first one, and the shortest.
      const run = Shield.slow('quick', { clock, env: false }).protect(later);
      return () => endingOf(resultOf(run, { signal }));
    },
  },
  {
    name: 'a success after a wait at the gate of a shield',
    endings: { succeeds: 1 },
    timersLeft: 3,
    begin: ({ signal, clock }) => {
      const run = Shield.api('gate', { maxRate: 25_000, clock, env: false }).protect(later);
      // On a machine that stands still for long it may take a second try.
      return async () =>
        (await endingOf(resultOf(run, { signal }))).startsWith('succeeded') ? 'succeeds' : 'fails';
    },
  },
  {
    name: 'a caller who leaves the line of a shield',
    endings: { left: 1 },
    timersLeft: 1,
    begin: ({ signal, clock }) => {
      // Its time stands still, so that there is room for one call.
      const options = { maxRate: 0.05, maxWait: '1h', clock: new FakeClock(), env: false } as const;
      const shield = Shield.slow('line', options);
      const first = shield.run(later);
      const run = shield.protect(later);
      const outer = resilient({ name: 'outer', deadline: '1h', signal, clock }, () => run());
      return async () => {
        await first;
        return (await left(outer)).endsWith('Gone') ? 'left' : 'stays';
      };
    },
  },
  {
    name: 'a shield that gives up, and its fallback',
    endings: { 'succeeded 2': 1 },
    begin: ({ signal, clock }) => {
      const cache = new InMemoryCache({ maxEntries: 100, clock });
      const shield = Shield.internal('down', { cache, fallback: () => 'kept', clock, env: false });
      const run = shield.protect(async function down(_call: number): Promise<string> {
        await later();
        throw new Error('down');
      });
      return (call) => endingOf(resultOf(() => run(call), { signal }));
    },
  },
  {
    name: 'a shield that is engaged, and refuses what its rate has no room for',
    endings: { 'gives up': 1 },
    begin: ({ signal, clock }) => {
      const options = { timeoutErrors: TooSlow, whenLimited: 'reject', clock, env: false } as const;
      const run = Shield.internal('slow', { ...options, random: () => 0 }).protect(async function slow() {
        throw new TooSlow('slow');
      });
      // Whether there was room for a call is the clock's affair.
      return async () =>
        (await endingOf(resultOf(run, { signal }))).startsWith('failed') ? 'gives up' : 'succeeds';
    },
  },
];
