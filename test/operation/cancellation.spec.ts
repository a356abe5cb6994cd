import { describe, expect, it } from '@jest/globals';
import {
  asyncOperation,
  CircuitBreaker,
  EventEmitter,
  fallbackChain,
  InMemoryEventSink,
  OperationTimeoutError,
  reportOf,
  RetryPolicy,
  TimeoutPolicy,
  validationPolicy,
  validator,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import {
  abortAndRace,
  build,
  everySeconds,
  gives,
  hangs,
  listenersOf,
  recoveredBreaker,
  rejection,
  rejects,
  story,
  Upstream,
  type Policies,
  type Step,
} from './support.js';
import { WAYS, type Start } from './ways-to-cancel.js';

/** A place in a call where it may wait for long. */
interface Place {
  readonly primary: Step;
  readonly policies: Policies;
  /** The attempts in the report of a call that was cancelled there. */
  readonly attempts: readonly string[];
  /** How the story ended there. */
  readonly told: string;
  /** The breaker had learned of a failure before. */
  readonly failureCount: number;
}

const never = validationPolicy(
  validator('never', () => new Promise<boolean>(() => undefined), { message: 'no' }),
);
const failing = rejects(new Error('no'));

const PLACES: Record<string, Place> = {
  attempt: { primary: hangs, policies: {}, attempts: ['cancelled'], told: 'AS', failureCount: 1 },
  'timed attempt': {
    primary: hangs,
    policies: { timeout: new TimeoutPolicy('1m'), deadline: '2m' },
    attempts: ['cancelled'],
    told: 'AS',
    failureCount: 1,
  },
  'asynchronous validator': {
    primary: gives(1),
    policies: { validation: never },
    attempts: ['cancelled'],
    told: 'AS',
    failureCount: 1,
  },
  'back-off wait': {
    primary: failing,
    policies: { retry: new RetryPolicy({ backoff: everySeconds(60) }) },
    attempts: ['failed'],
    told: 'AF retry.scheduled',
    failureCount: 2,
  },
  'fallback candidate': {
    primary: failing,
    policies: { fallbacks: fallbackChain(['first', hangs], ['second', gives('never asked')]) },
    attempts: ['failed', 'cancelled'],
    told: 'AF fallback.started',
    failureCount: 2,
  },
  "fallback's asynchronous validator": {
    primary: failing,
    policies: {
      fallbacks: fallbackChain(['first', gives(1)], ['second', gives('never asked')]),
      validation: never,
    },
    attempts: ['failed', 'cancelled'],
    told: 'AF fallback.started',
    failureCount: 2,
  },
};

const CASES = Object.keys(PLACES).flatMap((place) => Object.keys(WAYS).map((way) => [place, way] as const));

describe('a caller who goes away', () => {
  it.each(CASES)(
    'during the %s, by %s, ends the call at once with its own reason [R36]',
    async (where, way) => {
      const place = PLACES[where] as Place;
      const clock = new FakeClock();
      const sink = new InMemoryEventSink();
      const upstream = new Upstream(place.primary);
      const circuitBreaker = new CircuitBreaker({ clock, failureThreshold: 3 });
      await rejection(circuitBreaker.run(failing));
      const operation = build(
        upstream.call,
        { ...place.policies, circuitBreaker, events: new EventEmitter({ sinks: [sink] }) },
        clock,
      );
      const controller = new AbortController();
      const reason = { why: 'the browser was closed' };

      const promise = (WAYS[way] as Start)(operation, controller.signal, clock);
      await clock.advance('1s');
      const told = story(sink);
      const { order, error } = await abortAndRace(promise, () => controller.abort(reason));
      await clock.advance('1h');

      expect(error).toBe(reason);
      expect(order[0]).toBe('call');
      expect(upstream.calls).toHaveLength(1);
      expect(clock.pendingTimers).toBe(0);
      expect(listenersOf(controller.signal)).toBe(0);
      expect(told.endsWith(place.told)).toBe(true);
      expect(story(sink)).toBe(told);
      expect(circuitBreaker.snapshot().failureCount).toBe(place.failureCount);
      const report = reportOf(reason);
      const isOuter = way === 'an outer attempt';
      expect(report).toMatchObject({ status: 'cancelled', operationName: isOuter ? 'outer' : 'op' });
      expect(report?.durationSeconds).toBe(1);
      // The reason leads to the outermost call, whose attempt was cut.
      const attempts = isOuter ? ['cancelled'] : place.attempts;
      expect(report?.attempts.map((attempt) => attempt.status)).toEqual(attempts);
    },
  );
});

describe('an outer attempt that times out', () => {
  it.each(Object.keys(PLACES))(
    'during the %s of an inner call ends that with its own error',
    async (where) => {
      const place = PLACES[where] as Place;
      const clock = new FakeClock();
      const upstream = new Upstream(place.primary);
      const inner = build(upstream.call, place.policies, clock);
      let started: Promise<unknown> | undefined;
      const outer = asyncOperation('outer', () => (started = inner.run()), { clock }).withTimeout(
        new TimeoutPolicy(5),
      );
      const { cause, report } = await clock.settle(rejection(outer.run()));
      const reason: unknown = await rejection(started as Promise<unknown>);
      expect(reason).toBe(cause);
      expect(reason).toBeInstanceOf(OperationTimeoutError);
      expect(report.status).toBe('timed_out');
      expect(clock.pendingTimers).toBe(0);
      await clock.advance('1h');
      expect(upstream.calls).toHaveLength(1);
    },
  );
});

describe('a caller who has gone away before', () => {
  const beforehand = Object.keys(WAYS).filter((way) => way !== 'an outer attempt');

  it.each(beforehand)('by %s, finds the function not called [R36]', async (way) => {
    const clock = new FakeClock();
    const sink = new InMemoryEventSink();
    const upstream = new Upstream(gives(1));
    const circuitBreaker = await recoveredBreaker(clock);
    const policies = {
      circuitBreaker,
      timeout: new TimeoutPolicy(1),
      events: new EventEmitter({ sinks: [sink] }),
    };
    const controller = new AbortController();
    const reason = { why: 'too late' };
    controller.abort(reason);
    const start = WAYS[way] as Start;
    expect(await rejection(start(build(upstream.call, policies, clock), controller.signal, clock))).toBe(
      reason,
    );
    expect(upstream.calls).toEqual([]);
    expect(sink.events()).toEqual([]);
    expect(circuitBreaker.state).toBe('open');
    expect([clock.pendingTimers, listenersOf(controller.signal)]).toEqual([0, 0]);
    const report = reportOf(reason);
    expect([report?.status, report?.attempts]).toEqual(['cancelled', []]);
  });
});
