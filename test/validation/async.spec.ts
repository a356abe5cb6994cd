import { describe, expect, it } from '@jest/globals';
import { currentAttempt, OperationTimeoutError, ValidationFailedError } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { deferred } from '../support/deferred.js';
import { everySeconds, gives, listenersOf, rejection, scene, story, Upstream } from '../operation/support.js';

/** A validator that takes its time, on the fake clock. */
const slowly =
  (clock: FakeClock, seconds: number, answer = true) =>
  () =>
    new Promise<boolean>((resolve) => void clock.setTimer(() => resolve(answer), seconds * 1_000));
const never = () => new Promise<boolean>(() => undefined);

describe('an async validator', () => {
  it('is awaited, and its answer counts', async () => {
    const clock = new FakeClock();
    const good = await scene(gives(1), { validate: slowly(clock, 3) }, clock).result();
    expect([good.value, good.report.durationSeconds]).toEqual([1, 3]);
    const bad = await scene(gives(1), { validate: slowly(clock, 3, false) }, clock).failure();
    expect(bad.cause).toBeInstanceOf(ValidationFailedError);
    expect(bad.report.lastAttempt?.durationSeconds).toBe(3);
  });

  it("is not cut by the attempt's timeout", async () => {
    const clock = new FakeClock();
    const { value, report } = await scene(
      gives(1),
      { timeout: 1, validate: slowly(clock, 60) },
      clock,
    ).result();
    expect([value, report.status, report.durationSeconds]).toEqual([1, 'succeeded', 60]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is cut by the deadline, which times the attempt out', async () => {
    const upstream = new Upstream(gives(1));
    const { failure, sink, clock } = scene(upstream.call, {
      deadline: 2,
      retries: 3,
      backoff: everySeconds(0),
      validate: never,
    });
    const { cause, report } = await failure();
    expect(cause).toBeInstanceOf(OperationTimeoutError);
    expect(cause).toMatchObject({ scope: 'deadline', timeoutSeconds: 2 });
    expect([report.status, report.durationSeconds, upstream.calls.length]).toEqual(['timed_out', 2, 1]);
    expect(report.metadata).toMatchObject({ validation_performed: false, deadline_exhausted: true });
    expect(story(sink)).toBe('OS AS AF OF');
    expect(clock.pendingTimers).toBe(0);
  });

  it('is cut by the caller, at once and with the reason', async () => {
    const controller = new AbortController();
    const { run, sink, reports, clock } = scene(gives(1), {
      signal: controller.signal,
      timeout: 5,
      deadline: 60,
      validate: never,
    });
    const outcome = rejection(run());
    await clock.advance(1);
    controller.abort('gone');
    expect(await outcome).toBe('gone');
    expect(story(sink)).toBe('OS AS');
    expect(reports[0]?.attempts.map((attempt) => attempt.status)).toEqual(['cancelled']);
    expect([clock.pendingTimers, listenersOf(controller.signal)]).toEqual([0, 0]);
  });

  it.each(['resolve', 'reject'] as const)('that ends after it was cut changes nothing: %s', async (end) => {
    const controller = new AbortController();
    const answer = deferred<boolean>();
    const upstream = new Upstream(gives(1));
    const { run, sink, clock } = scene(upstream.call, {
      signal: controller.signal,
      retries: 3,
      fallback: gives('never'),
      validate: () => answer.promise,
    });
    const outcome = rejection(run());
    await clock.advance(1);
    controller.abort('gone');
    expect(await outcome).toBe('gone');
    answer[end](false);
    await clock.advance(1);
    expect(upstream.calls).toHaveLength(1);
    expect(story(sink)).toBe('OS AS');
  });

  it('ends with the attempt it belongs to: the signal of the attempt is aborted when the deadline cuts it', async () => {
    const signals: AbortSignal[] = [];
    const fn = async () => void signals.push(currentAttempt().signal);
    const { cause } = await scene(fn, { deadline: 1, validate: never }).failure();
    expect(signals.map((signal) => signal.reason)).toEqual([cause]);
  });

  it('is asked anew in every attempt, one at a time', async () => {
    const clock = new FakeClock();
    const story: string[] = [];
    const validate = async (value: number) => {
      story.push(`${value} begins at ${clock.monotonicMs() / 1_000}`);
      await slowly(clock, 1)();
      story.push(`${value} ends at ${clock.monotonicMs() / 1_000}`);
      return value > 1;
    };
    const upstream = new Upstream(gives(1), gives(2));
    const options = { validate, retries: 1, backoff: everySeconds(5) };
    expect((await scene(upstream.call, options, clock).result()).value).toBe(2);
    expect(story).toEqual(['1 begins at 0', '1 ends at 1', '2 begins at 6', '2 ends at 7']);
  });
});
