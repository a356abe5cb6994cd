import { describe, expect, it } from '@jest/globals';
import {
  IdempotencyConflictError,
  InMemoryIdempotencyStore,
  MisuseError,
  type Claim,
  type ClaimRequest,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { after, gives, rejection, Upstream } from '../operation/support.js';
import { deferred } from '../support/deferred.js';
import { watch } from '../support/watch.js';
import { done, RemoteStore } from './remote-store.js';
import { keyed, keyMetadata, roleOf, rolesOf } from './support.js';

interface Payment {
  readonly amount: number;
}

/** An operation whose payload is its second argument, and whose first call takes 8 s. */
function payments(policy: Parameters<typeof keyed>[1] = {}, options: object = {}) {
  const clock = new FakeClock();
  const upstream = new Upstream(after(clock, 8, gives('paid')), gives('paid again'));
  const fingerprint = (_id: string, payment: Payment): string => JSON.stringify(payment);
  return { ...keyed(upstream.call, { fingerprint, ...policy }, options, clock), upstream };
}

describe('the same key with another payload', () => {
  it('is refused while the first one runs, and leaves that alone', async () => {
    // B161
    const { run, clock, upstream } = payments();
    const first = run('k', { amount: 1 });
    await clock.advance('1s');
    const refused = await rejection(run('k', { amount: 2 }));
    expect(refused.cause).toBeInstanceOf(IdempotencyConflictError);
    await clock.advance('1s');
    const third = run('k', { amount: 1 });
    const results = await clock.settle(Promise.all([first, third]));
    expect(results.map(({ value }) => value)).toEqual(['paid', 'paid']);
    expect(rolesOf(results)).toEqual(['executed', 'joined']);
    expect([upstream.calls.length, clock.monotonicMs(), clock.pendingTimers]).toEqual([1, 8_000, 0]);
  });

  it('is refused while the first outcome is kept, and executes afterwards', async () => {
    // B171
    const { run, result, clock, upstream } = payments({ ttl: '1m' });
    await result('k', { amount: 1 });
    for (let round = 0; round < 2; round += 1)
      expect((await rejection(run('k', { amount: 2 }))).cause).toBeInstanceOf(IdempotencyConflictError);
    expect(roleOf((await result('k', { amount: 1 })).report)).toBe('replayed');
    expect(upstream.calls).toHaveLength(1);
    await clock.advance('1m');
    expect(roleOf((await result('k', { amount: 2 })).report)).toBe('executed');
    expect(upstream.calls).toHaveLength(2);
  });

  it('is a failure with a code, the operation and a digest of the key, and with a report of no attempt', async () => {
    const { run, result, sink, reports } = payments({}, { retries: 2, fallback: () => 'stand-in' });
    await result('k', { amount: 1 });
    sink.clear();
    const { cause, report } = await rejection(run('k', { amount: 2 }));
    expect(cause).toMatchObject({
      name: 'IdempotencyConflictError',
      code: 'RELPRIM_IDEMPOTENCY_CONFLICT',
      operationName: 'op',
      idempotencyKey: 'sha256:8254c329a92850f6',
      message: 'op: the idempotency key sha256:8254c329a92850f6 was used with another payload before',
    });
    expect(report).toMatchObject({ status: 'failed', attempts: [], durationSeconds: 0 });
    expect(report.metadata).toMatchObject({ failed_outside_attempt: true });
    expect(keyMetadata(report)).toEqual({
      idempotency_enabled: true,
      idempotency_key: 'sha256:8254c329a92850f6',
      idempotency_status: null,
      idempotency_cache_hit: false,
    });
    expect([sink.sequence(), reports.length]).toEqual([[], 2]);
  });

  it('is not noticed where nothing tells payloads apart: the key alone decides', async () => {
    // B171
    const { result, upstream } = payments({ fingerprint: undefined });
    const results = [await result('k', { amount: 1 }), await result('k', { amount: 2 })];
    expect([rolesOf(results), upstream.calls.length]).toEqual([['executed', 'replayed'], 1]);
  });

  it('is not refused as long as the first one only asks the store: it may be that one who differs', async () => {
    const answer = deferred<Claim>();
    const requests: ClaimRequest[] = [];
    const known = (index: number): Claim => ({
      ...done('paid before'),
      fingerprint: requests[index]?.fingerprint,
    });
    const noted = (give: () => Claim | Promise<Claim>) => (request: ClaimRequest) => {
      requests.push(request);
      return give();
    };
    const store = new RemoteStore(
      noted(() => answer.promise),
      noted(() => known(1)),
    );
    const { run, clock, upstream } = payments({ store });
    const [first, second] = [watch(run('k', { amount: 1 })), watch(run('k', { amount: 2 }))];
    await clock.advance('1s');
    expect([first.state, second.state, store.keys.length]).toEqual(['pending', 'pending', 1]);
    answer.resolve({ ...done('paid before'), fingerprint: 'of another payload' });
    await clock.advance(0);
    expect(first.outcome).toMatchObject({ cause: { name: 'IdempotencyConflictError' } });
    expect(second).toMatchObject({ state: 'fulfilled', outcome: { value: 'paid before' } });
    expect([upstream.calls.length, store.keys.length]).toEqual([0, 2]);
  });

  it('is not compared with operations that share the key and have no fingerprint', async () => {
    const shared = { store: new InMemoryIdempotencyStore(), scope: 'shared' };
    const without = keyed(() => 'without', shared);
    const with_ = payments(shared);
    await without.run('k');
    const { value, report } = await with_.result('k', { amount: 1 });
    expect([value, roleOf(report)]).toEqual(['without', 'replayed']);
  });

  it('may be used again where the first one failed', async () => {
    let calls = 0;
    const { result, failure } = keyed(
      (_id, { amount }: Payment) => ((calls += 1) === 1 ? Promise.reject(new Error('no')) : amount),
      { fingerprint: (_id: string, payment: Payment) => JSON.stringify(payment) },
    );
    await failure('k', { amount: 1 });
    expect((await result('k', { amount: 2 })).value).toBe(2);
  });
});

describe('a fingerprint', () => {
  it('may be blank: a payload may be nothing', async () => {
    const { run, clock, upstream } = payments({ fingerprint: () => '' });
    await clock.settle(Promise.all([run('k', {}), run('k', {})]));
    expect(upstream.calls).toHaveLength(1);
  });

  it.each([undefined, null, 7, {}, Promise.resolve('text')])(
    'that is no text is refused, and nothing runs: %p',
    async (found) => {
      const { run, upstream, sink } = payments({ fingerprint: () => found as string });
      expect(await rejection(run('k', {}))).toBeInstanceOf(MisuseError);
      expect([upstream.calls, sink.sequence()]).toEqual([[], []]);
    },
  );

  it('that cannot be found rejects with what was thrown, and nothing runs', async () => {
    const circle: unknown[] = [];
    circle.push(circle);
    const { run, upstream } = payments();
    expect(await rejection(run('k', circle))).toBeInstanceOf(TypeError);
    expect(upstream.calls).toEqual([]);
  });

  it('is never kept in clear', async () => {
    const seen: unknown[] = [];
    const store = {
      claim: (_key: string, { fingerprint }: { fingerprint: string | undefined }) => {
        seen.push(fingerprint);
        return { state: 'owned' as const, complete: () => undefined, release: () => undefined };
      },
    };
    await payments({ store }).result('k', { amount: 1 });
    expect(seen).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
  });
});
