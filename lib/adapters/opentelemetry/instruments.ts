import type { Meter } from '@opentelemetry/api';
import { TallyCounter } from './tally-counter.js';

/** What calls take over a network, and waits between them: the conventional buckets for HTTP, and two longer ones. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30, 60];
const IN_SECONDS = { unit: 's', advice: { explicitBucketBoundaries: BUCKETS } };

/** All instruments. Names and units are never changed. */
export type Instruments = ReturnType<typeof createInstruments>;

export function createInstruments(meter: Meter) {
  return {
    duration: meter.createHistogram('relprim.operation.duration', {
      description: 'How long calls of an operation took, with all their attempts and waits.',
      ...IN_SECONDS,
    }),
    attempts: TallyCounter.of(meter, 'relprim.operation.attempts', {
      description: 'Attempts of operations, refused ones and fallbacks included.',
      unit: '{attempt}',
    }),
    retryDelay: meter.createHistogram('relprim.retry.delay', {
      description: 'How long calls waited before a retry.',
      ...IN_SECONDS,
    }),
    fallbackCalls: meter.createCounter('relprim.fallback.calls', {
      description: 'Calls that asked their fallback.',
      unit: '{call}',
    }),
    rateLimitWaits: meter.createCounter('relprim.rate_limit.waits', {
      description: 'Waits after a rate limit, and those that were too long to be begun.',
      unit: '{wait}',
    }),
    idempotencyCalls: TallyCounter.of(meter, 'relprim.idempotency.calls', {
      description: 'Calls with an idempotency key, by what the key did for them.',
      unit: '{call}',
    }),
    breakerState: meter.createObservableGauge('relprim.circuit_breaker.state', {
      description: 'Circuit breakers of a name that are in a state: 1 or 0 where there is one breaker.',
      unit: '{breaker}',
    }),
    breakerTransitions: meter.createCounter('relprim.circuit_breaker.transitions', {
      description: 'Changes of the state of circuit breakers.',
      unit: '{transition}',
    }),
    breakerRejections: meter.createCounter('relprim.circuit_breaker.rejections', {
      description: 'Attempts that a circuit breaker refused.',
      unit: '{attempt}',
    }),
    shieldRate: meter.createObservableGauge('relprim.shield.rate', {
      description: 'Calls that a shield lets through in a second, while it limits them.',
      unit: '{call}/s',
    }),
    shieldTimeout: meter.createObservableGauge('relprim.shield.timeout', {
      description: 'The timeout that a shield gives to an attempt now.',
      unit: 's',
    }),
    shieldBudget: meter.createObservableGauge('relprim.shield.budget', {
      description: 'The retries that a shield allows now.',
      unit: '{retry}',
    }),
  };
}
