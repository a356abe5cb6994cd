import { describe, expect, it } from '@jest/globals';
import { IdempotencyPolicy, InMemoryIdempotencyStore, resilient, RetryPolicy } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { build, everySeconds, gives, rejects, Upstream } from '../operation/support.js';
import { keyed, keyMetadata, roleOf, rolesOf, sharedPart } from './support.js';

const down = new Error('down');

describe('the first call with a key', () => {
  it('executes, and says so [R152]', async () => {
    const upstream = new Upstream(gives('value'));
    const { result } = keyed(upstream.call);
    const { value, report } = await result('a');
    expect(value).toBe('value');
    expect(keyMetadata(report)).toEqual({
      idempotency_enabled: true,
      idempotency_key: 'sha256:ca978112ca1bbdca',
      idempotency_status: 'executed',
      idempotency_cache_hit: false,
    });
    expect(upstream.calls).toHaveLength(1);
  });
});

describe('a later call with the same key', () => {
  it('is given the value without another execution, and says so [R153]', async () => {
    const upstream = new Upstream(gives('one'), gives('two'));
    const { result } = keyed(upstream.call);
    await result('a');
    const { value, report } = await result('a');
    expect(value).toBe('one');
    expect(keyMetadata(report)).toMatchObject({
      idempotency_status: 'replayed',
      idempotency_cache_hit: true,
    });
    expect(upstream.calls).toHaveLength(1);
  });

  it('executes again once the time to live is over, and keeps that [R155]', async () => {
    const upstream = new Upstream(gives('one'), gives('two'));
    const { result, clock } = keyed(upstream.call, { ttl: '10s' });
    await result('a');
    await clock.advance('11s');
    const results = [await result('a'), await result('a')];
    expect(results.map(({ value }) => value)).toEqual(['two', 'two']);
    expect(rolesOf(results)).toEqual(['executed', 'replayed']);
  });

  it('executes again exactly when the time to live is over, and not a millisecond before [R156]', async () => {
    const upstream = new Upstream(gives(1));
    const { result, clock } = keyed(upstream.call, { ttl: '10s' });
    await result('a');
    await clock.advance('9.999s');
    expect(roleOf((await result('a')).report)).toBe('replayed');
    await clock.advance('1ms');
    expect(roleOf((await result('a')).report)).toBe('executed');
  });

  it('does not make it live longer', async () => {
    const upstream = new Upstream(gives(1));
    const { result, clock } = keyed(upstream.call, { ttl: '10s' });
    for (let call = 0; call < 10; call += 1) {
      await result('a');
      await clock.advance('1s');
    }
    await result('a');
    expect(upstream.calls).toHaveLength(2);
  });

  it('is given it for an hour where nothing is said', async () => {
    const upstream = new Upstream(gives(1));
    const { result, clock } = keyed(upstream.call);
    await result('a');
    await clock.advance('59m');
    expect(roleOf((await result('a')).report)).toBe('replayed');
    await clock.advance('1m');
    expect(roleOf((await result('a')).report)).toBe('executed');
  });

  it('goes by time that passes, not by the time of day', async () => {
    const upstream = new Upstream(gives(1));
    const { result, clock } = keyed(upstream.call, { ttl: '1h' });
    await result('a');
    clock.stepWall('3h');
    expect(roleOf((await result('a')).report)).toBe('replayed');
  });

  it.each([undefined, null, 0, '', false, Number.NaN])('is given %p, too [R177]', async (value) => {
    const upstream = new Upstream(gives(value), gives('another'));
    const { result } = keyed(upstream.call);
    const results = [await result('a'), await result('a')];
    expect(results.map((each) => each.value)).toEqual([value, value]);
    expect([rolesOf(results), upstream.calls.length]).toEqual([['executed', 'replayed'], 1]);
  });

  it('is given the value of a method that is not async', async () => {
    const upstream = new Upstream(() => 'at once');
    const { result } = keyed(upstream.call);
    const results = [await result('a'), await result('a')];
    expect(results.map(({ value }) => value)).toEqual(['at once', 'at once']);
    expect(upstream.calls).toHaveLength(1);
  });

  it('is given the account of the call that executed, with all its attempts [R173, R176]', async () => {
    const upstream = new Upstream(rejects(down), rejects(down), gives('third'));
    const retry = new RetryPolicy({ maxAttempts: 3, backoff: everySeconds(2) });
    const { result, clock } = keyed(upstream.call, {}, { retry });
    const first = await result('a');
    await clock.advance('5m');
    const later = await result('a');
    expect(later.value).toBe('third');
    expect([later.report.attemptCount, later.report.retryCount, later.report.retried]).toEqual([3, 2, true]);
    expect([later.report.durationSeconds, later.report.callId]).toEqual([4, first.report.callId]);
    expect(sharedPart(later.report)).toEqual(sharedPart(first.report));
    expect(later.report).not.toBe(first.report);
    expect(upstream.calls).toHaveLength(3);
  });
});

describe('the value of a fallback', () => {
  const failing = () => new Upstream(rejects(down), gives('well again'));

  it('is kept and given again [R178]', async () => {
    const upstream = failing();
    let standIns = 0;
    const { result } = keyed(upstream.call, {}, { fallback: () => `stand-in ${(standIns += 1)}` });
    const results = [await result('a'), await result('a')];
    expect(results.map(({ value }) => value)).toEqual(['stand-in 1', 'stand-in 1']);
    expect(rolesOf(results)).toEqual(['executed', 'replayed']);
    expect(results[1]?.report.metadata.fallback_used).toBe(true);
    expect([upstream.calls.length, standIns]).toEqual([1, 1]);
  });

  it('is not kept where the policy says so: the next call executes', async () => {
    const upstream = failing();
    const { run, result, clock } = keyed(
      upstream.call,
      { cacheFallback: false },
      { fallback: () => 'stand-in' },
    );
    const results = await clock.settle(Promise.all([run('a'), run('a')]));
    results.push(await result('a'), await result('a'));
    expect(results.map(({ value }) => value)).toEqual(['stand-in', 'stand-in', 'well again', 'well again']);
    expect(rolesOf(results)).toEqual(['executed', 'joined', 'executed', 'replayed']);
    for (const { report } of results) expect(report.metadata).not.toHaveProperty('idempotency_kept');
    expect(upstream.calls).toHaveLength(2);
  });
});

describe('a policy', () => {
  it('has a store of its own for each operation where it is given none [R171]', async () => {
    const idempotency = new IdempotencyPolicy({ key: (id: string) => id });
    const [read, write] = [new Upstream(gives('read')), new Upstream(gives('written'))];
    const clock = new FakeClock();
    const operations = [read, write].map(({ call }) =>
      resilient({ name: 'same', clock, idempotency }, (id: string) => call(id)),
    );
    const values: unknown[] = [];
    for (const run of [...operations, ...operations]) values.push((await run('a')).value);
    expect(values).toEqual(['read', 'written', 'read', 'written']);
    expect([read.calls.length, write.calls.length]).toEqual([1, 1]);
  });

  it('stays with an operation through every other step of its making [R180]', async () => {
    const upstream = new Upstream(rejects(down), gives('value'));
    const store = new InMemoryIdempotencyStore();
    const clock = new FakeClock();
    const operation = build(
      upstream.call,
      {
        idempotency: new IdempotencyPolicy({ key: (id: string) => id, store }),
        retry: new RetryPolicy({ maxAttempts: 2, backoff: everySeconds(1) }),
        deadline: '1m',
        signal: new AbortController().signal,
        idempotent: true,
      },
      clock,
    );
    const results = [await clock.settle(operation.run('a')), await clock.settle(operation.run('a'))];
    expect(rolesOf(results)).toEqual(['executed', 'replayed']);
    expect([upstream.calls.length, store.entryCount(), clock.pendingTimers]).toEqual([2, 1, 0]);
    expect(operation.describe()).toContain('idempotency');
  });
});
