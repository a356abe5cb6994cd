import { describe, expect, it } from '@jest/globals';
import { CircuitBreaker, ConcurrencyLimit, type CircuitBreakerOptions } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { after, gives, hangs, rejects, story, Upstream, type Fn } from '../operation/support.js';
import { client, type ClientOptions } from './client.js';
import { gateOf, TooSlow } from './support.js';

/** A client whose shield and breaker go by the same clock. */
function guarded(fn: Fn, { beside, ...options }: ClientOptions = {}, rules: CircuitBreakerOptions = {}) {
  const clock = new FakeClock();
  const breaker = new CircuitBreaker({
    name: 'b',
    failureThreshold: 2,
    recoveryTimeout: 30,
    clock,
    ...rules,
  });
  const seen = client(fn, { ...options, clock, beside: { ...beside, circuitBreaker: breaker } });
  return { ...seen, breaker };
}

const broken = rejects(new RangeError('broken'));
const slow = rejects(new TooSlow('slow'));

describe('a shield with a circuit breaker', () => {
  it('lets nobody queue for a refusal, and lets it pass', async () => {
    const upstream = new Upstream(broken, broken, gives('up'));
    const seen = guarded(upstream.call, { maxRate: 1, fallback: () => 'stand-in', maxWait: 60 });
    await seen.outcome();
    await seen.outcome();
    expect(seen.breaker.state).toBe('open');
    const atMs = seen.clock.monotonicMs();
    const error = await seen.outcome();
    expect(error.name).toBe('CircuitBreakerOpenError');
    expect(seen.clock.monotonicMs()).toBe(atMs);
    expect(upstream.calls).toHaveLength(2);
    expect(seen.metadata()).toMatchObject({ circuit_breaker_open: true, admission_waited_seconds: 0 });
    expect(seen.metadata()).not.toHaveProperty('timeout_seconds');
    expect(error).not.toHaveProperty('notes');
    expect(story(seen.sink).split(' ').slice(-4)).toEqual(['AS', 'circuit_breaker.rejected', 'AF', 'OF']);
    expect(seen.clock.pendingTimers).toBe(0);
  });

  it('gives back the turn of a call that the breaker refused after it had waited', async () => {
    const upstream = new Upstream(gives('up'), broken, broken, gives('up again'));
    const seen = guarded(upstream.call, { maxRate: 1, maxWait: 60 });
    await seen.outcome();
    const calls = [seen.visit(), seen.visit(), seen.visit()].map((call) =>
      call.catch((error: Error) => error.name),
    );
    expect(await seen.clock.settle(Promise.all(calls))).toEqual([
      'RangeError',
      'RangeError',
      'CircuitBreakerOpenError',
    ]);
    expect(seen.clock.monotonicMs()).toBe(3_000);
    expect(seen.metadata()).toMatchObject({ circuit_breaker_open: true, admission_waited_seconds: 3 });
    expect(gateOf(seen).tokens).toBe(1);
  });

  it('gives the breaker failures of attempts, not refusals of the limiter', async () => {
    const seen = guarded(gives('up'), { maxRate: 1, whenLimited: 'reject' });
    await seen.outcome();
    for (let call = 0; call < 10; call += 1) expect((await seen.outcome()).name).toBe('ShieldLimitedError');
    expect(seen.breaker.snapshot()).toMatchObject({ state: 'closed', failureCount: 0 });
    expect(seen.sink.sequence()).not.toContain('circuit_breaker.rejected');
  });

  it('keeps the place of a probe free that the limiter refuses', async () => {
    const upstream = new Upstream(broken, broken, gives('up'));
    const seen = guarded(
      upstream.call,
      { maxRate: 1, whenLimited: 'reject', random: () => 0 },
      { recoveryTimeout: 0.2 },
    );
    await seen.outcome();
    await seen.clock.advance(1);
    await seen.outcome();
    await seen.clock.advance(0.2);
    expect((await seen.outcome()).name).toBe('ShieldLimitedError');
    expect(seen.breaker.snapshot()).toMatchObject({
      state: 'open',
      probeDue: true,
      halfOpenProbeInFlight: false,
    });
    await seen.clock.advance(1);
    expect(await seen.outcome()).toBe('up');
    expect(seen.breaker.state).toBe('closed');
  });

  it('finds its breaker once for each attempt', async () => {
    const clock = new FakeClock();
    const breaker = new CircuitBreaker({ name: 'b', clock });
    const found: unknown[] = [];
    const circuitBreaker = (id: unknown): CircuitBreaker => {
      found.push(id);
      return breaker;
    };
    const upstream = new Upstream(slow, slow, gives('up'));
    const seen = client(upstream.call, { clock, beside: { circuitBreaker } });
    expect(await seen.outcome('a')).toBe('up');
    expect(found).toEqual(['a', 'a', 'a']);
  });

  it('counts timeouts of the shield, and ends its retries when that opens the breaker', async () => {
    const upstream = new Upstream(hangs);
    const seen = guarded(upstream.call, { profile: 'internal' });
    const error = await seen.outcome();
    expect(error.name).toBe('CircuitBreakerOpenError');
    expect(error.cause.name).toBe('OperationTimeoutError');
    expect(upstream.calls).toHaveLength(2);
    expect(seen.breaker.state).toBe('open');
    expect(seen.clock.pendingTimers).toBe(0);
  });
});

describe('a shield with a concurrency limit', () => {
  const limited = (fn: (clock: FakeClock) => Fn, options: ClientOptions = {}, size = 0) => {
    const clock = new FakeClock();
    const limit = new ConcurrencyLimit({ name: 'pool', maxConcurrent: 1, queue: { size }, clock });
    return { limit, ...client(fn(clock), { ...options, clock, beside: { concurrencyLimit: limit } }) };
  };

  it('gives the refusal of the limit to its cache and fallback, and slows nothing down', async () => {
    const seen = limited((clock) => after(clock, 1, gives('up')), {
      fallback: (error: unknown) => (error as Error).name,
    });
    const first = seen.visit();
    expect(await seen.visit()).toBe('ConcurrencyLimitError');
    expect(await seen.clock.settle(first)).toBe('up');
    expect(seen.reports[0]?.metadata).toMatchObject({ shield_gave_up: 'not_admitted' });
    expect(seen.reports[0]?.attempts[0]?.metadata).toMatchObject({ admission_refused: true });
    expect(seen.shield.snapshot()).toMatchObject({ engaged: false, budget: 20, samples: 1 });
  });

  it('waits for its rate first, and for a place then', async () => {
    const seen = limited((clock) => after(clock, 3, gives('up')), { maxRate: 1 }, 5);
    const calls = [seen.visit(), seen.visit()];
    await seen.clock.advance(0.5);
    expect([seen.shield.snapshot().waiting, seen.limit.snapshot().waiting]).toEqual([1, 0]);
    await seen.clock.advance(1);
    expect([seen.shield.snapshot().waiting, seen.limit.snapshot().waiting]).toEqual([0, 1]);
    await seen.clock.settle(Promise.all(calls));
    expect(seen.reports.map(({ metadata }) => metadata.admission_wait_seconds)).toEqual([0, 3]);
    expect(seen.shield.snapshot()).toMatchObject({ p50Seconds: 3, p95Seconds: 3 });
    expect(seen.told('concurrency_limit.waited')).toEqual([
      { attempt_number: 1, limit_name: 'pool', waited_seconds: 2 },
    ]);
    expect(seen.limit.snapshot()).toMatchObject({ running: 0, waiting: 0 });
    expect(seen.clock.pendingTimers).toBe(0);
  });

  it('gives back the turn of a call that was let in at once and found no place', async () => {
    const seen = limited(() => gives('up'), { maxRate: 5 });
    await seen.outcome();
    seen.limit.tryEnter(seen.clock.monotonicMs());
    const before = gateOf(seen).tokens;
    expect((await seen.outcome()).name).toBe('ConcurrencyLimitError');
    expect(gateOf(seen).tokens).toBe(before);
  });

  it('lets a call in that waited for its rate, where the place is free by then', async () => {
    const seen = limited((clock) => after(clock, 0.5, gives('up')), { maxRate: 1, maxWait: 60 });
    const first = seen.visit();
    const second = seen.visit().catch((error: Error) => error.name);
    await seen.clock.advance(0.1);
    expect(seen.shield.snapshot().waiting).toBe(1);
    await seen.clock.settle(Promise.all([first, second]));
    expect(seen.limit.snapshot()).toMatchObject({ running: 0, refused: 0 });
    const third = seen.visit();
    const fourth = seen.visit().catch((error: Error) => error.name);
    expect(await seen.clock.settle(Promise.all([third, fourth]))).toEqual(['up', 'up']);
  });

  it('leaves its place between two tries', async () => {
    const upstream = new Upstream(slow, gives('late'), gives('early'));
    const seen = limited(() => upstream.call);
    const first = seen.visit();
    await seen.clock.advance(0.1);
    expect(seen.limit.snapshot().running).toBe(0);
    expect(await seen.clock.settle(first)).toBe('late');
    expect(seen.limit.snapshot().running).toBe(0);
  });

  it('leaves its place at the timeout of the shield', async () => {
    const seen = limited(() => hangs, { profile: 'internal' });
    expect((await seen.outcome()).name).toBe('OperationTimeoutError');
    expect(seen.limit.snapshot().running).toBe(0);
    expect(seen.clock.pendingTimers).toBe(0);
  });
});

describe('a shield with validators', () => {
  it('takes a rejected value for a failure of the work: no retry, no slow-down', async () => {
    const upstream = new Upstream(gives(-1));
    const seen = client(upstream.call, { beside: { validate: (value: unknown) => (value as number) > 0 } });
    const error = await seen.outcome();
    expect(error.name).toBe('ValidationFailedError');
    expect(upstream.calls).toHaveLength(1);
    expect(seen.shield.snapshot()).toMatchObject({ engaged: false, samples: 0, budget: 20 });
    expect(seen.metadata()).toMatchObject({ shield_gave_up: 'non_retryable', validation_valid: false });
  });
});
