import {
  CircuitBreaker,
  ConcurrencyLimit,
  fallbackChain,
  IdempotencyPolicy,
  RateLimitPolicy,
  RetryPolicy,
  validationPolicy,
  type EventType,
} from '../../lib/index.js';
import type { FakeClock } from '../../lib/testing/index.js';
import {
  after,
  everySeconds,
  gives,
  recoveredBreaker,
  rejects,
  Upstream,
  type Policies,
  type Step,
} from './support.js';
import { isGood } from './metadata-keys.js';

/** A call in the course of which certain events happen. */
export interface Story {
  readonly upstream: Upstream;
  readonly standIn: Upstream;
  readonly breaker: CircuitBreaker;
  readonly policies: Policies;
}

/** A probe that succeeds, and is checked. */
async function goodProbe(clock: FakeClock): Promise<Story> {
  return storyOf(gives('good'), gives('good'), await recoveredBreaker(clock), 1);
}

/** Bad values open the breaker, which refuses the third attempt; the fallback's value is bad, too. */
async function goesWrong(): Promise<Story> {
  return storyOf(gives('bad'), gives('bad'), new CircuitBreaker({ name: 'b', failureThreshold: 2 }), 3);
}

async function savedByFallback(): Promise<Story> {
  return storyOf(rejects(new Error('no')), gives('good'), new CircuitBreaker({ name: 'b' }), 1);
}

/** A provider asks for more patience than there is. */
async function askedToWaitTooLong(): Promise<Story> {
  const limited = rejects(new RateLimited('slow down'));
  const story = storyOf(limited, gives('good'), new CircuitBreaker({ name: 'b' }), 2);
  const rateLimit = new RateLimitPolicy({ rateLimitOn: [RateLimited], retryAfter: () => 61 });
  return { ...story, policies: { ...story.policies, rateLimit } };
}

/** Nobody can be asked who owns the key, and the call goes on without. */
async function storeIsAway(): Promise<Story> {
  const store = { claim: () => Promise.reject(new Error('the store is away')) };
  const idempotency = new IdempotencyPolicy({ key: () => 'k', store, onStoreError: 'run' });
  const story = storyOf(gives('good'), gives('good'), new CircuitBreaker({ name: 'b' }), 1);
  return { ...story, policies: { ...story.policies, idempotency } };
}

/** There is a place after a second. */
async function waitsForItsPlace(clock: FakeClock): Promise<Story> {
  return storyWithLimit(clock, 1);
}

async function findsNoPlace(clock: FakeClock): Promise<Story> {
  return storyWithLimit(clock, 0);
}

/** Somebody else has the only place, for a second. */
async function storyWithLimit(clock: FakeClock, size: number): Promise<Story> {
  const concurrencyLimit = new ConcurrencyLimit({ name: 'pool', maxConcurrent: 1, queue: { size }, clock });
  void concurrencyLimit.run(after(clock, 1, gives('done')));
  const story = storyOf(gives('good'), gives('good'), new CircuitBreaker({ name: 'b' }), 1);
  return { ...story, policies: { ...story.policies, concurrencyLimit } };
}

class RateLimited extends Error {}

function storyOf(primary: Step, fallback: Step, breaker: CircuitBreaker, maxAttempts: number): Story {
  const upstream = new Upstream(primary);
  const standIn = new Upstream(fallback);
  const policies = {
    retry: new RetryPolicy({ maxAttempts, backoff: everySeconds(1) }),
    circuitBreaker: breaker,
    validation: validationPolicy(isGood),
    fallbacks: fallbackChain(['stand-in', standIn.call]),
  };
  return { upstream, standIn, breaker, policies };
}

/**
 * What is told while a call can still be ended: neither what comes after its end, nor what is of no call. The events of
 * shields have tests of their own beside those.
 */
type ToldWithinCall = Exclude<
  EventType,
  'idempotency.not_kept' | 'circuit_breaker.sharing_changed' | `shield.${string}`
>;

/** For every type of event a call in which it happens. */
export const STORIES = {
  'operation.started': goodProbe,
  'circuit_breaker.half_opened': goodProbe,
  'attempt.started': goodProbe,
  'validation.succeeded': goodProbe,
  'circuit_breaker.closed': goodProbe,
  'attempt.succeeded': goodProbe,
  'operation.succeeded': goodProbe,
  'validation.failed': goesWrong,
  'attempt.failed': goesWrong,
  'rate_limit.detected': askedToWaitTooLong,
  'rate_limit.wait_exceeded': askedToWaitTooLong,
  'retry.scheduled': goesWrong,
  'circuit_breaker.opened': goesWrong,
  'circuit_breaker.rejected': goesWrong,
  'fallback.started': goesWrong,
  'fallback.failed': goesWrong,
  'operation.failed': goesWrong,
  'fallback.succeeded': savedByFallback,
  'idempotency.store_failed': storeIsAway,
  'concurrency_limit.waited': waitsForItsPlace,
  'concurrency_limit.rejected': findsNoPlace,
} satisfies Record<ToldWithinCall, (clock: FakeClock) => Promise<Story>>;

export const EVENT_TYPES = Object.keys(STORIES) as ToldWithinCall[];
