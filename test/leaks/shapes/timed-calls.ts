import { currentAttempt, resilient, type ResilientFunctionOptions } from '../../../lib/index.js';
import { deferred, type Deferred } from '../../support/deferred.js';
import { endingOf, hang, later, longDelay, noDelay, shortDelay, type Shape } from './shape.js';

const TIMED_OUT = 'timed_out 1 OperationTimeoutError';

async function untilTold({ promise }: Deferred<void>): Promise<void> {
  await promise;
}

/** Work that ends, as a fetch does, when nobody waits for it any more. */
function untilAborted(): Promise<never> {
  const { signal } = currentAttempt();
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

export const timedCalls: readonly Shape[] = [
  {
    name: 'a timeout, and a result that comes late',
    endings: { [TIMED_OUT]: 1 },
    together: 1_000,
    begin: ({ signal, clock }) => {
      const run = resilient({ name: 'late', timeout: '2ms', signal, clock }, untilTold);
      return async () => {
        const answer = deferred();
        const ending = await endingOf(run(answer));
        answer.resolve();
        return ending;
      };
    },
  },
  {
    name: 'a timeout, and a failure that comes late',
    endings: { [TIMED_OUT]: 1 },
    together: 1_000,
    begin: ({ signal, clock }) => {
      const run = resilient(
        { name: 'late', retries: 1, retryOn: () => false, timeout: '2ms', signal, clock },
        untilTold,
      );
      return async () => {
        const answer = deferred();
        const ending = await endingOf(run(answer));
        answer.reject(new Error('too late'));
        return ending;
      };
    },
  },
  {
    name: 'a timeout of work that never ends',
    endings: { [TIMED_OUT]: 1 },
    timersLeft: 1,
    together: 1_000,
    begin: ({ signal, clock }) => {
      const run = resilient({ timeout: '2ms', deadline: '1h', signal, clock }, hang);
      return () => endingOf(run());
    },
  },
  {
    name: 'a timeout whose timer serves others that go on',
    endings: { [TIMED_OUT]: 0.5, 'succeeded 1': 0.5 },
    together: 1_000,
    begin: ({ signal, clock }) => {
      const run = resilient({ name: 'half', timeout: '5ms', signal, clock }, async (hangs: boolean) =>
        hangs ? hang() : undefined,
      );
      return (call) => endingOf(run(call % 2 === 0));
    },
  },
  {
    name: 'a timeout that aborts the work',
    endings: { [TIMED_OUT]: 1 },
    together: 1_000,
    begin: ({ signal, clock }) => {
      const run = resilient({ timeout: '2ms', signal, clock }, untilAborted);
      return () => endingOf(run());
    },
  },
  {
    name: 'a success after a timeout',
    endings: { 'succeeded 2': 1 },
    together: 1_000,
    begin: ({ signal, clock }) => {
      const options = {
        name: 'again',
        retries: 1,
        backoff: noDelay,
        timeout: '20ms',
        signal,
        clock,
      } as const;
      const run = resilient(options, () => (currentAttempt().number === 1 ? hang() : later()));
      return () => endingOf(run());
    },
  },
  {
    name: 'a deadline in an attempt',
    endings: { [TIMED_OUT]: 1 },
    timersLeft: 1,
    together: 1_000,
    begin: ({ signal, clock }) => {
      const run = resilient({ retries: 2, timeout: '1h', deadline: '2ms', signal, clock }, hang);
      return () => endingOf(run());
    },
  },
  {
    name: 'a deadline that leaves no time for a wait',
    endings: { 'failed 1 Error': 1 },
    timersLeft: 1,
    begin: ({ signal, clock }) => {
      const options: ResilientFunctionOptions<() => Promise<never>> = {
        retries: 2,
        deadline: '1m',
        signal,
        clock,
      };
      const run = resilient({ ...options, backoff: longDelay }, async function down() {
        throw new Error('down');
      });
      return () => endingOf(run());
    },
  },
  {
    name: 'a deadline after some tries',
    endings: { ends: 1 },
    together: 1_000,
    begin: ({ signal, clock }) => {
      const options = { retries: 50, backoff: shortDelay, deadline: '6ms', signal, clock } as const;
      const run = resilient(options, async function down() {
        throw new Error('down');
      });
      // How many tries fit into the time is the machine's affair.
      return async () => ((await endingOf(run())).startsWith('succeeded') ? 'succeeds' : 'ends');
    },
  },
];
