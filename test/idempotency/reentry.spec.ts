import { describe, expect, it } from '@jest/globals';
import {
  CircuitBreaker,
  IdempotencyReentryError,
  InMemoryIdempotencyStore,
  MisuseError,
  OperationTimeoutError,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { deferred } from '../support/deferred.js';
import { rejection, thrown } from '../operation/support.js';
import { keyed, roleOf } from './support.js';

type Keyed = ReturnType<typeof keyed>;

/** An operation that does something with itself, whoever calls it. */
function recursive(
  inner: (run: Keyed['run'], id: string) => unknown,
  policy: Parameters<typeof keyed>[1] = {},
  options: object = {},
) {
  let calls = 0;
  const made: Keyed = keyed(
    (id: string) => {
      calls += 1;
      return inner(made.run, id);
    },
    policy,
    options,
  );
  return { ...made, calls: () => calls };
}

const pause = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe('an execution that asks for its own key', () => {
  const depths: readonly [where: string, inner: (run: Keyed['run'], id: string) => unknown][] = [
    ['at once', (run, id) => run(id)],
    ['after an await', (run, id) => pause().then(() => run(id))],
    [
      'in a task that it started and awaits',
      (run, id) => Promise.all([pause().then(() => run(id)), pause()]),
    ],
    ['in a timer', (run, id) => new Promise((resolve) => void setTimeout(() => resolve(run(id)), 1))],
  ];

  it.each(depths)('%s is refused instead of waiting for itself [R163]', async (_where, inner) => {
    const { run, calls, clock } = recursive(inner, { exposeKey: true });
    const error = await rejection(run('a'));
    expect(error).toBeInstanceOf(IdempotencyReentryError);
    expect(error).toBeInstanceOf(MisuseError);
    expect(error).toMatchObject({
      name: 'IdempotencyReentryError',
      code: 'RELPRIM_IDEMPOTENCY_REENTRY',
      operationName: 'op',
      idempotencyKey: 'a',
    });
    expect([calls(), clock.pendingTimers]).toEqual([1, 0]);
  });

  it('fails with that error itself: no retry, no stand-in, no record of a breaker [R164]', async () => {
    const breaker = new CircuitBreaker({ failureThreshold: 1 });
    const { run, calls, reports } = recursive(
      (run, id) => run(id),
      {},
      {
        retries: 3,
        retryOn: () => true,
        fallback: () => 'stand-in',
        circuitBreaker: breaker,
      },
    );
    const error = await rejection(run('a'));
    expect(error).toBeInstanceOf(IdempotencyReentryError);
    expect([calls(), breaker.state, breaker.snapshot().failureCount]).toEqual([1, 'closed', 0]);
    expect(reports.map((report) => [report.status, roleOf(report)])).toEqual([
      ['failed', null],
      ['failed', 'executed'],
    ]);
  });

  it('shows a digest of the key, not the key', async () => {
    const { run } = recursive((run, id) => run(id));
    const error = await rejection(run('secret'));
    expect(error.idempotencyKey).toMatch(/^sha256:[0-9a-f]{16}$/);
    expect(JSON.stringify([error.message, error.stack.split('\n')[0], error])).not.toContain('secret');
  });

  it('is found through the execution of another key in between', async () => {
    const next: Record<string, string> = { a: 'b', b: 'c', c: 'a' };
    const { run, calls } = recursive((run, id) => run(next[id]));
    expect(await rejection(run('a'))).toBeInstanceOf(IdempotencyReentryError);
    expect(calls()).toBe(3);
  });

  it('is found where another operation shares its keys', async () => {
    const shared = { store: new InMemoryIdempotencyStore(), scope: 'orders' };
    const inner = keyed(() => 'inner', shared, { name: 'inner' });
    const outer = keyed((id: string) => inner.run(id), shared, { name: 'outer' });
    expect(await rejection(outer.run('a'))).toMatchObject({
      name: 'IdempotencyReentryError',
      operationName: 'inner',
    });
  });

  it('frees the key: the next call executes', async () => {
    let again = true;
    const { run, calls } = recursive((run, id) => (again ? run(id) : 'value'));
    await rejection(run('a'));
    again = false;
    expect((await run('a')).value).toBe('value');
    expect(calls()).toBe(2);
  });

  it('waits for itself where the policy does not look: only a deadline ends that', async () => {
    const { run, calls, clock } = recursive(
      (run, id) => run(id),
      { detectReentry: false },
      { deadline: '1s' },
    );
    const { cause } = await clock.settle(rejection(run('a')));
    expect(cause).toBeInstanceOf(OperationTimeoutError);
    expect([calls(), clock.pendingTimers]).toEqual([1, 0]);
  });
});

describe('what is no re-entry', () => {
  it('is another key', async () => {
    const { run, calls } = recursive((run, id) => (id.length > 4 ? id : run(`${id}a`)));
    let result = await run('a');
    while (typeof result.value !== 'string') result = result.value;
    expect([result.value, calls()]).toEqual(['aaaaa', 5]);
  });

  it('is the same key of another operation in the same store', async () => {
    const store = new InMemoryIdempotencyStore();
    const inner = keyed(() => 'inner', { store }, { name: 'inner' });
    const outer = keyed((id: string) => inner.run(id), { store }, { name: 'outer' });
    expect((await outer.run('a')).value.value).toBe('inner');
    expect(store.entryCount()).toBe(2);
  });

  it('is a call that what it started makes when it is over: that is given what came of it', async () => {
    const later = deferred();
    const found: unknown[] = [];
    const { run, calls } = recursive((run, id) => {
      if (found.length === 0)
        void later.promise.then(async () => void found.push(roleOf((await run(id)).report)));
      return 'value';
    });
    await run('a');
    later.resolve();
    await pause();
    expect([found, calls()]).toEqual([['replayed'], 1]);
  });

  it('is a call from outside at the same time, nor one from inside the execution of another key', async () => {
    const [clock, gate] = [new FakeClock(), deferred<string>()];
    const { run } = keyed(() => gate.promise, {}, {}, clock);
    const outer = keyed(() => run('a'), {}, {}, clock);
    const calls = [run('a'), run('a'), outer.run('b')];
    gate.resolve('value');
    const results = await Promise.all(calls);
    expect(roleOf(results[1]?.report as never)).toBe('joined');
    expect(roleOf(results[2]?.value.report)).toBe('joined');
  });

  it('is a call in the function that finds the key, or in a listener of the report', async () => {
    const found: unknown[] = [];
    const made: Keyed = keyed(
      () => 'value',
      {},
      {
        onReport: () => {
          if (found.push('told') === 1) void made.run('a').then(({ report }) => found.push(roleOf(report)));
        },
      },
    );
    await made.run('a');
    await pause();
    expect(found).toEqual(['told', 'told', 'replayed']);
  });
});

describe('IdempotencyReentryError', () => {
  it('is made of a name and a key, and says what to do', () => {
    const error = thrown(() => {
      throw new IdempotencyReentryError('Client.get', 'sha256:0');
    });
    expect(error.message).toBe(
      'Client.get was called with the idempotency key sha256:0 inside the execution of that key, which would wait for itself; ' +
        'call the inner work without a key, or with another one',
    );
  });
});
