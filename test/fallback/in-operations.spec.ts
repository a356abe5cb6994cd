import { describe, expect, it } from '@jest/globals';
import {
  currentAttempt,
  fallbackChain,
  FallbackChainError,
  OperationTimeoutError,
  RetryPolicy,
  TimeoutPolicy,
  type ExecutionReport,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import {
  after,
  build,
  everySeconds,
  gives,
  hangs,
  rejects,
  scene,
  story,
  Upstream,
} from '../operation/support.js';

const down = new Error('down');
const noRetry = {
  rate_limit_encountered: false,
  rate_limit_wait_seconds: 0,
  rate_limit_wait_exceeded: false,
};
const unchecked = {
  validation_performed: false,
  validation_valid: null,
  validation_validator_name: null,
  validation_reason: null,
};

/** Number, kind and status of each attempt. */
const attempts = (report: ExecutionReport) =>
  report.attempts.map(({ attemptNumber, fallback, status }) => [attemptNumber, fallback, status]);

describe('a fallback of an operation', () => {
  it('answers after one primary failure: two attempts, and metadata that say so [R106]', async () => {
    const { result, sink } = scene(rejects(down), { fallbacks: fallbackChain(['cache', gives('cached')]) });
    const { value, report } = await result('key');
    expect(value).toBe('cached');
    expect(report.status).toBe('succeeded');
    expect(attempts(report)).toEqual([
      [1, false, 'failed'],
      [2, true, 'succeeded'],
    ]);
    const ofFallback = {
      fallback_used: true,
      fallback_failed: false,
      fallback_candidate_name: 'cache',
      fallback_candidate_index: 0,
      fallback_failure_count: 0,
      circuit_breaker_open: false,
      ...unchecked,
    };
    expect(report.lastAttempt?.metadata).toEqual(ofFallback);
    expect(report.metadata).toEqual({ ...ofFallback, ...noRetry });
    expect(report.lastError).toMatchObject({ type: 'Error', message: 'down', retryable: false });
    expect(story(sink)).toBe('OS AS AF fallback.started fallback.succeeded AOK OOK');
  });

  it('answers only when the retries are used up [R107]', async () => {
    const upstream = new Upstream(rejects(down));
    const fallback = new Upstream(gives('F'));
    const seen: number[] = [];
    const { result, clock } = scene(upstream.call, {
      retries: 2,
      backoff: everySeconds(5),
      fallback: () => (seen.push(upstream.calls.length, clock.monotonicMs()), fallback.call()),
    });
    const { report } = await result();
    expect(seen).toEqual([3, 10_000]);
    expect(attempts(report).map(([, isFallback]) => isFallback)).toEqual([false, false, false, true]);
    expect(fallback.calls).toHaveLength(1);
  });

  it('reports how many candidates failed, and the index of the second one [R108]', async () => {
    const { result } = scene(rejects(down), {
      fallbacks: fallbackChain(['cache', rejects(new Error('no cache'))], ['default', gives('D')]),
    });
    const { value, report } = await result();
    expect(value).toBe('D');
    expect(attempts(report)).toHaveLength(2);
    expect(report.metadata).toMatchObject({
      fallback_used: true,
      fallback_failed: false,
      fallback_candidate_name: 'default',
      fallback_candidate_index: 1,
      fallback_failure_count: 1,
    });
  });

  it('that fails with all its candidates makes the execution error: the chain is its cause [R109]', async () => {
    const failures = [new Error('no cache'), 'no default'];
    const { failure, sink } = scene(rejects(down), {
      fallbacks: fallbackChain(['cache', rejects(failures[0])], ['default', rejects(failures[1])]),
    });
    const { cause, report } = await failure();
    expect(cause).toBeInstanceOf(FallbackChainError);
    expect((cause as FallbackChainError).failures).toEqual(failures);
    expect((cause as FallbackChainError).primaryFailure).toBe(down);
    expect((cause as FallbackChainError).cause).toBe('no default');
    expect(report.status).toBe('failed');
    expect(report.metadata).toEqual({
      fallback_used: true,
      fallback_failed: true,
      fallback_failure_count: 2,
      circuit_breaker_open: false,
      ...unchecked,
      ...noRetry,
    });
    expect(report.lastAttempt?.error).toMatchObject({ type: 'FallbackChainError', retryable: false });
    expect(story(sink)).toBe('OS AS AF fallback.started fallback.failed AF OF');
  });

  it('is never called after a primary success [R110]', async () => {
    const fallback = new Upstream(gives('never'));
    const upstream = new Upstream(rejects(down), gives('up'));
    const { result } = scene(upstream.call, {
      retries: 1,
      backoff: everySeconds(0),
      fallback: fallback.call,
    });
    const { value, report } = await result();
    expect([value, fallback.calls, report.metadata.fallback_used]).toEqual(['up', [], false]);
    expect('fallback_failed' in report.metadata).toBe(false);
  });

  it('is not called for a primary failure outside its filter: that is the cause, and no attempt is added [R111]', async () => {
    const fallback = new Upstream(gives('never'));
    const { failure, sink } = scene(rejects(down), { fallback: fallback.call, fallbackOn: [RangeError] });
    const { cause, report } = await failure();
    expect(cause).toBe(down);
    expect(fallback.calls).toEqual([]);
    expect(attempts(report)).toEqual([[1, false, 'failed']]);
    expect(report.metadata.fallback_used).toBe(false);
    expect(story(sink)).toBe('OS AS AF OF');
  });

  it('ends at a candidate whose failure is outside its filter: that is the cause [R111]', async () => {
    const last = new Upstream(gives('never'));
    const unmatched = new TypeError('a mistake');
    const { failure } = scene(rejects(new RangeError('down')), {
      fallbacks: fallbackChain(
        ['a', rejects(new RangeError('1'))],
        ['b', rejects(unmatched)],
        ['c', last.call],
        { fallbackOn: [RangeError] },
      ),
    });
    const { cause, report } = await failure();
    expect(cause).toBe(unmatched);
    expect(last.calls).toEqual([]);
    expect(report.metadata).toMatchObject({ fallback_failed: true, fallback_failure_count: 0 });
    expect(report.lastAttempt?.error).toMatchObject({ type: 'TypeError' });
  });

  it('is one attempt, marked as fallback and numbered last, with its own start and duration [R117]', async () => {
    const clock = new FakeClock();
    const slowly = (answer: () => unknown) => after(clock, 3, answer);
    const { result } = scene(
      slowly(rejects(down)),
      { fallbacks: fallbackChain(['a', slowly(rejects(down))], ['b', slowly(gives('b'))]) },
      clock,
    );
    const { report } = await result();
    expect(
      report.attempts.map((attempt) => [
        attempt.attemptNumber,
        attempt.fallback,
        attempt.startedAt.toISOString(),
        attempt.durationSeconds,
      ]),
    ).toEqual([
      [1, false, '2026-01-01T00:00:00.000Z', 3],
      [2, true, '2026-01-01T00:00:03.000Z', 6],
    ]);
    expect(report.durationSeconds).toBe(9);
  });

  it.each([
    ['succeeds', gives('F')],
    ['fails', rejects(new Error('no cache'))],
  ])('that %s is counted as an attempt, and not as a retry [R118, R119]', async (_, answer) => {
    const { run, sink, reports, clock } = scene(rejects(down), {
      retries: 2,
      backoff: everySeconds(1),
      fallback: answer,
    });
    await clock.settle(run().catch(() => undefined));
    const [report] = reports;
    expect([report?.retryCount, report?.attemptCount, report?.retried]).toEqual([2, 4, true]);
    expect(sink.events().at(-1)?.payload).toMatchObject({ retry_count: 2, attempt_count: 4 });
    expect(report?.toJSON()).toMatchObject({ retry_count: 2, attempt_count: 4 });
  });

  it('does not make a call one that was retried [R118]', async () => {
    const { report } = await scene(rejects(down), { fallback: gives('F') }).result();
    expect([report.retryCount, report.retried, report.attemptCount]).toEqual([0, false, 2]);
  });

  it('is not retried, candidate by candidate [R120]', async () => {
    const [first, second] = [new Upstream(rejects(down)), new Upstream(rejects(down))];
    const { failure } = scene(rejects(down), {
      retries: 3,
      backoff: everySeconds(1),
      fallbacks: fallbackChain(['a', first.call], ['b', second.call]),
    });
    await failure();
    expect([first.calls.length, second.calls.length]).toEqual([1, 1]);
  });

  it('survives the other builder calls, before and after it [R121]', async () => {
    const clock = new FakeClock();
    const others = {
      retry: new RetryPolicy({ maxAttempts: 1 }),
      timeout: new TimeoutPolicy(5),
      idempotent: true,
    };
    const fallbacks = fallbackChain(['cache', gives('cached')]);
    for (const policies of [
      { fallbacks, ...others },
      { ...others, fallbacks },
    ]) {
      expect((await clock.settle(build(hangs, policies, clock).run())).value).toBe('cached');
    }
  });

  it('that fails after a primary timeout makes the call failed, not timed out [R123]', async () => {
    const { failure } = scene(hangs, { timeout: 1, fallback: rejects(new Error('no cache')) });
    const { report, cause } = await failure();
    expect(report.status).toBe('failed');
    expect(attempts(report)).toEqual([
      [1, false, 'timed_out'],
      [2, true, 'failed'],
    ]);
    expect((cause as FallbackChainError).primaryFailure).toBeInstanceOf(OperationTimeoutError);
  });

  it('that rethrows the very timeout of the primary attempt fails all the same [R123]', async () => {
    const rethrow = () => {
      throw currentAttempt().lastError;
    };
    const { report, cause } = await scene(hangs, { timeout: 1, fallback: rethrow }).failure();
    expect(report.status).toBe('failed');
    const { failures, primaryFailure } = cause as FallbackChainError;
    expect(failures).toEqual([primaryFailure]);
    expect(primaryFailure).toBeInstanceOf(OperationTimeoutError);
  });

  it('that is not meant for the failed fallbacks of a call inside leaves their error as it is', async () => {
    const inner = new FallbackChainError([new RangeError('stale')], down);
    const { failure } = scene(rejects(inner), { fallback: gives('never'), fallbackOn: [TypeError] });
    const { cause } = await failure();
    expect(cause).toBe(inner);
  });
});
