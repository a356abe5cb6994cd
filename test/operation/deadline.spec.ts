import { describe, expect, it } from '@jest/globals';
import {
  attemptSignal,
  currentAttempt,
  EventEmitter,
  ExponentialBackoff,
  OperationTimeoutError,
  type ExecutionReport,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { after, everySeconds, gives, hangs, rejects, scene, sinkThat, story, Upstream } from './support.js';

const noDelay = everySeconds(0);

function durations(report: ExecutionReport | undefined): number[] {
  return report?.attempts.map((attempt) => attempt.durationSeconds) ?? [];
}

describe('the deadline of a call', () => {
  it('cuts an attempt that has no timeout of its own', async () => {
    const { failure, clock } = scene(hangs, { deadline: '5s' });
    const error = await failure();
    expect(error.cause).toBeInstanceOf(OperationTimeoutError);
    expect(error.cause).toMatchObject({ scope: 'deadline', timeoutSeconds: 5 });
    expect([error.report.status, error.report.durationSeconds]).toEqual(['timed_out', 5]);
    expect(error.report.attempts.map((attempt) => attempt.status)).toEqual(['timed_out']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('has come at its very moment, also where its timer could not fire yet', async () => {
    const clock = new FakeClock();
    const busy = sinkThat('attempt.started', () => clock.stall('5s'));
    const events = new EventEmitter({ sinks: [busy] });
    const upstream = new Upstream(gives(1));
    const { cause } = await scene(upstream.call, { deadline: '5s', events }, clock).failure();
    expect(cause).toMatchObject({ name: 'OperationTimeoutError', scope: 'deadline', timeoutSeconds: 5 });
    expect(upstream.calls).toEqual([]);
  });

  it('leaves a later attempt only what remains, and never none or less', async () => {
    // B036
    const clock = new FakeClock();
    const remaining: number[] = [];
    const upstream = new Upstream(
      after(clock, 0.095, rejects(new Error('first'))),
      after(clock, 0.099, rejects(new Error('second'))),
    );
    const { run, reports } = scene(
      () => {
        remaining.push(currentAttempt().remainingSeconds);
        return upstream.call();
      },
      { deadline: '100ms', timeout: '98ms', retries: 5, backoff: noDelay },
      clock,
    );
    await clock.settle(run().catch(() => undefined));
    expect(remaining).toEqual([0.098, 0.005]);
    expect(durations(reports[0])).toEqual([0.095, 0.005]);
    expect(reports[0]?.durationSeconds).toBe(0.1);
    expect(reports[0]?.lastError?.type).toBe('OperationTimeoutError');
  });

  it('tells by the scope of the error, and in the report, which of two limits was met', async () => {
    // B039
    const both = { deadline: '5s', timeout: '3s', retries: 1, backoff: noDelay } as const;
    const error = await scene(hangs, both).failure();
    expect(error.cause).toMatchObject({ scope: 'deadline', timeoutSeconds: 5 });
    expect(error.report.attempts.map(({ status, error: each }) => [status, each?.message])).toEqual([
      ['timed_out', 'the attempt did not end within its timeout of 3 s'],
      ['timed_out', 'the call did not end within its deadline of 5 s'],
    ]);
    expect(durations(error.report)).toEqual([3, 2]);
    const own = await scene(hangs, { ...both, retries: 0 }).failure();
    expect(own.cause).toMatchObject({ scope: 'attempt', timeoutSeconds: 3 });
  });

  it('begins no wait that cannot end in time: the call ends at once with its last real failure', async () => {
    // B037
    const errors = Array.from({ length: 7 }, (_, index) => new Error(`failure ${index}`));
    const backoff = new ExponentialBackoff({ baseDelay: 0.2, maxDelay: 100, jitter: false });
    const upstream = new Upstream(...errors.map(rejects));
    const { failure, clock, sink } = scene(upstream.call, { deadline: '7s', retries: 20, backoff });
    const error = await failure();
    expect(clock.monotonicMs()).toBe(6_200);
    expect(error.cause).toBe(errors[5]);
    expect(error.report.metadata.deadline_exhausted).toBe(true);
    expect([error.report.status, error.report.durationSeconds]).toEqual(['failed', 6.2]);
    expect(story(sink).match(/retry\.scheduled/g)).toHaveLength(5);
    expect(clock.pendingTimers).toBe(0);
  });

  it('begins no wait that would end exactly with it', async () => {
    const options = { deadline: 5, retries: 1, backoff: everySeconds(5) };
    const { failure, sink } = scene(rejects(new Error('no')), options);
    const { report } = await failure();
    expect(story(sink)).toBe('OS AS AF OF');
    expect([report.attemptCount, report.durationSeconds]).toEqual([1, 0]);
    expect(report.metadata.deadline_exhausted).toBe(true);
  });

  it('ends a call with its own timeout when that was the last failure', async () => {
    const error = await scene(hangs, {
      deadline: 5,
      timeout: 3,
      retries: 1,
      backoff: everySeconds(3),
    }).failure();
    expect(error.cause).toMatchObject({ scope: 'attempt' });
    expect([error.report.status, error.report.metadata.deadline_exhausted]).toEqual(['timed_out', true]);
  });

  it('covers an asynchronous validator, which the timeout does not', async () => {
    const validate = () => new Promise<boolean>(() => undefined);
    const error = await scene(gives(1), { deadline: 5, timeout: 1, validate }).failure();
    expect(error.cause).toMatchObject({ scope: 'deadline' });
    expect(error.report.durationSeconds).toBe(5);
  });

  it('does not cover a fallback, which still runs', async () => {
    const clock = new FakeClock();
    const { result } = scene(hangs, { deadline: 5, fallback: after(clock, 60, gives('stand-in')) }, clock);
    const { value, report } = await result();
    expect(value).toBe('stand-in');
    expect(report.durationSeconds).toBe(65);
    expect(report.attempts.map(({ status, fallback }) => [status, fallback])).toEqual([
      ['timed_out', false],
      ['succeeded', true],
    ]);
  });

  it.each(['operation.succeeded', 'attempt.succeeded', 'validation.succeeded'])(
    'does not cover a slow sink at %s',
    async (type) => {
      const clock = new FakeClock();
      const slow = sinkThat(type, () => new Promise((resolve) => void clock.setTimer(resolve, 60_000)));
      const options = { deadline: 5, validate: () => true, events: new EventEmitter({ sinks: [slow] }) };
      const { value } = await scene(after(clock, 1, gives('in time')), options, clock).result();
      expect(value).toBe('in time');
      expect(clock.monotonicMs()).toBe(61_000);
    },
  );

  it('lets no attempt begin after it, though only sinks have used up the time', async () => {
    const clock = new FakeClock();
    const slow = sinkThat(
      'operation.started',
      () => new Promise((resolve) => void clock.setTimer(resolve, 60_000)),
    );
    const upstream = new Upstream(gives(1));
    const error = await scene(
      upstream.call,
      { deadline: 5, retries: 3, events: new EventEmitter({ sinks: [slow] }) },
      clock,
    ).failure();
    expect(upstream.calls).toEqual([]);
    expect(error.cause).toMatchObject({ scope: 'deadline' });
    expect(error.report.attempts.map((attempt) => attempt.status)).toEqual(['timed_out']);
  });

  it('lets no wait go past it, though a sink has used up the time for it', async () => {
    const clock = new FakeClock();
    const cause = new Error('no');
    const slow = sinkThat(
      'retry.scheduled',
      () => new Promise((resolve) => void clock.setTimer(resolve, 3_000)),
    );
    const options = {
      deadline: 5,
      retries: 3,
      backoff: everySeconds(4),
      events: new EventEmitter({ sinks: [slow] }),
    };
    const upstream = new Upstream(rejects(cause));
    const error = await scene(upstream.call, options, clock).failure();
    expect(error.cause).toBe(cause);
    expect(error.report.status).toBe('failed');
    expect(error.report.metadata.deadline_exhausted).toBe(true);
    expect(upstream.calls).toHaveLength(1);
    expect([error.report.durationSeconds, clock.pendingTimers]).toEqual([0, 0]);
  });

  it('ends a wait whose timer is late', async () => {
    class LateClock extends FakeClock {
      override setTimer(callback: () => void, delayMs: number) {
        return super.setTimer(callback, delayMs === 4_000 ? 6_000 : delayMs);
      }
    }
    const clock = new LateClock();
    const cause = new Error('no');
    const { failure, reports } = scene(
      rejects(cause),
      { deadline: 5, retries: 3, backoff: everySeconds(4) },
      clock,
    );
    const error = await failure();
    expect(error.cause).toBe(cause);
    expect(reports[0]?.metadata.deadline_exhausted).toBe(true);
    expect(reports[0]?.attempts.map(({ status, waitedSeconds }) => [status, waitedSeconds])).toEqual([
      ['failed', 5],
    ]);
    expect([reports[0]?.status, reports[0]?.durationSeconds, clock.pendingTimers]).toEqual(['failed', 5, 0]);
  });

  it('aborts the signal of the attempt that it cuts, with its own error', async () => {
    let signal: AbortSignal | undefined;
    const { failure } = scene(
      () => {
        signal = attemptSignal();
        return hangs();
      },
      { deadline: 5 },
    );
    const error = await failure();
    expect(signal?.reason).toBe(error.cause);
  });
});
