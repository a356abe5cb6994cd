import { describe, expect, it } from '@jest/globals';
import {
  EventEmitter,
  IdempotencyPolicy,
  InMemoryIdempotencyStore,
  OperationExecutionError,
  OperationTimeoutError,
  reportOf,
  Resilient,
  resilient,
  resultOf,
  RetryPolicy,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { after, everySeconds, gives, hangs, rejects, sinkThat, Upstream } from '../operation/support.js';
import { keyed, keyMetadata, roleOf } from './support.js';

const down = new Error('down');

/** What several calls at the same time are rejected with. */
async function failuresOf(clock: FakeClock, calls: readonly Promise<unknown>[]): Promise<any[]> {
  const outcomes = await clock.settle(Promise.allSettled(calls));
  return outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason : outcome));
}

describe('an execution that fails', () => {
  it('is not kept: the next call executes again [R158]', async () => {
    const store = new InMemoryIdempotencyStore();
    const upstream = new Upstream(rejects(down), gives('well again'));
    const { failure, result } = keyed(upstream.call, { store });
    expect((await failure('a')).cause).toBe(down);
    expect(store.entryCount()).toBe(0);
    expect((await result('a')).value).toBe('well again');
    expect(upstream.calls).toHaveLength(2);
  });

  it('is not kept after all its attempts and its fallback have failed [R179]', async () => {
    const store = new InMemoryIdempotencyStore();
    const upstream = new Upstream(rejects(down));
    const { failure, clock } = keyed(
      upstream.call,
      { store },
      {
        retry: new RetryPolicy({ maxAttempts: 2, backoff: everySeconds(1) }),
        fallback: rejects(new Error('down, too')),
      },
    );
    const errors = [await failure('a'), await failure('a')];
    expect(errors.map(({ report }) => [report.attemptCount, roleOf(report)])).toEqual([
      [3, 'executed'],
      [3, 'executed'],
    ]);
    expect([upstream.calls.length, store.entryCount(), clock.pendingTimers]).toEqual([4, 0, 0]);
  });

  it('fails for all who wait for it, with one and the same error [R159]', async () => {
    // B167
    const clock = new FakeClock();
    const upstream = new Upstream(after(clock, 1, rejects(down)), gives(1));
    const { run, reports } = keyed(upstream.call, {}, {}, clock);
    const errors = await failuresOf(clock, [run('a'), run('a'), run('a'), run('a')]);
    for (const error of errors) {
      expect(error).toBeInstanceOf(OperationExecutionError);
      expect(error.cause).toBe(down);
    }
    expect(errors.map(({ report }) => [report.status, roleOf(report)])).toEqual([
      ['failed', 'executed'],
      ['failed', 'joined'],
      ['failed', 'joined'],
      ['failed', 'joined'],
    ]);
    expect(reports.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed', 'failed']);
    expect(upstream.calls).toHaveLength(1);
    expect((await run('a')).value).toBe(1);
  });

  it.each([undefined, null, 'text', 0])('fails for all of them with %p that is no Error', async (reason) => {
    const clock = new FakeClock();
    const { run } = keyed(after(clock, 1, rejects(reason)), {}, {}, clock);
    const errors = await failuresOf(clock, [run('a'), run('a')]);
    expect(errors.map(({ cause }) => cause)).toEqual([reason, reason]);
  });

  it('has an account with what the key did, for each of them', async () => {
    const clock = new FakeClock();
    const { run } = keyed(after(clock, 1, rejects(down)), {}, {}, clock);
    const [first, second] = await failuresOf(clock, [run('a'), run('a')]);
    const common = { idempotency_enabled: true, idempotency_key: 'sha256:ca978112ca1bbdca' };
    expect(keyMetadata(first.report)).toEqual({
      ...common,
      idempotency_status: 'executed',
      idempotency_cache_hit: false,
    });
    expect(keyMetadata(second.report)).toEqual({
      ...common,
      idempotency_status: 'joined',
      idempotency_cache_hit: true,
    });
    expect(reportOf(down)).toBe(first.report);
  });
});

describe('an execution that meets a limit', () => {
  it('ends at its timeout also where nobody can leave it', async () => {
    const clock = new FakeClock();
    const idempotency = new IdempotencyPolicy({ key: (key: string) => key, ttl: '1m' });
    const call = resilient({ name: 'op', clock, idempotency, timeout: '1s' }, async (_key: string) =>
      hangs(),
    );
    const [error] = await failuresOf(clock, [call('a')]);
    expect(error.cause).toBeInstanceOf(OperationTimeoutError);
    expect([clock.monotonicMs(), clock.pendingTimers]).toEqual([1_000, 0]);
  });

  it('is no answer for the call that comes at once after it', async () => {
    // B177
    const clock = new FakeClock();
    const upstream = new Upstream(hangs, gives('in time'));
    const { run } = keyed(upstream.call, {}, { timeout: '1s' }, clock);
    const next: Promise<unknown>[] = [];
    const again = (error: unknown): never => {
      next.push(run('a'));
      throw error;
    };
    const errors = await failuresOf(clock, [run('a').catch(again), run('a').catch(again)]);
    for (const { cause, report } of errors) {
      expect(cause).toBeInstanceOf(OperationTimeoutError);
      expect(report.status).toBe('timed_out');
    }
    const results = (await clock.settle(Promise.all(next))) as Awaited<ReturnType<typeof run>>[];
    expect(results.map(({ value }) => value)).toEqual(['in time', 'in time']);
    expect([upstream.calls.length, clock.pendingTimers]).toEqual([2, 0]);
  });

  it('is repeated although the operation is not idempotent: the key makes it so', async () => {
    const upstream = new Upstream(hangs, gives('second'));
    const options = { idempotent: false, retries: 1, backoff: everySeconds(1), timeout: 1 };
    const { result, clock } = keyed(upstream.call, {}, options);
    expect((await result('a')).value).toBe('second');
    expect([upstream.calls.length, clock.pendingTimers]).toEqual([2, 0]);
    const keyless = keyed(new Upstream(hangs, gives('second')).call, {}, { ...options, idempotency: false });
    expect((await keyless.failure('a')).cause).toBeInstanceOf(OperationTimeoutError);
  });

  it('is over at the deadline of the call that executes, for those who joined, too', async () => {
    const clock = new FakeClock();
    const { run } = keyed(hangs, {}, { deadline: '1s' }, clock);
    const first = run('a');
    first.catch(() => undefined);
    await clock.advance('0.5s');
    const errors = await failuresOf(clock, [first, run('a')]);
    expect(errors.map(({ cause }) => [cause.scope, cause.timeoutSeconds])).toEqual([
      ['deadline', 1],
      ['deadline', 1],
    ]);
    expect(errors[1].cause).toBe(errors[0].cause);
    expect([clock.monotonicMs(), clock.pendingTimers]).toEqual([1_000, 0]);
  });
});

describe('the result of a method with a key', () => {
  const lost = new Error('the sink is lost');

  class Client {
    @Resilient({ idempotencyKey: () => 'k' })
    async fails(): Promise<void> {
      throw down;
    }

    @Resilient({
      idempotencyKey: () => 'k',
      events: new EventEmitter({ sinks: [{ emit: () => Promise.reject(lost) }] }),
    })
    async isNotTold(): Promise<void> {}
  }

  it('says for all callers that the method has failed', async () => {
    const client = new Client();
    const errors = await failuresOf(new FakeClock(), [
      resultOf(() => client.fails()),
      resultOf(() => client.fails()),
    ]);
    for (const error of errors) {
      expect(error).toBeInstanceOf(OperationExecutionError);
      expect(error.cause).toBe(down);
    }
  });

  it('is for all callers the error of a sink as it is', async () => {
    const client = new Client();
    const errors = await failuresOf(new FakeClock(), [
      resultOf(() => client.isNotTold()),
      resultOf(() => client.isNotTold()),
    ]);
    for (const error of errors) expect(error).toBe(lost);
  });
});

describe('an error of a sink', () => {
  const lost = new Error('the sink is lost');

  it.each(['operation.started', 'attempt.started', 'attempt.succeeded', 'operation.succeeded'])(
    'at %s is what all callers are rejected with, and nothing is kept [R183]',
    async (type) => {
      const store = new InMemoryIdempotencyStore();
      const upstream = new Upstream(gives('value'));
      const events = new EventEmitter({
        sinks: [
          sinkThat(type, () => {
            throw lost;
          }),
        ],
      });
      const { run, clock, result } = keyed(upstream.call, { store }, { events });
      const errors = await failuresOf(clock, [run('a'), run('a')]);
      expect(errors).toEqual([lost, lost]);
      expect(store.entryCount()).toBe(0);
      const { value, report } = await result('a');
      expect([value, roleOf(report), clock.pendingTimers]).toEqual(['value', 'executed', 0]);
    },
  );
});
