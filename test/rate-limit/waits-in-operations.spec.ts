import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  asyncOperation,
  ExponentialBackoff,
  RetryPolicy,
  retryAfterFromHeaders,
  SystemClock,
} from '../../lib/index.js';
import { ACCEPTED, isGood } from '../operation/metadata-keys.js';
import { everySeconds, gives, rejects, scene, Upstream } from '../operation/support.js';
import { limited, limiting, listening, policy, RateLimitError, refused, steps, totals } from './support.js';

describe('the wait after a rate limit', () => {
  it('is what the provider asks for, in place of the back-off [R80]', async () => {
    const upstream = limiting(7, 0.5);
    const { result, clock } = scene(upstream.call, listening);
    const { value, report } = await result();
    expect([value, upstream.calls.length, clock.monotonicMs()]).toEqual(['ok', 3, 7_500]);
    expect(steps(report)).toEqual([
      ['RateLimitError', 7],
      ['RateLimitError', 0.5],
      ['succeeded', 0],
    ]);
    expect(report.attempts.slice(0, 2).map(({ metadata }) => metadata)).toEqual([limited(7), limited(0.5)]);
    expect(report.attempts.map(({ error }) => error?.retryable)).toEqual([true, true, undefined]);
    expect(totals(report)).toEqual([true, 7.5, false]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is the back-off where there is no hint [R81]', async () => {
    const { report } = await scene(limiting(undefined, null).call, listening).result();
    expect(steps(report)).toEqual([
      ['RateLimitError', 2],
      ['RateLimitError', 2],
      ['succeeded', 0],
    ]);
    expect(report.attempts[0]?.metadata).toEqual(limited(null, 2));
    expect(totals(report)).toEqual([true, 4, false]);
  });

  it('is the back-off where nobody extracts a hint [R81]', async () => {
    const options = { ...listening, retryAfter: undefined };
    const { report } = await scene(limiting(7).call, options).result();
    expect(report.attempts[0]?.metadata).toEqual(limited(null, 2));
    expect(report.durationSeconds).toBe(2);
  });

  it('comes though retryOn does not list the failure [R82]', async () => {
    const upstream = limiting(7);
    const { value } = await scene(upstream.call, { ...listening, retryOn: [TypeError] }).result();
    expect([value, upstream.calls.length]).toEqual(['ok', 2]);
  });

  it('leaves other failures to retryOn', async () => {
    const failing = new Upstream(rejects(new RateLimitError(7)), rejects(new RangeError('no')));
    const { failure } = scene(failing.call, { ...listening, retryOn: [TypeError] });
    const { report, cause } = await failure();
    expect(cause).toBeInstanceOf(RangeError);
    expect(steps(report)).toEqual([
      ['RateLimitError', 7],
      ['RangeError', 0],
    ]);
    expect(report.metadata).toMatchObject({
      rate_limited: false,
      rate_limit_encountered: true,
      rate_limit_wait_seconds: 7,
    });
  });

  it('is followed by no more attempts than there are [R88]', async () => {
    const upstream = limiting(1, 2, 3, 4, 5, 6);
    const { report, cause } = await scene(upstream.call, listening).failure();
    expect([upstream.calls.length, report.attemptCount, report.durationSeconds]).toEqual([4, 4, 6]);
    expect((cause as RateLimitError).retryAfter).toBe(4);
    // It is a classification, as of every failure, and what would have been waited is on record.
    expect(report.lastError?.retryable).toBe(true);
    expect(report.lastAttempt?.metadata).toEqual(limited(4));
    expect(totals(report)).toEqual([true, 6, false]);
  });

  it('counts as one after a rate limit only where the failure was one [R89]', async () => {
    const upstream = new Upstream(
      rejects(new RateLimitError(7)),
      rejects(new Error('other')),
      rejects(new RateLimitError()),
      gives('ok'),
    );
    const { report } = await scene(upstream.call, { ...listening, backoff: everySeconds(3) }).result();
    expect(report.attempts.map(({ waitedSeconds }) => waitedSeconds)).toEqual([7, 3, 3, 0]);
    expect(totals(report)).toEqual([true, 10, false]);
    expect(report.attempts.map(({ metadata }) => metadata.rate_limited)).toEqual([
      true,
      false,
      true,
      undefined,
    ]);
  });

  it('is summed over more attempts than a report keeps [R89]', async () => {
    const refusals = Array.from({ length: 250 }, (_, index) => (index % 2 === 0 ? 1 : 'other'));
    const upstream = new Upstream(
      ...refusals.map((hint) => rejects(hint === 1 ? new RateLimitError(1) : new Error('other'))),
      gives('ok'),
    );
    const { report } = await scene(upstream.call, { ...listening, retries: 250 }).result();
    expect([report.attemptCount, report.attempts.length, report.attemptsOmitted]).toEqual([251, 100, 151]);
    expect(totals(report)).toEqual([true, 125, false]);
    expect(report.durationSeconds).toBe(125 + 250);
  });

  it.each([0, -0])('of %p is none: the next attempt comes at once, without a timer', async (hint) => {
    const { clock, run } = scene(limiting(hint).call, listening);
    const { report } = await run();
    expect(clock.monotonicMs()).toBe(0);
    expect(report.attempts[0]?.metadata).toEqual(limited(0));
    expect(Object.is(report.attempts[0]?.metadata.rate_limit_delay_seconds, 0)).toBe(true);
    expect(totals(report)).toEqual([true, 0, false]);
  });

  it('after a header of 0 is the back-off: another try, and not in the same instant as everybody', async () => {
    // B087
    const upstream = new Upstream(rejects(refused({ 'Retry-After': '0' })), gives('ok'));
    const options = { ...listening, rateLimitOn: [Error], retryAfter: retryAfterFromHeaders };
    const { value, report } = await scene(upstream.call, options).result();
    expect([value, report.attempts[0]?.metadata]).toEqual(['ok', limited(null, 2)]);
  });

  it('gets no jitter where the provider asked for it, and does where the back-off decides [R93]', async () => {
    const drawn: string[] = [];
    const random = () => {
      drawn.push('drawn');
      return 0.5;
    };
    const options = { ...listening, random, backoff: new ExponentialBackoff({ baseDelay: 4, jitter: true }) };
    const asked = await scene(limiting(7).call, options).result();
    expect([asked.report.attempts[0]?.waitedSeconds, drawn.length]).toEqual([7, 0]);
    const unasked = await scene(limiting(undefined).call, options).result();
    expect([unasked.report.attempts[0]?.waitedSeconds, drawn.length]).toEqual([2, 1]);
  });

  it('is the same whatever builder method comes later [R94]', async () => {
    const upstream = limiting(7);
    const { clock } = scene(upstream.call);
    const operation = asyncOperation('op', upstream.call, { clock })
      .withRateLimit(policy({ maxWait: 1 }))
      .withRateLimit(policy())
      .withDeadline('1m')
      .withRetry(new RetryPolicy({ backoff: everySeconds(2) }))
      .withIdempotent(true);
    const { report } = await clock.settle(operation.run());
    expect(report.attempts[0]?.metadata).toEqual(limited(7));
  });

  it('is exact and takes its time, for every hint', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.double({ min: 0, max: 60, noNaN: true }), { maxLength: 4 }),
        async (hints) => {
          const { result, clock } = scene(limiting(...hints).call, { ...listening, retries: 4 });
          const { report } = await result();
          const sum = hints.reduce((total, hint) => total + hint, 0);
          expect(report.metadata.rate_limit_wait_seconds).toBeCloseTo(sum, 6);
          expect(
            report.attempts.map(({ metadata }) => metadata.rate_limit_retry_after_seconds ?? null),
          ).toEqual([...hints, null]);
          expect(clock.monotonicMs() / 1_000).toBeCloseTo(sum, 6);
          expect(clock.pendingTimers).toBe(0);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('is never shorter than asked, also on the clock of the machine', async () => {
    const clock = new SystemClock();
    const { run } = scene(limiting(0.0104, 0.0017, 0.0251).call, { ...listening, clock });
    const { report } = await run();
    const waited = report.attempts.slice(0, 3).map(({ waitedSeconds }) => waitedSeconds);
    for (const [index, asked] of [0.0104, 0.0017, 0.0251].entries()) {
      expect(waited[index]).toBeGreaterThanOrEqual(asked - 1e-6);
    }
  });

  it('comes after a rejected value that is a limit in disguise, whose check is on record', async () => {
    const upstream = new Upstream(gives('slow down'), gives('good'));
    const { report } = await scene(upstream.call, {
      ...listening,
      validate: isGood,
      rateLimitOn: (error) => (error as { validatorName?: string }).validatorName === 'is good',
      retryAfter: () => 9,
    }).result();
    expect(steps(report)).toEqual([
      ['ValidationFailedError', 9],
      ['succeeded', 0],
    ]);
    expect(report.attempts[0]?.metadata).toEqual({
      ...limited(9),
      validation_performed: true,
      validation_valid: false,
      validation_validator_name: 'is good',
      validation_reason: 'it is not',
    });
    expect(report.metadata).toMatchObject({ ...ACCEPTED, rate_limit_encountered: true });
  });
});
