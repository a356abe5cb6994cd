import { describe, expect, it } from '@jest/globals';
import {
  asyncOperation,
  CircuitBreaker,
  EventEmitter,
  fallbackChain,
  InMemoryEventSink,
  NoopEventSink,
  reportOf,
  resilient,
  RetryPolicy,
  type EventSink,
  type ExecutionReport,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import {
  abortAndRace,
  build,
  everySeconds,
  gives,
  hangs,
  listenersOf,
  rejects,
  scene,
  story,
  Upstream,
} from '../operation/support.js';
import { WAYS } from '../operation/ways-to-cancel.js';
import { closed, limiting, listening, policy, RateLimitError, steps, totals } from './support.js';

/** A place in a call where it waits for long. */
interface Place {
  readonly upstream: () => Upstream;
  readonly options?: object;
  readonly sink?: EventSink;
  /** The story until there. */
  readonly told: string;
}

const PLACES: Record<string, Place> = {
  'the first attempt': { upstream: () => new Upstream(hangs), told: 'OS AS' },
  'the wait of a back-off': {
    upstream: () => new Upstream(rejects(new Error('other')), gives('never')),
    told: 'OS AS AF retry.scheduled',
  },
  'the wait after a rate limit': {
    upstream: () => limiting(50),
    told: 'OS AS rate_limit.detected AF retry.scheduled',
  },
  'a fallback': {
    upstream: () => closed(61),
    options: { fallbacks: fallbackChain(['first', hangs], ['second', gives('never')]) },
    told: 'OS AS rate_limit.detected rate_limit.wait_exceeded AF fallback.started',
  },
  'an event sink': {
    upstream: () => limiting(50),
    sink: {
      emit: ({ eventType }) => (eventType === 'rate_limit.detected' ? (hangs() as Promise<void>) : undefined),
    },
    told: 'OS AS rate_limit.detected',
  },
};

describe('a caller who goes away', () => {
  it.each(Object.entries(PLACES))(
    'during %s ends the call at once, and nothing follows [R216]',
    async (_place, { upstream, options, sink: second = new NoopEventSink(), told }) => {
      const provider = upstream();
      const { signal, abort } = withAbort();
      const circuitBreaker = new CircuitBreaker();
      const sink = new InMemoryEventSink();
      const events = new EventEmitter({ sinks: [sink, second] });
      const given = { ...listening, ...options, circuitBreaker, signal, events };
      const { run, clock, reports } = scene(provider.call, given);
      const running = run();
      await clock.advance(1);
      const { failureCount } = circuitBreaker.snapshot();
      const reason = new Error('enough');
      const { order, error } = await abortAndRace(running, () => abort(reason));
      expect(error).toBe(reason);
      expect(order[0]).toBe('call');
      await clock.advance('10m');
      expect(story(sink)).toBe(told);
      expect(reports.map(({ status }) => status)).toEqual(['cancelled']);
      expect([provider.calls.length, circuitBreaker.snapshot().failureCount]).toEqual([1, failureCount]);
      expect([clock.pendingTimers, listenersOf(signal)]).toEqual([0, 0]);
    },
  );

  const ways = Object.entries(WAYS).filter(([way]) => way !== 'an outer attempt');
  it.each(ways)('by %s during the wait leaves a true account', async (_way, start) => {
    const clock = new FakeClock();
    const upstream = limiting(5, 50);
    const retry = new RetryPolicy({ backoff: everySeconds(2) });
    const { signal, abort } = withAbort();
    const running = start(build(upstream.call, { retry, rateLimit: policy() }, clock), signal, clock);
    await clock.advance(15);
    const reason = new Error('enough');
    await abortAndRace(running, () => abort(reason));
    const report = reportOf(reason) as ExecutionReport;
    expect(steps(report)).toEqual([
      ['RateLimitError', 5],
      ['RateLimitError', 10],
    ]);
    // What was asked for and what was really waited are two things.
    expect(report.metadata.rate_limit_delay_seconds).toBe(50);
    expect([report.status, ...totals(report)]).toEqual(['cancelled', true, 15, false]);
    expect([clock.pendingTimers, listenersOf(signal), upstream.calls.length]).toEqual([0, 0, 2]);
  });

  it('before the call has nothing asked', async () => {
    const upstream = new Upstream(rejects(new RateLimitError(1)));
    const { run } = scene(upstream.call, { ...listening, signal: AbortSignal.abort(new Error('gone')) });
    await expect(run()).rejects.toThrow('gone');
    expect(upstream.calls).toEqual([]);
  });
});

describe('operations inside operations', () => {
  /** An inner operation that listens, in an outer one. */
  function nested(upstream: Upstream, outer: object) {
    const clock = new FakeClock();
    const inner = resilient({ name: 'inner', clock, ...listening, retries: 1 }, upstream.call);
    return scene(async () => (await inner()).value, outer, clock);
  }

  it('end the wait of the inner one with the attempt of the outer one', async () => {
    const upstream = limiting(50);
    const { failure, clock } = nested(upstream, { timeout: 10 });
    const { report } = await failure();
    expect([report.status, report.durationSeconds, clock.pendingTimers]).toEqual(['timed_out', 10, 0]);
    await clock.advance('10m');
    expect(upstream.calls).toHaveLength(1);
  });

  it('tell the outer one what the inner one was asked to wait', async () => {
    const upstream = new Upstream(rejects(new RateLimitError(61)), gives('ok'));
    const { result } = nested(upstream, { ...listening, maxRateLimitWait: '5m' });
    const { value, report } = await result();
    expect([value, report.durationSeconds, upstream.calls.length]).toEqual(['ok', 61, 2]);
    expect(report.attempts[0]).toMatchObject({
      error: { type: 'OperationExecutionError' },
      metadata: { rate_limited: true, rate_limit_retry_after_seconds: 61 },
    });
    expect(report.causedBy.map(totals)).toEqual([[true, 0, true]]);
  });

  it('have accounts of their own: waits of the inner one are no waits of the outer one', async () => {
    const { result } = nested(limiting(7), listening);
    const { report } = await result();
    expect([report.durationSeconds, ...totals(report)]).toEqual([7, false, 0, false]);
  });

  it('ask the extractor about the failure that was thrown first, in the result form too', async () => {
    const clock = new FakeClock();
    const failure = new RateLimitError(3);
    const innermost = asyncOperation('innermost', () => Promise.reject(failure), { clock });
    const inner = asyncOperation('inner', () => innermost.run(), { clock });
    const asked: unknown[] = [];
    const retryAfter = (error: unknown): number => {
      asked.push(error);
      return 1;
    };
    await scene(() => inner.run(), { ...listening, retries: 1, retryAfter }, clock).failure();
    expect(asked).toEqual([failure, failure]);
    expect(asked[0]).toBe(failure);
  });
});

function withAbort() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: (reason: unknown) => controller.abort(reason) };
}
