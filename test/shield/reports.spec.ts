import { describe, expect, it } from '@jest/globals';
import { reportOf } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { after, gives, hangs, rejects, sinkThat, Upstream } from '../operation/support.js';
import { client } from './client.js';
import { sleep, TooSlow } from './support.js';

const slow = (): Promise<never> => Promise.reject(new TooSlow('slow'));
const broken = rejects(new RangeError('broken'));

const NOTHING_LIMITED = {
  rate_limit_encountered: false,
  rate_limit_wait_seconds: 0,
  rate_limit_wait_exceeded: false,
};
const UNVALIDATED = {
  validation_performed: false,
  validation_valid: null,
  validation_validator_name: null,
  validation_reason: null,
};
const GITHUB = { shield_name: 'github', shield_profile: 'api' };

describe('the report of a shielded call', () => {
  it('says the shield, the timeout used and the time waited for admission', async () => {
    const seen = client(gives('up'));
    expect(await seen.outcome()).toBe('up');
    const [report] = seen.reports;
    expect(report?.metadata).toEqual({
      fallback_used: false,
      circuit_breaker_open: false,
      ...UNVALIDATED,
      timeout_seconds: 10,
      admission_waited_seconds: 0,
      ...NOTHING_LIMITED,
      ...GITHUB,
      admission_wait_seconds: 0,
    });
    expect(report?.attempts.map(({ status, metadata }) => [status, metadata])).toEqual([
      [
        'succeeded',
        {
          fallback_used: false,
          circuit_breaker_open: false,
          ...UNVALIDATED,
          timeout_seconds: 10,
          admission_waited_seconds: 0,
        },
      ],
    ]);
    expect(seen.clock.pendingTimers).toBe(0);
  });

  it('has every attempt with its own timeout, wait and back-off, and why it gave up', async () => {
    const seen = client(slow);
    const error = await seen.outcome();
    const report = reportOf(error);
    expect(report).toBe(seen.reports[0]);
    expect(report?.status).toBe('failed');
    expect(
      report?.attempts.map(({ metadata, waitedSeconds, error: failure }) => [
        metadata.timeout_seconds,
        metadata.admission_waited_seconds?.toFixed(6),
        waitedSeconds.toFixed(6),
        failure?.retryable,
      ]),
    ).toEqual([
      [10, '0.000000', '0.500000', true],
      [10, '0.214286', '1.000000', true],
      [10, '0.020408', '2.000000', true],
      [10, '0.000000', '0.000000', true],
    ]);
    expect(report?.metadata).toMatchObject({ ...GITHUB, shield_gave_up: 'attempts_exhausted' });
    expect(report?.metadata.admission_wait_seconds).toBeCloseTo(0.234694, 6);
    expect(report?.durationSeconds).toBeCloseTo(3.734694, 6);
    expect(report?.metadata).not.toHaveProperty('shield_recovered_by');
  });

  it('says a timeout of the shield as a timed-out attempt', async () => {
    const seen = client(hangs);
    const error = await seen.outcome();
    expect(error).toMatchObject({ name: 'OperationTimeoutError', scope: 'attempt' });
    const [report] = seen.reports;
    expect(report?.status).toBe('timed_out');
    expect(
      report?.attempts.map(({ status, durationSeconds }) => [status, durationSeconds.toFixed(6)]),
    ).toEqual([
      ['timed_out', '10.000000'],
      ['timed_out', '25.000000'],
      ['timed_out', '25.000000'],
      ['timed_out', '25.000000'],
    ]);
    expect(report?.metadata).toMatchObject({ outcome_unknown: true, shield_gave_up: 'attempts_exhausted' });
    expect(seen.clock.pendingTimers).toBe(0);
  });

  it('says that an empty budget ended it', async () => {
    const seen = client(slow, { profile: 'slow' });
    await seen.outcome();
    const error = await seen.outcome();
    expect(seen.metadata()).toMatchObject({ shield_gave_up: 'budget_exhausted', shield_profile: 'slow' });
    expect(error.notes.at(-1)).toMatch(
      /^shield: budget exhausted after 3\/4 attempts in \d+\.\d\ds \(slow profile\)$/,
    );
    expect(seen.reports.at(-1)?.attempts).toHaveLength(3);
  });

  it('says that the failure was not worth another try', async () => {
    const seen = client(broken);
    await seen.outcome();
    expect(seen.metadata()).toMatchObject({ shield_gave_up: 'non_retryable' });
    expect(seen.reports[0]?.attempts).toHaveLength(1);
  });

  it('says that it was not admitted, and that nothing was called', async () => {
    const upstream = new Upstream(gives('up'));
    const seen = client(upstream.call, { maxRate: 1, whenLimited: 'reject' });
    await seen.outcome();
    const error = await seen.outcome();
    expect(error.name).toBe('ShieldLimitedError');
    expect(upstream.calls).toHaveLength(1);
    expect(seen.metadata()).toMatchObject({ shield_gave_up: 'not_admitted', admission_refused: true });
    expect(seen.metadata()).not.toHaveProperty('timeout_seconds');
    expect(seen.metadata()).not.toHaveProperty('outcome_unknown');
  });

  it('says who stood in', async () => {
    const seen = client(broken, { fallback: () => 'stand-in' });
    expect(await seen.outcome()).toBe('stand-in');
    expect(seen.metadata()).toMatchObject({
      ...GITHUB,
      shield_gave_up: 'non_retryable',
      shield_recovered_by: 'fallback',
      fallback_used: true,
      fallback_candidate_name: 'fallback',
    });
    expect(seen.reports[0]?.attempts.map(({ status, fallback }) => [status, fallback])).toEqual([
      ['failed', false],
      ['succeeded', true],
    ]);
  });

  it('says that the deadline left no time for another try', async () => {
    const seen = client(slow, { beside: { deadline: 0.3 } });
    const error = await seen.outcome();
    expect(error).toBeInstanceOf(TooSlow);
    expect(seen.metadata()).toMatchObject({ deadline_exhausted: true, shield_gave_up: 'deadline_exhausted' });
    expect(error.notes).toEqual(['shield: deadline exhausted after 1/4 attempts in 0.00s (api profile)']);
  });

  it('says the same where a sink used up the time for another try', async () => {
    const clock = new FakeClock();
    const late = sinkThat('retry.scheduled', () => sleep(clock, 60));
    const seen = client(slow, { clock, sinks: [late], beside: { deadline: '30s' } });
    expect(await seen.outcome()).toBeInstanceOf(TooSlow);
    expect(seen.metadata()).toMatchObject({ deadline_exhausted: true, shield_gave_up: 'deadline_exhausted' });
    expect(seen.told('shield.gave_up')).toEqual([
      { shield_name: 'github', profile: 'api', reason: 'deadline_exhausted', attempt_count: 1 },
    ]);
  });

  it('counts in the note of its error from the start of the call, whenever that was', async () => {
    const seen = client(slow, { beside: { deadline: 0.3 } });
    await seen.clock.advance('1m');
    const error = await seen.outcome();
    expect(error.notes).toEqual(['shield: deadline exhausted after 1/4 attempts in 0.00s (api profile)']);
  });

  it('ends with the deadline while it waits to be admitted, and nothing is unknown', async () => {
    const upstream = new Upstream(gives('up'));
    const seen = client(upstream.call, { maxRate: 1, beside: { deadline: 0.5 } });
    await seen.outcome();
    const error = await seen.outcome();
    expect(error).toMatchObject({ name: 'OperationTimeoutError', scope: 'deadline', outcomeUnknown: false });
    expect(upstream.calls).toHaveLength(1);
    expect(seen.metadata()).not.toHaveProperty('outcome_unknown');
    expect(seen.metadata()).not.toHaveProperty('timeout_seconds');
    expect(seen.metadata().admission_waited_seconds).toBe(0.5);
    expect(seen.shield.snapshot().waiting).toBe(0);
    expect(seen.clock.pendingTimers).toBe(0);
  });

  it('cuts an attempt to what is left of the deadline, which says nothing about the dependency', async () => {
    const seen = client(hangs, { beside: { deadline: 3 }, fallback: () => 'never' });
    const error = await seen.outcome();
    expect(error).toMatchObject({ name: 'OperationTimeoutError', scope: 'deadline', outcomeUnknown: true });
    expect(seen.shield.snapshot()).toMatchObject({ engaged: false, samples: 0, budget: 20 });
    expect(error).not.toHaveProperty('notes');
    expect(seen.clock.pendingTimers).toBe(0);
  });

  it('counts a latency from when the method began to when it ended [S125]', async () => {
    const seen = client(async () => undefined, { maxRate: 1 });
    const waiting = client((...args) => after(waiting.clock, 0.4, gives(args[0]))(), { maxRate: 1 });
    await waiting.clock.settle(Promise.all([waiting.visit(1), waiting.visit(2)]));
    expect(waiting.shield.snapshot()).toMatchObject({ samples: 2, p50Seconds: 0.4, timeoutSeconds: 1 });
    expect(seen.shield.snapshot().p50Seconds).toBeNull();
  });
});
