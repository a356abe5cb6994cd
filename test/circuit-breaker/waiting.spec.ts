import { describe, expect, it } from '@jest/globals';
import { CircuitBreakerOpenError, type ExecutionReport } from '../../lib/index.js';
import {
  after,
  everySeconds,
  gives,
  rejection,
  rejects,
  scene,
  story,
  throws,
  Upstream,
} from '../operation/support.js';
import { beginCall, failCalls, setUp, setUpProbeDue } from './support.js';

/** What was tried, and how long was waited after it. */
const steps = (report: ExecutionReport) =>
  report.attempts.map((attempt) => [attempt.error?.type ?? 'succeeded', attempt.waitedSeconds]);

const down = new Error('down');

describe('an operation whose breaker is open', () => {
  it('does not sleep where waiting cannot help: one refused attempt, and it goes on', async () => {
    const { clock, breaker } = setUp({ failureThreshold: 3 });
    const upstream = new Upstream(rejects(down));
    const { failure, sink } = scene(
      upstream.call,
      { circuitBreaker: breaker, retries: 5, backoff: everySeconds(0.1) },
      clock,
    );
    // B072
    const error = await failure();
    expect(upstream.calls).toHaveLength(3);
    expect(error.cause).toBeInstanceOf(CircuitBreakerOpenError);
    expect((error.cause as Error).cause).toBe(down);
    expect(steps(error.report)).toEqual([
      ['Error', 0.1],
      ['Error', 0.1],
      ['Error', 0],
      ['CircuitBreakerOpenError', 0],
    ]);
    expect(error.report.durationSeconds).toBe(0.2);
    expect(story(sink)).toBe(
      'OS AS AF retry.scheduled AS AF retry.scheduled AS circuit_breaker.opened AF retry.scheduled AS circuit_breaker.rejected AF OF',
    );
    const scheduled = sink.events().filter((event) => event.eventType === 'retry.scheduled');
    expect(scheduled.map((event) => event.payload)).toMatchObject([
      { delay_seconds: 0.1 },
      { delay_seconds: 0.1 },
      { delay_seconds: 0, next_attempt_number: 4 },
    ]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('goes on to its fallback at once', async () => {
    const { clock, breaker } = setUp({ failureThreshold: 1 });
    const options = {
      circuitBreaker: breaker,
      retries: 9,
      backoff: everySeconds(1),
      fallback: gives('stand-in'),
    };
    const { value, report } = await scene(rejects(down), options, clock).result();
    expect([value, report.durationSeconds, report.attemptCount]).toEqual(['stand-in', 0, 3]);
  });

  it.each([10, 30])('waits as told, and probes, when the recovery ends within %p seconds', async (delay) => {
    const { clock, breaker } = setUp();
    const upstream = new Upstream(rejects(down), rejects(down), gives('up'));
    const options = { circuitBreaker: breaker, retries: 2, backoff: everySeconds(delay) };
    const { value, report } = await scene(upstream.call, options, clock).result();
    expect(value).toBe('up');
    expect(steps(report)).toEqual([
      ['Error', delay],
      ['Error', delay],
      ['succeeded', 0],
    ]);
    expect(breaker.state).toBe('closed');
  });

  it('waits after a refusal too, when the recovery ends in time', async () => {
    const { clock, breaker } = setUp();
    await failCalls(breaker);
    await clock.advance(8);
    const options = { circuitBreaker: breaker, retries: 2, backoff: everySeconds(2) };
    const { value, report } = await scene(gives('up'), options, clock).result();
    expect(value).toBe('up');
    expect(steps(report)).toEqual([
      ['CircuitBreakerOpenError', 2],
      ['succeeded', 0],
    ]);
  });

  it('ends at its first refusal when the recovery does not end in time', async () => {
    const { clock, breaker } = setUp();
    await failCalls(breaker);
    await clock.advance(8);
    const options = { circuitBreaker: breaker, retries: 5, backoff: everySeconds(1.999) };
    const error = await scene(gives('never'), options, clock).failure();
    expect(steps(error.report)).toEqual([['CircuitBreakerOpenError', 0]]);
    // Nothing of this call had failed before, so there is no other cause.
    expect('cause' in (error.cause as object)).toBe(false);
  });

  it('ends at a refusal in half-open, as nobody knows how long the probe takes', async () => {
    const { clock, breaker } = await setUpProbeDue();
    beginCall(breaker);
    const options = { circuitBreaker: breaker, retries: 5, backoff: everySeconds(60) };
    const error = await scene(gives('never'), options, clock).failure();
    expect(steps(error.report)).toEqual([['CircuitBreakerOpenError', 0]]);
    expect(error.cause).toMatchObject({ state: 'half_open', retryAfterSeconds: null });
  });

  it('waits as told after a failure of its own while a probe of another call is in flight', async () => {
    const { clock, breaker } = setUp();
    const upstream = new Upstream(after(clock, 15, rejects(down)), gives('up'));
    const options = { circuitBreaker: breaker, retries: 1, backoff: everySeconds(1) };
    const running = scene(upstream.call, options, clock).run();
    await clock.advance(1);
    await failCalls(breaker);
    await clock.advance(10);
    const probe = beginCall(breaker);
    await clock.advance(4);
    probe.resolve('up');
    expect(steps((await clock.settle(running)).report)).toEqual([
      ['Error', 1],
      ['succeeded', 0],
    ]);
  });

  it('gives as cause of a refusal the last real failure of this call, not an earlier refusal', async () => {
    const { clock, breaker } = setUp({ failureThreshold: 1, recoveryTimeout: 5 });
    const onlyOne = new RangeError('the only one');
    const options = { circuitBreaker: breaker, retries: 2, backoff: everySeconds(5) };
    const outcome = rejection(scene(throws(onlyOne), options, clock).run());
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await clock.advance('4900ms');
      // It opens anew just before this call comes back.
      breaker.reset();
      await failCalls(breaker);
      await clock.advance('100ms');
    }
    const error = await clock.settle(outcome);
    expect(steps(error.report)).toEqual([
      ['RangeError', 5],
      ['CircuitBreakerOpenError', 5],
      ['CircuitBreakerOpenError', 0],
    ]);
    expect(error.cause.cause).toBe(onlyOne);
  });

  it('never waits past the deadline for a breaker', async () => {
    const { clock, breaker } = setUp();
    await failCalls(breaker);
    const options = { circuitBreaker: breaker, retries: 5, backoff: everySeconds(10), deadline: 5 };
    const error = await scene(gives('never'), options, clock).failure();
    expect(error.report.durationSeconds).toBe(0);
    expect(error.report.metadata).toMatchObject({ deadline_exhausted: true, circuit_breaker_open: true });
  });

  it('retries to success without a fallback when failures stay below the threshold', async () => {
    const { clock, breaker } = setUp({ failureThreshold: 3 });
    const upstream = new Upstream(rejects(down), rejects(down), gives('ok'));
    const fallback = new Upstream(gives('F'));
    // B071
    const options = {
      circuitBreaker: breaker,
      retries: 2,
      fallback: fallback.call,
      backoff: everySeconds(1),
    };
    const { value, report } = await scene(upstream.call, options, clock).result();
    expect([value, upstream.calls.length, fallback.calls.length]).toEqual(['ok', 3, 0]);
    expect(report.metadata.fallback_used).toBe(false);
    expect(breaker.snapshot().failureCount).toBe(0);
  });

  it('does not wait for a recovery when its filter leaves refusals out', async () => {
    const { clock, breaker } = setUp();
    await failCalls(breaker);
    await clock.advance(8);
    const options = { circuitBreaker: breaker, retries: 3, retryOn: [RangeError], backoff: everySeconds(5) };
    const error = await scene(gives('never'), options, clock).failure();
    expect(steps(error.report)).toEqual([['CircuitBreakerOpenError', 0]]);
    expect(error.report.lastError?.retryable).toBe(false);
  });
});
