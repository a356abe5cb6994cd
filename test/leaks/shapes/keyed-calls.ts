import {
  InMemoryIdempotencyStore,
  OperationExecutionError,
  resilient,
  resultOf,
  type OperationResult,
} from '../../../lib/index.js';
import { endingOf, later, type Shape, type World } from './shape.js';

/** What the key did for a call that succeeded. */
async function roleOf(call: Promise<OperationResult<unknown>>): Promise<string> {
  const { metadata } = (await call).report;
  return String(metadata.idempotency_status);
}

function keyed({ signal, clock }: World, work: () => Promise<unknown> = later) {
  const idempotencyStore = new InMemoryIdempotencyStore({ maxEntries: 100, clock });
  const idempotencyKey = (key: string): string => key;
  const options = {
    name: 'charge',
    timeout: '1h',
    deadline: '2h',
    idempotencyKey,
    idempotencyStore,
  } as const;
  return resilient({ ...options, signal, clock }, async (_key: string) => work());
}

export const keyedCalls: readonly Shape[] = [
  {
    name: 'an execution under a key of its own',
    endings: { executed: 1 },
    timersLeft: 2,
    begin: (world) => {
      const run = keyed(world);
      return (call) => roleOf(run(`order ${call}`));
    },
  },
  {
    name: 'nine calls that join a tenth by its key',
    endings: { executed: 0.1, joined: 0.9 },
    timersLeft: 2,
    begin: (world) => {
      const run = keyed(world);
      return (call) => roleOf(run(`order ${Math.floor(call / 10)}`));
    },
  },
  {
    name: 'a replay',
    endings: { replayed: 1 },
    timersLeft: 2,
    begin: (world) => {
      const run = keyed(world);
      const first = run('order');
      return async () => {
        await first;
        return roleOf(run('order'));
      };
    },
  },
  {
    name: 'a failure that joined calls share',
    endings: { 'failed 1 Error': 1 },
    timersLeft: 2,
    begin: (world) => {
      const run = keyed(world, async () => {
        await later();
        throw new Error('down');
      });
      return (call) => endingOf(run(`order ${Math.floor(call / 10)}`));
    },
  },
  {
    name: 'callers who leave an execution that others wait for',
    endings: { left: 0.9, executed: 0.1 },
    timersLeft: 2,
    begin: (world) => {
      const run = keyed(world);
      return async (call) => {
        const start = () => run(`order ${Math.floor(call / 10)}`);
        if (call % 10 === 0) return roleOf(start());
        const caller = new AbortController();
        const joined = resultOf(start, { signal: caller.signal });
        caller.abort(new Error('gone'));
        return joined.then(
          () => 'stayed',
          (error: unknown) => (error instanceof OperationExecutionError ? 'failed' : 'left'),
        );
      };
    },
  },
];
