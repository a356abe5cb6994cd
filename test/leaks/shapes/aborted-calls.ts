import { ConcurrencyLimit, currentAttempt, resilient, resultOf } from '../../../lib/index.js';
import { endingOf, Gone, hang, later, left, longDelay, type Shape } from './shape.js';

export const abortedCalls: readonly Shape[] = [
  {
    name: 'a caller who goes away in an attempt that never ends',
    endings: { 'cancelled 1 Gone': 1 },
    timersLeft: 2,
    begin: ({ signal, clock }) => {
      const run = resilient({ retries: 2, timeout: '1h', deadline: '2h', signal, clock }, hang);
      return () => left(run);
    },
  },
  {
    name: 'a caller who goes away in an attempt that listens',
    endings: { 'cancelled 1 Gone': 1 },
    timersLeft: 1,
    begin: ({ signal, clock }) => {
      const run = resilient({ timeout: '1h', signal, clock }, function listen() {
        const own = currentAttempt().signal;
        return new Promise(
          (_, reject) => void own.addEventListener('abort', () => reject(own.reason as Error)),
        );
      });
      return () => left(run);
    },
  },
  {
    name: 'a caller who goes away in a wait of an hour',
    endings: { 'cancelled 1 Gone': 1 },
    timersLeft: 1,
    begin: ({ signal, clock }) => {
      const options = { retries: 2, backoff: longDelay, deadline: '9h', signal, clock } as const;
      const run = resilient(options, async function down() {
        throw new Error('down');
      });
      return () => left(run);
    },
  },
  {
    name: 'a caller who had gone away before',
    endings: { 'cancelled 0 Gone': 1 },
    begin: ({ signal, clock }) => {
      const gone = AbortSignal.abort(new Gone());
      const run = resilient({ name: 'never', timeout: '1h', signal, clock }, later);
      return () => endingOf(resultOf(() => run(), { signal: gone }));
    },
  },
  {
    name: 'a caller who goes away in a line',
    endings: { 'cancelled 0 Gone': 1 },
    timersLeft: 1,
    begin: ({ signal, clock, atEnd }) => {
      const concurrencyLimit = new ConcurrencyLimit({ maxConcurrent: 1, queue: { size: 1_000 }, clock });
      const inside = new AbortController();
      void concurrencyLimit.runWith({ signal: inside.signal }, hang).catch(() => undefined);
      atEnd(() => inside.abort());
      const run = resilient({ name: 'line', deadline: '1h', concurrencyLimit, signal, clock }, later);
      return () => left(run);
    },
  },
];
