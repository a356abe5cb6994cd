import { describe, expect, it } from '@jest/globals';
import { currentAttempt, IdempotencyPolicy, MisuseError, RetryPolicy } from '../../lib/index.js';
import { everySeconds, gives, rejects, Upstream } from '../operation/support.js';
import { keyed, keyMetadata, rolesOf } from './support.js';

describe('the key of a call', () => {
  it('is found from the arguments of that call [R165]', async () => {
    const upstream = new Upstream(gives('one'), gives('two'));
    const key = (account: string, order: { id: number }): string => `${account}:${order.id}`;
    const { result } = keyed(upstream.call, { key });
    const results = [
      await result('a', { id: 1 }, 'new'),
      await result('a', { id: 1 }, 'again'),
      await result('a', { id: 2 }, 'other'),
    ];
    expect(results.map(({ value }) => value)).toEqual(['one', 'one', 'two']);
    expect(upstream.calls).toEqual([
      ['a', { id: 1 }, 'new'],
      ['a', { id: 2 }, 'other'],
    ]);
  });

  it('keeps its calls apart from those with another one, at the same time too [R172]', async () => {
    const upstream = new Upstream(gives('one'), gives('two'));
    const { run, clock } = keyed(upstream.call);
    const results = await clock.settle(Promise.all([run('a'), run('b'), run('a'), run('b')]));
    expect(results.map(({ value }) => value)).toEqual(['one', 'two', 'one', 'two']);
    expect(rolesOf(results)).toEqual(['executed', 'executed', 'joined', 'joined']);
    expect(upstream.calls).toEqual([['a'], ['b']]);
  });

  it.each(['toString', '__proto__', 'constructor', '\u0000', 'a b', '☃'])(
    'may be any text that is not blank: %j',
    async (key) => {
      const upstream = new Upstream(gives(1));
      const { result } = keyed(upstream.call);
      expect(rolesOf([await result(key), await result(key)])).toEqual(['executed', 'replayed']);
      expect(upstream.calls).toHaveLength(1);
    },
  );

  it('is taken as it is: blanks around it make another key', async () => {
    const upstream = new Upstream(gives(1));
    const { result } = keyed(upstream.call);
    expect(rolesOf([await result('a'), await result(' a'), await result('A')])).toEqual([
      'executed',
      'executed',
      'executed',
    ]);
  });

  it('is found once for a call, however often that is repeated [R173]', async () => {
    // B172
    const upstream = new Upstream(rejects(new Error('one')), rejects(new Error('two')), gives('three'));
    let found = 0;
    const seen: unknown[] = [];
    const { result } = keyed(
      (...args) => {
        const { callId, idempotencyKey } = currentAttempt();
        seen.push([callId, idempotencyKey]);
        return upstream.call(...args);
      },
      { key: () => `key ${(found += 1)}`, exposeKey: true },
      { retry: new RetryPolicy({ maxAttempts: 3, backoff: everySeconds(1) }) },
    );
    const { value, report } = await result();
    expect([value, found, upstream.calls.length]).toEqual(['three', 1, 3]);
    expect(keyMetadata(report).idempotency_key).toBe('key 1');
    expect(seen).toEqual([1, 2, 3].map(() => [report.callId, 'key 1']));
  });
});

describe('a call without a usable key', () => {
  const unusable: readonly [what: string, key: unknown][] = [
    ['an empty text', ''],
    ['a space', ' '],
    ['a line break', '\n'],
    ['a no-break space and a tab', '\u00a0\t'],
  ];
  const noText: readonly [what: string, key: unknown][] = [
    ['undefined', undefined],
    ['null', null],
    ['a number', 7],
    ['a text object', Object('a')],
    ['a promise of a text', Promise.resolve('a')],
    ['a promise that is rejected', Promise.reject(new Error('late'))],
  ];
  for (const [, key] of noText) if (key instanceof Promise) key.catch(() => undefined);

  /** Two calls at the same time whose key is this. */
  async function callsWith(key: unknown) {
    const upstream = new Upstream(gives('somebody else’s'));
    const { run, clock, sink, reports } = keyed(
      upstream.call,
      { key: () => key as string },
      { retries: 2, fallback: () => 'stand-in' },
    );
    const outcomes = await clock.settle(Promise.allSettled([run('a'), run('b')]));
    expect(clock.pendingTimers).toBe(0);
    return {
      errors: outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason : outcome)),
      calls: upstream.calls,
      events: sink.sequence(),
      reports,
    };
  }

  // B162
  it.each(unusable)('is refused, shared with nobody and told to no sink: %s [R166]', async (_what, key) => {
    const { errors, calls, events } = await callsWith(key);
    for (const error of errors) expect(error).toBeInstanceOf(MisuseError);
    expect([calls, events]).toEqual([[], []]);
  });

  it.each(noText)(
    'is refused as no text, shared with nobody and told to no sink: %s [R167]',
    async (_what, key) => {
      const { errors, calls, events } = await callsWith(key);
      for (const error of errors) expect(error).toBeInstanceOf(MisuseError);
      expect(errors.map(({ message }) => message)).toEqual([
        expect.stringMatching(/^the key of a call must be a text that is not blank, found at once; it is /),
        errors[0].message,
      ]);
      expect([calls, events]).toEqual([[], []]);
    },
  );

  it('has a report without a key, a role or an attempt', async () => {
    const { reports } = await callsWith('');
    expect(reports.map(({ status, attempts }) => [status, attempts])).toEqual([
      ['failed', []],
      ['failed', []],
    ]);
    expect(reports[0]?.metadata).toMatchObject({
      failed_outside_attempt: true,
      idempotency_enabled: true,
      idempotency_key: null,
      idempotency_status: null,
      idempotency_cache_hit: false,
    });
  });

  it('rejects with what the function that finds the key has thrown, as it is, and runs nothing [R168]', async () => {
    const upstream = new Upstream(gives(1));
    for (const mistake of [new TypeError('no order'), 'no order', undefined]) {
      const key = (): string => {
        throw mistake;
      };
      const { run, clock, sink } = keyed(upstream.call, { key }, { retries: 2, fallback: () => 2 });
      const [outcome] = await clock.settle(Promise.allSettled([run('a')]));
      expect(outcome).toEqual({ status: 'rejected', reason: mistake });
      expect([sink.sequence(), clock.pendingTimers]).toEqual([[], 0]);
    }
    expect(upstream.calls).toEqual([]);
  });

  it('never waits for the key: one that comes later is refused, and its own error is nobody’s', async () => {
    const policy = new IdempotencyPolicy({
      key: (() => Promise.reject(new Error('late'))) as unknown as () => string,
    });
    expect(() => policy.keyFor(undefined, [])).toThrow(MisuseError);
  });
});
