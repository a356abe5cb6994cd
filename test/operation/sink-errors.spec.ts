import { describe, expect, it } from '@jest/globals';
import { EventEmitter, InMemoryEventSink, reportOf, resultOf, type EventType } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { EVENT_TYPES, STORIES } from './every-event.js';
import { build, gives, recoveredBreaker, rejection, rejects, scene, sinkThat, Upstream } from './support.js';

const broken = new RangeError('disk full');
const ways = {
  'thrown at once': () => {
    throw broken;
  },
  'that comes later': () => Promise.reject(broken),
};

describe.each(Object.entries(ways))('an error of an event sink %s', (_way, fail) => {
  it.each(EVENT_TYPES)('at %s reaches the caller as it is, and nothing follows [R259]', async (eventType) => {
    const clock = new FakeClock();
    const { upstream, standIn, policies } = await STORIES[eventType](clock);
    const [before, later] = [new InMemoryEventSink(), new InMemoryEventSink()];
    const calls = () => upstream.calls.length + standIn.calls.length;
    let callsAtFailure = -1;
    const sink = sinkThat(eventType, () => {
      callsAtFailure = calls();
      return fail();
    });
    const events = new EventEmitter({ sinks: [before, sink, later] });
    const error: unknown = await clock.settle(
      rejection(build(upstream.call, { ...policies, events }, clock).run()),
    );
    await clock.advance('1h');

    expect(error).toBe(broken);
    expect(before.sequence().at(-1)).toBe(eventType);
    expect(before.sequence().filter((type) => type === eventType)).toHaveLength(1);
    expect(later.sequence()).toEqual(before.sequence().slice(0, -1));
    expect(calls()).toBe(callsAtFailure);
    expect(clock.pendingTimers).toBe(0);
    expect(reportOf(broken)?.status).toBe('failed');
  });
});

describe('a call ended by an event sink', () => {
  async function failAt(
    eventType: EventType,
    options: Parameters<typeof scene>[1] = {},
    clock = new FakeClock(),
  ) {
    const upstream = new Upstream(gives('good'));
    const sink = sinkThat(eventType, ways['thrown at once']);
    const seen = scene(
      upstream.call,
      { retries: 3, ...options, events: new EventEmitter({ sinks: [sink] }) },
      clock,
    );
    const error: unknown = await seen.failure();
    expect(error).toBe(broken);
    return { ...seen, upstream };
  }

  it('is told to onReport, once, with what had happened by then [R259]', async () => {
    const early = await failAt('operation.started');
    expect(early.reports.map(({ status, attempts, metadata }) => [status, attempts, metadata])).toEqual([
      [
        'failed',
        [],
        {
          rate_limit_encountered: false,
          rate_limit_wait_seconds: 0,
          rate_limit_wait_exceeded: false,
          failed_outside_attempt: true,
        },
      ],
    ]);
    const late = await failAt('attempt.succeeded');
    expect(late.reports).toHaveLength(1);
    expect(late.reports[0]?.attempts.map((attempt) => attempt.status)).toEqual(['succeeded']);
    expect(late.reports[0]?.status).toBe('failed');
    expect(late.reports[0]?.metadata.failed_outside_attempt).toBe(true);
  });

  it.each(['attempt.failed', 'retry.scheduled'] as const)(
    'at %s was ended outside of its attempts, though the latest of them had failed',
    async (eventType) => {
      const options = { backoff: { delayForRetry: () => 1 } };
      const upstream = new Upstream(rejects(new Error('down')));
      const sink = sinkThat(eventType, ways['thrown at once']);
      const events = new EventEmitter({ sinks: [sink] });
      const { failure, reports } = scene(upstream.call, { retries: 3, ...options, events });
      expect(await failure()).toBe(broken);
      expect(reports[0]?.attempts.map(({ error }) => error?.type)).toEqual(['Error']);
      expect(reports[0]?.metadata.failed_outside_attempt).toBe(true);
    },
  );

  it('was ended in its attempt where that still ran, with what was known of its value by then', async () => {
    const { reports } = await failAt('validation.succeeded', { validate: () => true });
    expect(reports[0]?.metadata).toMatchObject({ validation_performed: true, validation_valid: true });
    expect(reports[0]?.metadata).not.toHaveProperty('failed_outside_attempt');
  });

  it('is neither repeated nor answered by a fallback [R259]', async () => {
    const standIn = new Upstream(gives('stand-in'));
    const { upstream, reports } = await failAt('validation.succeeded', {
      validate: () => true,
      fallback: standIn.call,
    });
    expect([upstream.calls.length, standIn.calls.length]).toEqual([1, 0]);
    expect(reports[0]?.attempts.map(({ status, error }) => [status, error?.type, error?.retryable])).toEqual([
      ['failed', 'RangeError', false],
    ]);
  });

  it.each(['circuit_breaker.half_opened', 'attempt.started', 'validation.succeeded'] as const)(
    'at %s gives its probe back and records nothing [R259]',
    async (eventType) => {
      const clock = new FakeClock();
      const circuitBreaker = await recoveredBreaker(clock);
      await failAt(eventType, { circuitBreaker, validate: () => true }, clock);
      const { state, halfOpenProbeInFlight, failureCount } = circuitBreaker.snapshot();
      expect([state, halfOpenProbeInFlight, failureCount]).toEqual(['half_open', false, 1]);
    },
  );

  it('rejects the result form with the same error, unwrapped [R259]', async () => {
    const events = new EventEmitter({ sinks: [sinkThat('attempt.started', ways['that comes later'])] });
    const { run, clock } = scene(gives('good'), { events });
    expect(await clock.settle(rejection(resultOf(() => run())))).toBe(broken);
    expect(await clock.settle(run())).toMatchObject({ value: 'good' });
  });

  it('rejects with whatever the sink threw, nothing included [R259]', async () => {
    const sink = sinkThat('attempt.started', () => {
      throw undefined;
    });
    const { run, clock, reports } = scene(gives('good'), {
      retries: 1,
      events: new EventEmitter({ sinks: [sink] }),
    });
    expect(await clock.settle(rejection(run()))).toBeUndefined();
    expect(reports.map((report) => report.status)).toEqual(['failed']);
  });
});
