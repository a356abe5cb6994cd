import { describe, expect, it } from '@jest/globals';
import {
  CircuitBreaker,
  EventEmitter,
  fallbackChain,
  type AnyEvent,
  type EventType,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import {
  after,
  everySeconds,
  gives,
  recoveredBreaker,
  rejects,
  scene,
  Upstream,
  type Step,
} from './support.js';
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

/** The payload of each event of one call, in order. */
async function payloadsOf(
  fn: Step,
  options: Parameters<typeof scene>[1],
  clock = new FakeClock(),
): Promise<[EventType, object][]> {
  const { run, sink } = scene(fn, options, clock);
  await clock.settle(run().catch(() => undefined));
  for (const event of sink.events()) expectScalars(event);
  return sink.events().map((event) => [event.eventType, { ...event.payload }]);
}

function expectScalars({ payload }: AnyEvent): void {
  for (const value of Object.values(payload)) {
    expect(value === null || ['string', 'number', 'boolean'].includes(typeof value)).toBe(true);
  }
  expect(JSON.parse(JSON.stringify(payload))).toEqual(payload);
}

describe('the payloads of the events', () => {
  it('of a probe that succeeds and is checked [R257, R261]', async () => {
    const clock = new FakeClock();
    const circuitBreaker = await recoveredBreaker(clock, { name: 'payments' });
    const payloads = await payloadsOf(
      after(clock, 0.25, gives('good')),
      { circuitBreaker, validate: isGood, timeout: 3 },
      clock,
    );
    const succeeded = { ...PRIMARY, ...ACCEPTED };
    expect(payloads).toEqual([
      [
        'operation.started',
        {
          retry_enabled: false,
          timeout_enabled: true,
          fallback_enabled: false,
          circuit_breaker_enabled: true,
          validation_enabled: true,
          rate_limit_enabled: false,
        },
      ],
      [
        'circuit_breaker.half_opened',
        { breaker_name: 'payments', from_state: 'open', to_state: 'half_open', failure_count: 1 },
      ],
      ['attempt.started', { attempt_number: 1, max_attempts: 1 }],
      ['validation.succeeded', { attempt_number: 1, validator_name: 'validation_policy' }],
      [
        'circuit_breaker.closed',
        { breaker_name: 'payments', from_state: 'half_open', to_state: 'closed', failure_count: 0 },
      ],
      ['attempt.succeeded', { attempt_number: 1, duration_seconds: 0.25, ...succeeded }],
      [
        'operation.succeeded',
        { duration_seconds: 0.25, attempt_count: 1, retry_count: 0, ...succeeded, ...CALL },
      ],
    ]);
  });

  it('of rejected values that open the breaker, of its refusal, and of a chain of which every candidate fails [R257, R261]', async () => {
    const circuitBreaker = new CircuitBreaker({ name: 'payments', failureThreshold: 2, recoveryTimeout: 30 });
    const fallbacks = fallbackChain(['cache', gives('bad')], ['default', rejects(new RangeError('none'))]);
    const options = { circuitBreaker, fallbacks, validate: isGood, retries: 4, backoff: everySeconds(2) };
    const failed = { ...PRIMARY, ...REJECTED, ...delayed(2) };
    const scheduled = { delay_source: 'backoff', rate_limited: false, retry_after_seconds: null };
    const refused = { ...PRIMARY, ...REFUSED, ...UNCHECKED, ...delayed(2) };
    const fallback = {
      fallback_used: true,
      fallback_failed: true,
      fallback_failure_count: 2,
      circuit_breaker_open: false,
      ...UNCHECKED,
    };
    expect(await payloadsOf(gives('bad'), options)).toEqual([
      [
        'operation.started',
        {
          retry_enabled: true,
          timeout_enabled: false,
          fallback_enabled: true,
          circuit_breaker_enabled: true,
          validation_enabled: true,
          rate_limit_enabled: false,
        },
      ],
      ['attempt.started', { attempt_number: 1, max_attempts: 5 }],
      ['validation.failed', { attempt_number: 1, validator_name: 'is good', reason: 'it is not' }],
      [
        'attempt.failed',
        {
          attempt_number: 1,
          duration_seconds: 0,
          error_type: 'ValidationFailedError',
          retryable: true,
          ...failed,
        },
      ],
      ['retry.scheduled', { attempt_number: 1, next_attempt_number: 2, delay_seconds: 2, ...scheduled }],
      ['attempt.started', { attempt_number: 2, max_attempts: 5 }],
      ['validation.failed', { attempt_number: 2, validator_name: 'is good', reason: 'it is not' }],
      [
        'circuit_breaker.opened',
        {
          breaker_name: 'payments',
          from_state: 'closed',
          to_state: 'open',
          failure_count: 2,
          opened_by: 'consecutive_failures',
        },
      ],
      [
        'attempt.failed',
        {
          attempt_number: 2,
          duration_seconds: 0,
          error_type: 'ValidationFailedError',
          retryable: true,
          ...failed,
        },
      ],
      ['retry.scheduled', { attempt_number: 2, next_attempt_number: 3, delay_seconds: 0, ...scheduled }],
      ['attempt.started', { attempt_number: 3, max_attempts: 5 }],
      [
        'circuit_breaker.rejected',
        {
          attempt_number: 3,
          breaker_name: 'payments',
          state: 'open',
          reason: 'consecutive_failures',
          retry_after_seconds: 30,
        },
      ],
      [
        'attempt.failed',
        {
          attempt_number: 3,
          duration_seconds: 0,
          error_type: 'CircuitBreakerOpenError',
          retryable: true,
          ...refused,
        },
      ],
      ['fallback.started', { attempt_number: 4, after_primary_attempts: 3 }],
      [
        'validation.failed',
        { attempt_number: 4, validator_name: 'is good', reason: 'it is not', fallback_used: true },
      ],
      [
        'fallback.failed',
        { attempt_number: 4, duration_seconds: 0, error_type: 'FallbackChainError', ...fallback },
      ],
      [
        'attempt.failed',
        {
          attempt_number: 4,
          duration_seconds: 0,
          error_type: 'FallbackChainError',
          retryable: false,
          ...fallback,
        },
      ],
      [
        'operation.failed',
        {
          duration_seconds: 2,
          attempt_count: 4,
          retry_count: 2,
          error_type: 'FallbackChainError',
          ...fallback,
          ...CALL,
        },
      ],
    ]);
  });

  it('of a fallback that takes over, by its second candidate [R257, R261]', async () => {
    const clock = new FakeClock();
    const fallbacks = fallbackChain(['cache', gives('bad')], ['default', after(clock, 0.5, gives('good'))]);
    const failing = rejects(new RangeError('no'));
    const payloads = await payloadsOf(
      failing,
      { fallbacks, validate: isGood, retries: 1, retryOn: [TypeError] },
      clock,
    );
    const succeeded = {
      fallback_used: true,
      fallback_failed: false,
      fallback_candidate_name: 'default',
      fallback_candidate_index: 1,
      fallback_failure_count: 1,
      circuit_breaker_open: false,
      ...ACCEPTED,
    };
    expect(payloads.slice(2)).toEqual([
      [
        'attempt.failed',
        {
          attempt_number: 1,
          duration_seconds: 0,
          error_type: 'RangeError',
          retryable: false,
          ...PRIMARY,
          ...UNCHECKED,
          ...NO_DELAY,
        },
      ],
      ['fallback.started', { attempt_number: 2, after_primary_attempts: 1 }],
      [
        'validation.failed',
        { attempt_number: 2, validator_name: 'is good', reason: 'it is not', fallback_used: true },
      ],
      [
        'validation.succeeded',
        { attempt_number: 2, validator_name: 'validation_policy', fallback_used: true },
      ],
      ['fallback.succeeded', { attempt_number: 2, duration_seconds: 0.5, ...succeeded }],
      ['attempt.succeeded', { attempt_number: 2, duration_seconds: 0.5, ...succeeded }],
      [
        'operation.succeeded',
        { duration_seconds: 0.5, attempt_count: 2, retry_count: 0, ...succeeded, ...CALL },
      ],
    ]);
  });

  it('say the same when they are read after the call as when they are read at once [R257]', async () => {
    const call = () => new Upstream(rejects(new Error('once')), gives('bad'), gives('good')).call;
    const options = { retries: 2, validate: isGood };
    const late = await payloadsOf(call(), options);
    const early: object[] = [];
    const sink = { emit: (event: AnyEvent) => void early.push([event.eventType, { ...event.payload }]) };
    await scene(call(), { ...options, events: new EventEmitter({ sinks: [sink] }) }).result();
    expect(late).toHaveLength(12);
    expect(late).toEqual(early);
  });
});
