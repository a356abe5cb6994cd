import { describe, expect, it } from '@jest/globals';
import { ConcurrencyLimit, reportOf, resilient, resultOf, type ExecutionReport } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { everySeconds, hangs } from './support.js';

/* What an outer call is cut for, the calls that it has started are cut for, too: one reason, and several accounts. */

type Fn = () => Promise<unknown>;

const hang = hangs as Fn;
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Calls that end a few turns of the queue before or after the one that started them. */
const INNER: Readonly<Record<string, (inner: (fn: Fn, more?: object) => Fn) => Fn>> = {
  'hangs in its attempt': (inner) => inner(hang),
  'is awaited by the outer attempt': (inner) => {
    const run = inner(hang);
    return async () => {
      await run();
    };
  },
  'waits for its next try': (inner) =>
    inner(() => Promise.reject(new Error('down')), { retries: 1, backoff: everySeconds(3_600) }),
  'stands in line': (inner) => {
    const concurrencyLimit = new ConcurrencyLimit({ maxConcurrent: 1, queue: { size: 10 } });
    void concurrencyLimit.run(hang);
    return inner(hang, { concurrencyLimit });
  },
  'has one inside itself': (inner) => inner(inner(hang)),
  'is asked for its result': (inner) => {
    const own = inner(hang);
    return async () => {
      await resultOf(() => own());
    };
  },
};

const names = (error: unknown): unknown[] => {
  const report = reportOf(error);
  return [report?.operationName, report?.status];
};

describe.each(Object.entries(INNER))('an inner call that %s', (_title, make) => {
  const scene = () => {
    const reports: string[] = [];
    const clock = new FakeClock();
    const onReport = ({ operationName, status }: ExecutionReport): void =>
      void reports.push(`${operationName} ${status}`);
    const body = make((fn, more = {}) => resilient({ name: 'inner', clock, onReport, ...more }, fn));
    return { reports, clock, onReport, body, caller: new AbortController(), reason: new Error('gone') };
  };
  const expectAll = (reports: string[], outer: string): void => {
    expect([...new Set(reports)].sort()).toEqual(['inner cancelled', outer]);
  };

  it.each(['its own signal', 'resultOf'])(
    'leaves the reason to the outer one that %s ends, at once and for ever',
    async (way) => {
      const { reports, clock, onReport, body, caller, reason } = scene();
      const { signal } = caller;
      const given = way === 'resultOf' ? {} : { signal };
      const outer = resilient({ name: 'outer', clock, onReport, ...given }, body);
      const call = way === 'resultOf' ? resultOf(() => outer(), { signal }) : outer();
      const seen = call.catch((error: unknown) => [error === reason, ...names(error)]);
      await turn();
      caller.abort(reason);
      expect(await seen).toEqual([true, 'outer', 'cancelled']);
      await turn();
      expect(names(reason)).toEqual(['outer', 'cancelled']);
      expectAll(reports, 'outer cancelled');
    },
  );

  it('leaves the timeout to the outer one that has met it', async () => {
    const { reports, clock, onReport, body } = scene();
    const outer = resilient({ name: 'outer', timeout: '1s', clock, onReport }, body);
    const seen = outer().catch(({ cause }: Error) => cause);
    await turn();
    await clock.advance('1s');
    const error = await seen;
    expect(names(error)).toEqual(['outer', 'timed_out']);
    await turn();
    expect(names(error)).toEqual(['outer', 'timed_out']);
    expectAll(reports, 'outer timed_out');
  });

  it('of a later call has nothing to do with an earlier one that was cut for the same reason', async () => {
    const { clock, body, caller, reason } = scene();
    const early = resilient({ name: 'early', signal: caller.signal, clock }, hang)().catch(names);
    caller.abort(reason);
    expect(await early).toEqual(['early', 'cancelled']);

    const again = new AbortController();
    const late = resilient({ name: 'late', signal: again.signal, clock }, body)().catch(names);
    await turn();
    again.abort(reason);
    expect(await late).toEqual(['late', 'cancelled']);
    await turn();
    expect(names(reason)).toEqual(['late', 'cancelled']);
  });
});

it('the reason of a signal that ends many calls leads to the first that has started', async () => {
  const caller = new AbortController();
  const calls = ['a', 'b', 'c'].map((name) => resilient({ name, signal: caller.signal }, hang)());
  const reason = new Error('gone');
  caller.abort(reason);
  expect(await Promise.all(calls.map((call) => call.catch(names)))).toEqual(
    [1, 2, 3].map(() => ['a', 'cancelled']),
  );
});

it('a call that is refused for an old reason, before it has begun, is the one that the reason leads to', async () => {
  const caller = new AbortController();
  const reason = new Error('gone');
  const first = resilient({ name: 'first', signal: caller.signal }, hang)().catch(names);
  caller.abort(reason);
  expect(await first).toEqual(['first', 'cancelled']);
  const second = resilient({ name: 'second', signal: caller.signal }, hang)().catch(names);
  expect(await second).toEqual(['second', 'cancelled']);
});

it('an error that a call fails with, without having been cut, leads to that call, however many share it', async () => {
  const shared = Object.freeze(new Error('the one for all'));
  let fail!: () => void;
  const failing = new Promise<never>((_, reject) => (fail = () => reject(shared)));
  const other = resilient({ name: 'other' }, () => Promise.reject(shared));
  const inner = resilient({ name: 'inner' }, () => failing);
  const outer = resilient({ name: 'outer' }, async () => {
    await inner().catch(({ cause }: Error) => Promise.reject(cause as Error));
  });
  const early = other().catch(() => undefined);
  const late = outer().catch(() => undefined);
  await early;
  fail();
  await late;
  expect(names(shared)).toEqual(['outer', 'failed']);
  expect(reportOf(shared)?.causedBy.map(({ operationName }) => operationName)).toEqual(['inner']);
});
