import { describe, expect, it } from '@jest/globals';
import { ConcurrencyLimit, ConcurrencyLimitError, type OperationResult } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import {
  after,
  everySeconds,
  gives,
  hangs,
  rejection,
  rejects,
  scene,
  story,
  Upstream,
} from '../operation/support.js';

const broken = rejects(new RangeError('broken'));

/** A limit and the clock of those who share it. */
function pool(maxConcurrent = 1, queue: { readonly size?: number; readonly maxWait?: number } = {}) {
  const clock = new FakeClock();
  return { clock, limit: new ConcurrencyLimit({ name: 'pool', maxConcurrent, queue, clock }) };
}

const causeOf = async (promise: Promise<unknown>): Promise<any> => (await rejection(promise)).cause;

describe('a concurrency limit in operations', () => {
  it('refuses at once, calls nothing and says so in the report', async () => {
    const { clock, limit } = pool();
    const upstream = new Upstream(hangs);
    const seen = scene(upstream.call, { concurrencyLimit: limit }, clock);
    const first = seen.run();
    first.catch(() => undefined);
    const error = await rejection(seen.run());
    expect(error.cause).toBeInstanceOf(ConcurrencyLimitError);
    expect(upstream.calls).toHaveLength(1);
    expect(error.report.metadata).toMatchObject({
      admission_refused: true,
      admission_waited_seconds: 0,
      admission_wait_seconds: 0,
    });
    expect(error.report.metadata).not.toHaveProperty('shield_name');
    expect(error.report.metadata).not.toHaveProperty('outcome_unknown');
    const refused = seen.sink.events().filter(({ eventType }) => eventType === 'concurrency_limit.rejected');
    expect(refused.map(({ payload }) => payload)).toEqual([
      { attempt_number: 1, limit_name: 'pool', reason: 'queue_full' },
    ]);
    expect(story(seen.sink)).toBe('OS AS OS AS concurrency_limit.rejected AF OF');
  });

  it('waits in line, and says how long in the report and an event', async () => {
    const { clock, limit } = pool(1, { size: 5 });
    const seen = scene(after(clock, 2, gives('up')), { concurrencyLimit: limit }, clock);
    const results = await clock.settle(
      Promise.all([seen.run(), seen.run()] as Promise<OperationResult<unknown>>[]),
    );
    expect(results.map(({ report }) => report.metadata.admission_wait_seconds)).toEqual([0, 2]);
    expect(results.map(({ report }) => report.attempts[0]?.durationSeconds)).toEqual([2, 2]);
    expect(results.map(({ report }) => report.durationSeconds)).toEqual([2, 4]);
    const waited = seen.sink.events().filter(({ eventType }) => eventType === 'concurrency_limit.waited');
    expect(waited.map(({ payload }) => payload)).toEqual([
      { attempt_number: 1, limit_name: 'pool', waited_seconds: 2 },
    ]);
    expect(limit.snapshot()).toMatchObject({ running: 0, waiting: 0 });
    expect(clock.pendingTimers).toBe(0);
  });

  it('says of a wait in which attempt it was, also when that is read after the next one', async () => {
    const { clock, limit } = pool(1, { size: 5 });
    const first = scene(after(clock, 2, gives('up')), { concurrencyLimit: limit }, clock);
    const upstream = new Upstream(broken, gives('up'));
    const second = scene(
      upstream.call,
      { concurrencyLimit: limit, retries: 1, backoff: everySeconds(1) },
      clock,
    );
    await clock.settle(Promise.all([first.run(), second.run()]));
    const waited = second.sink.events().filter(({ eventType }) => eventType === 'concurrency_limit.waited');
    expect(waited.map(({ payload }) => payload)).toEqual([
      { attempt_number: 1, limit_name: 'pool', waited_seconds: 2 },
    ]);
  });

  it('says of an attempt how long it had waited, also when its caller goes away', async () => {
    const { clock, limit } = pool(1, { size: 5 });
    const caller = new AbortController();
    const first = scene(after(clock, 2, gives('up')), { concurrencyLimit: limit }, clock);
    const second = scene(hangs, { concurrencyLimit: limit, signal: caller.signal }, clock);
    const ended = Promise.all([first.run(), rejection(second.run())]);
    await clock.advance(3);
    caller.abort();
    await ended;
    const [report] = second.reports;
    expect(report?.attempts.map(({ status }) => status)).toEqual(['cancelled']);
    expect(report?.metadata).toMatchObject({ admission_waited_seconds: 2, admission_wait_seconds: 2 });
  });

  it('is shared by operations', async () => {
    const { clock, limit } = pool(2);
    const charge = scene(hangs, { concurrencyLimit: limit }, clock);
    const refund = scene(hangs, { concurrencyLimit: limit }, clock);
    for (const { run } of [charge, refund]) run().catch(() => undefined);
    expect((await causeOf(charge.run())).name).toBe('ConcurrencyLimitError');
    expect((await causeOf(refund.run())).name).toBe('ConcurrencyLimitError');
  });

  it('of its own, by a number, is not, and is one for all its callers', async () => {
    const clock = new FakeClock();
    const charge = scene(hangs, { maxConcurrent: 1 }, clock);
    const refund = scene(hangs, { maxConcurrent: 1 }, clock);
    for (const { run } of [charge, refund]) run().catch(() => undefined);
    const error = await causeOf(charge.run());
    expect(error).toMatchObject({ name: 'ConcurrencyLimitError', limitName: 'op', maxConcurrent: 1 });
  });

  it('frees the place however the attempt ends', async () => {
    const abort = new AbortController();
    const ends: Record<string, [Upstream, object]> = {
      success: [new Upstream(gives('up')), {}],
      failure: [new Upstream(broken), {}],
      'its timeout': [new Upstream(hangs), { timeout: 1 }],
      'the deadline': [new Upstream(hangs), { deadline: 1 }],
      'a rejected value': [new Upstream(gives(1)), { validate: (value: unknown) => value !== 1 }],
      'a fallback': [new Upstream(broken), { fallback: async () => 'stand-in' }],
      'a caller who goes away': [new Upstream(hangs), { signal: abort.signal }],
    };
    for (const [upstream, options] of Object.values(ends)) {
      const { clock, limit } = pool();
      const seen = scene(upstream.call, { concurrencyLimit: limit, ...options }, clock);
      const ended = seen.run().catch(() => undefined);
      expect(limit.snapshot().running).toBe(1);
      if ('signal' in options) abort.abort();
      await clock.settle(ended);
      expect(limit.snapshot()).toMatchObject({ running: 0, waiting: 0, refused: 0 });
      expect(clock.pendingTimers).toBe(0);
    }
  });

  it('does not hold a place for a fallback, or between two tries', async () => {
    const { clock, limit } = pool();
    const places: number[] = [];
    const fallback = async (): Promise<string> => {
      places.push(limit.snapshot().running);
      return 'stand-in';
    };
    const options = { concurrencyLimit: limit, retries: 1, backoff: everySeconds(5), fallback };
    const seen = scene(broken, options, clock);
    const running = seen.run();
    await clock.advance(1);
    places.push(limit.snapshot().running);
    await clock.settle(running);
    expect(places).toEqual([0, 0]);
  });

  it('queues a retry anew, behind those who wait', async () => {
    const { clock, limit } = pool(1, { size: 5 });
    const order: string[] = [];
    const note = (name: string, seconds: number) => async (): Promise<string> => {
      order.push(name);
      await after(clock, seconds, gives(name))();
      if (name === 'a' && order.filter((one) => one === 'a').length === 1) throw new RangeError('broken');
      return name;
    };
    const a = scene(note('a', 1), { concurrencyLimit: limit, retries: 1, backoff: everySeconds(0) }, clock);
    const b = scene(note('b', 1), { concurrencyLimit: limit }, clock);
    await clock.settle(Promise.all([a.run(), b.run()]));
    expect(order).toEqual(['a', 'b', 'a']);
    expect(a.reports[0]?.attempts.map(({ metadata }) => metadata.admission_waited_seconds)).toEqual([0, 1]);
  });

  it('is a failure that may be retried when it refuses', async () => {
    const { clock, limit } = pool();
    const seen = scene(
      after(clock, 3, gives('up')),
      { concurrencyLimit: limit, retries: 5, backoff: everySeconds(1) },
      clock,
    );
    const results = await clock.settle(
      Promise.all([seen.run(), seen.run()] as Promise<OperationResult<unknown>>[]),
    );
    expect(results.map(({ report }) => report.attempts.map(({ status }) => status).join(' '))).toEqual([
      'succeeded',
      'failed failed failed succeeded',
    ]);
  });

  it('waits within the deadline of the call, and then nothing was called', async () => {
    const { clock, limit } = pool(1, { size: 5 });
    const upstream = new Upstream(hangs);
    const first = scene(upstream.call, { concurrencyLimit: limit }, clock);
    first.run().catch(() => undefined);
    const second = scene(upstream.call, { concurrencyLimit: limit, deadline: 2, timeout: 1 }, clock);
    const error = await second.failure();
    expect(error.cause).toMatchObject({
      name: 'OperationTimeoutError',
      scope: 'deadline',
      outcomeUnknown: false,
    });
    expect(upstream.calls).toHaveLength(1);
    expect(limit.snapshot()).toMatchObject({ running: 1, waiting: 0 });
    expect(clock.pendingTimers).toBe(0);
  });

  it('begins the timeout of the attempt with its place', async () => {
    const { clock, limit } = pool(1, { size: 5 });
    const seen = scene(after(clock, 2, gives('up')), { concurrencyLimit: limit, timeout: 3 }, clock);
    const results = await clock.settle(Promise.all([seen.run(), seen.run(), seen.run()]));
    expect(results.map((result: any) => result.value)).toEqual(['up', 'up', 'up']);
    expect(clock.monotonicMs()).toBe(6_000);
  });
});
