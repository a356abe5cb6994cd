import { describe, expect, it } from '@jest/globals';
import { CircuitBreaker, OperationTimeoutError, TimeoutPolicy } from '../../lib/index.js';
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
  throws,
  Upstream,
  type Step,
} from './support.js';

describe('the timeout of an attempt', () => {
  it.each([{ timeout: '10s' as const }, {}])(
    "is not what the method's own timeout error is, under %j [R29, R30]",
    async (options) => {
      for (const own of [
        new OperationTimeoutError(1),
        new DOMException('slow', 'TimeoutError'),
        Object.assign(new Error(), { code: 'ETIMEDOUT' }),
      ]) {
        const circuitBreaker = new CircuitBreaker();
        const error = await scene(rejects(own), { ...options, circuitBreaker }).failure();
        expect(error.cause).toBe(own);
        expect(error.report.status).toBe('failed');
        expect(error.report.attempts.map((attempt) => attempt.status)).toEqual(['failed']);
        expect(circuitBreaker.snapshot().failureCount).toBe(1);
      }
    },
  );

  it("is not what an inner operation's timeout is either [R29]", async () => {
    const clock = new FakeClock();
    const inner = new TimeoutPolicy(1, { clock });
    const error = await scene(() => inner.run(hangs), { timeout: 10 }, clock).failure();
    expect(error.cause).toMatchObject({ timeoutSeconds: 1 });
    expect([error.report.status, error.report.durationSeconds]).toEqual(['failed', 1]);
  });

  it('is fresh for each attempt, and does not run while the call waits [R31, R32]', async () => {
    const clock = new FakeClock();
    const slow = after(clock, 0.9, rejects(new Error('slow, but in time')));
    const upstream = new Upstream(slow, slow, after(clock, 0.9, gives('ok')));
    const { value, report } = await scene(
      upstream.call,
      { timeout: 1, retries: 2, backoff: everySeconds(5) },
      clock,
    ).result();
    expect(value).toBe('ok');
    expect(report.attempts.map((attempt) => attempt.status)).toEqual(['failed', 'failed', 'succeeded']);
    expect(report.durationSeconds).toBe(12.7);
  });

  it('does not cut a fallback [R33]', async () => {
    const clock = new FakeClock();
    const { value } = await scene(
      hangs,
      { timeout: 1, fallback: after(clock, 60, gives('late, but good')) },
      clock,
    ).result();
    expect(value).toBe('late, but good');
    expect(clock.pendingTimers).toBe(0);
  });

  it('does not cut a validator [R34]', async () => {
    const clock = new FakeClock();
    const validate = () => after(clock, 60, gives(true))() as Promise<boolean>;
    const { report } = await scene(gives('good'), { timeout: 1, validate }, clock).result();
    expect([report.status, report.durationSeconds]).toEqual(['succeeded', 60]);
  });

  it('ends an attempt at its time although the work goes on and ignores its signal', async () => {
    // B031
    const clock = new FakeClock();
    const error = await scene(after(clock, 20, gives('too late')), { timeout: '10ms' }, clock).failure();
    expect(error.report.durationSeconds).toBe(0.01);
  });

  it('ends every attempt of a call whose attempts all hang', async () => {
    // B032, B116
    const upstream = new Upstream(hangs);
    const options = { timeout: '50ms', retries: 2, backoff: everySeconds(1), fallback: gives('F') } as const;
    const { value, report } = await scene(upstream.call, options).result();
    expect([value, upstream.calls.length, report.durationSeconds]).toEqual(['F', 3, 2.15]);
  });

  it('ends a new call while a thousand others hang', async () => {
    // B042
    const { run, reports, clock } = scene(hangs, { timeout: '100ms' });
    const others = Array.from({ length: 1_000 }, () =>
      rejection(scene(hangs, { timeout: '10m' }, clock).run()),
    );
    const error = await clock.settle(rejection(run()));
    expect(error.report.status).toBe('timed_out');
    expect(reports[0]?.durationSeconds).toBe(0.1);
    expect(clock.pendingTimers).toBe(1);
    await clock.settle(Promise.all(others));
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('what a method does after the end of its attempt', () => {
  const late: Record<string, (clock: FakeClock) => Step> = {
    'a value': (clock) => after(clock, 10, gives('too late')),
    'a rejection': (clock) => after(clock, 10, rejects(new Error('too late'))),
    'a rejection with nothing': (clock) => after(clock, 10, rejects(undefined)),
  };

  it.each(Object.keys(late))('%s after a timeout changes nothing [R35]', async (what) => {
    // B126
    const clock = new FakeClock();
    const circuitBreaker = new CircuitBreaker({ failureThreshold: 3 });
    const step = late[what]?.(clock) as Step;
    const { failure, sink, reports } = scene(
      step,
      { timeout: 1, circuitBreaker, validate: throws(new Error('never asked')) as never },
      clock,
    );
    const { report } = await failure();
    const before = JSON.stringify([report, sink.events(), circuitBreaker.snapshot()]);
    await clock.advance('1m');
    expect(JSON.stringify([report, sink.events(), circuitBreaker.snapshot()])).toBe(before);
    expect(circuitBreaker.snapshot().failureCount).toBe(1);
    expect(story(sink)).toBe('OS AS AF OF');
    expect(reports).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it.each(Object.keys(late))('%s after an abort changes nothing [R35]', async (what) => {
    const clock = new FakeClock();
    const circuitBreaker = new CircuitBreaker({ failureThreshold: 1 });
    const controller = new AbortController();
    const { run, sink, reports } = scene(
      late[what]?.(clock) as Step,
      { signal: controller.signal, circuitBreaker },
      clock,
    );
    const promise = run();
    await clock.advance(1);
    controller.abort('gone');
    expect(await rejection(promise)).toBe('gone');
    await clock.advance('1m');
    expect(story(sink)).toBe('OS AS');
    expect(circuitBreaker.snapshot()).toMatchObject({ state: 'closed', failureCount: 0 });
    expect(reports.map((report) => report.durationSeconds)).toEqual([1]);
  });

  it('is not taken for the outcome of the attempt after it [R35]', async () => {
    // B127
    const clock = new FakeClock();
    const upstream = new Upstream(
      after(clock, 1.5, gives('of the first')),
      after(clock, 0.9, gives('of the second')),
    );
    const { result, sink } = scene(
      upstream.call,
      { timeout: 1, retries: 1, backoff: everySeconds(0) },
      clock,
    );
    const { value, report } = await result();
    expect(value).toBe('of the second');
    expect(report.durationSeconds).toBe(1.9);
    expect(story(sink)).toBe('OS AS AF retry.scheduled AS AOK OOK');
  });

  it('does not end the wait before the next attempt [R35]', async () => {
    const clock = new FakeClock();
    const upstream = new Upstream(after(clock, 1.5, rejects(new Error('late'))), gives('ok'));
    const { report } = await scene(
      upstream.call,
      { timeout: 1, retries: 1, backoff: everySeconds(5) },
      clock,
    ).result();
    expect(report.durationSeconds).toBe(6);
    expect(report.attempts.map(({ status, waitedSeconds }) => [status, waitedSeconds])).toEqual([
      ['timed_out', 5],
      ['succeeded', 0],
    ]);
  });

  it('lets nothing through from a validator that answers after the deadline [R35]', async () => {
    const clock = new FakeClock();
    const validate = () => after(clock, 10, rejects(new Error('late')))() as Promise<boolean>;
    const { failure, sink } = scene(gives(1), { deadline: 1, validate }, clock);
    await failure();
    await clock.advance('1m');
    expect(story(sink)).toBe('OS AS AF OF');
  });
});
