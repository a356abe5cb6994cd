import { describe, expect, it } from '@jest/globals';
import { CircuitBreaker, fallbackChain, type ExecutionReport } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import {
  ACCEPTED,
  CALL,
  delayed,
  isGood,
  NO_DELAY,
  PRIMARY,
  REFUSED,
  REJECTED,
  UNCHECKED,
} from './metadata-keys.js';
import {
  everySeconds,
  gives,
  hangs,
  openBreaker,
  rejects,
  scene,
  throws,
  Upstream,
  type Step,
} from './support.js';

const failing = rejects(new Error('no'));

async function reportOfCall(
  fn: Step,
  options: Parameters<typeof scene>[1] = {},
  clock = new FakeClock(),
): Promise<ExecutionReport> {
  const { run, reports } = scene(fn, options, clock);
  await clock.settle(run().catch(() => undefined));
  expect(reports).toHaveLength(1);
  return reports[0] as ExecutionReport;
}

/** The metadata of each attempt; that of the report is the last one's with the facts of the call, always. */
async function metadataOf(...call: Parameters<typeof reportOfCall>): Promise<object[]> {
  const report = await reportOfCall(...call);
  expect(report.metadata).toEqual({ ...report.lastAttempt?.metadata, ...CALL });
  expect(Object.isFrozen(report.metadata)).toBe(true);
  return report.attempts.map((attempt) => ({ ...attempt.metadata }));
}

describe('metadata of attempts and reports', () => {
  it('of a success with a closed breaker says that it let the call through [R195]', async () => {
    const circuitBreaker = new CircuitBreaker({ failureThreshold: 1 });
    expect(await metadataOf(gives(1), { circuitBreaker })).toEqual([{ ...PRIMARY, ...UNCHECKED }]);
    expect(circuitBreaker.state).toBe('closed');
  });

  it('of a refusal by the breaker says so in the attempt, in the report and by the type of the error [R196]', async () => {
    const clock = new FakeClock();
    const circuitBreaker = await openBreaker(clock);
    const upstream = new Upstream(gives(1));
    const report = await reportOfCall(upstream.call, { circuitBreaker }, clock);
    const refused = { ...PRIMARY, ...REFUSED, ...UNCHECKED, ...NO_DELAY };
    expect(report.attempts.map((attempt) => attempt.metadata)).toEqual([refused]);
    expect(report.metadata).toEqual({ ...refused, ...CALL });
    expect(report.lastError?.type).toBe('CircuitBreakerOpenError');
    expect(upstream.calls).toEqual([]);
  });

  it('of a value that passes or fails its check', async () => {
    expect(await metadataOf(gives('good'), { validate: isGood })).toEqual([{ ...PRIMARY, ...ACCEPTED }]);
    expect(await metadataOf(gives('bad'), { validate: isGood })).toEqual([
      { ...PRIMARY, ...REJECTED, ...NO_DELAY },
    ]);
  });

  it('of a check that throws says nothing of a check', async () => {
    const validate = throws(new TypeError('broken check'));
    expect(await metadataOf(gives('good'), { validate: validate as never })).toEqual([
      { ...PRIMARY, ...UNCHECKED, ...NO_DELAY },
    ]);
  });

  it('of a failure shows the chosen delay, also after the last attempt, and none where it is not retryable', async () => {
    const backoff = { delayForRetry: (retry: number) => retry * 2 };
    expect(await metadataOf(failing, { retries: 2, backoff })).toEqual([
      { ...PRIMARY, ...UNCHECKED, ...delayed(2) },
      { ...PRIMARY, ...UNCHECKED, ...delayed(4) },
      { ...PRIMARY, ...UNCHECKED, ...delayed(6) },
    ]);
    expect(await metadataOf(failing, { retries: 2, retryOn: [RangeError] })).toEqual([
      { ...PRIMARY, ...UNCHECKED, ...NO_DELAY },
    ]);
  });

  it('of a timeout is that of any other failure, and the report says that the outcome is not known', async () => {
    const report = await reportOfCall(hangs, { timeout: 1 });
    const attempt = { ...PRIMARY, ...UNCHECKED, ...NO_DELAY };
    expect(report.attempts.map(({ metadata }) => metadata)).toEqual([attempt]);
    expect(report.metadata).toEqual({ ...attempt, ...CALL, outcome_unknown: true });
  });

  it('of an attempt that was made only to be refused keeps the delay that was chosen', async () => {
    const circuitBreaker = new CircuitBreaker({ failureThreshold: 1 });
    expect(await metadataOf(failing, { circuitBreaker, retries: 3, backoff: everySeconds(2) })).toEqual([
      { ...PRIMARY, ...UNCHECKED, ...delayed(2) },
      { ...PRIMARY, ...REFUSED, ...UNCHECKED, ...delayed(2) },
    ]);
  });

  it('of a fallback names the candidate that gave the value, and how many failed before it', async () => {
    const fallbacks = fallbackChain(
      ['cache', failing],
      ['replica', gives('bad')],
      ['default', gives('good')],
    );
    expect(await metadataOf(failing, { fallbacks, validate: isGood })).toEqual([
      { ...PRIMARY, ...UNCHECKED, ...NO_DELAY },
      {
        fallback_used: true,
        fallback_failed: false,
        fallback_candidate_name: 'default',
        fallback_candidate_index: 2,
        fallback_failure_count: 2,
        circuit_breaker_open: false,
        ...ACCEPTED,
      },
    ]);
  });

  it('of a failed chain counts its failures', async () => {
    const fallbacks = fallbackChain(['cache', failing], ['default', gives('bad')]);
    expect((await metadataOf(failing, { fallbacks, validate: isGood })).at(-1)).toEqual({
      fallback_used: true,
      fallback_failed: true,
      fallback_failure_count: 2,
      circuit_breaker_open: false,
      ...UNCHECKED,
    });
  });

  it('of a chain that stops at a failure outside its filter counts none, and shows a rejected value as such', async () => {
    const stopped = {
      fallback_used: true,
      fallback_failed: true,
      fallback_failure_count: 0,
      circuit_breaker_open: false,
    };
    const fallbackOn = (error: unknown) => error instanceof RangeError;
    const primary = rejects(new RangeError('no'));
    const thrown = fallbackChain(['a', failing], ['b', gives('good')], { fallbackOn });
    expect((await metadataOf(primary, { fallbacks: thrown, validate: isGood })).at(-1)).toEqual({
      ...stopped,
      ...UNCHECKED,
    });
    const rejected = fallbackChain(['a', gives('bad')], ['b', gives('good')], { fallbackOn });
    expect((await metadataOf(primary, { fallbacks: rejected, validate: isGood })).at(-1)).toEqual({
      ...stopped,
      ...REJECTED,
    });
  });

  it('of the deadline says that it left no room for another try, and only then', async () => {
    const options = { retries: 3, backoff: everySeconds(10), deadline: '5s' } as const;
    const cut = await reportOfCall(failing, options);
    expect(cut.metadata).toEqual({
      ...PRIMARY,
      ...UNCHECKED,
      ...delayed(10),
      ...CALL,
      deadline_exhausted: true,
    });
    const stopped = await reportOfCall(failing, { ...options, retryOn: [RangeError] });
    expect(stopped.metadata).toEqual({ ...PRIMARY, ...UNCHECKED, ...NO_DELAY, ...CALL });
    const usedUp = await reportOfCall(failing, { ...options, retries: 1, backoff: everySeconds(1) });
    expect(usedUp.metadata).toEqual({ ...PRIMARY, ...UNCHECKED, ...delayed(1), ...CALL });
  });

  it('of a call that a fallback saves after the deadline was met keeps that fact', async () => {
    const options = {
      retries: 1,
      backoff: everySeconds(10),
      deadline: '5s',
      fallback: gives('good'),
    } as const;
    const { metadata } = await reportOfCall(failing, options);
    expect(metadata.deadline_exhausted).toBe(true);
    expect(metadata.fallback_used).toBe(true);
  });
});
