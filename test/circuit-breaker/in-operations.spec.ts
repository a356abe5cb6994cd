import { describe, expect, it } from '@jest/globals';
import {
  asyncOperation,
  CircuitBreaker,
  CircuitBreakerOpenError,
  OperationTimeoutError,
  TimeoutPolicy,
  ValidationFailedError,
} from '../../lib/index.js';
import { gives, hangs, rejection, rejects, scene, story, Upstream } from '../operation/support.js';
import { failCalls, setUp, setUpProbeDue } from './support.js';

const down = rejects(new Error('down'));

describe('a circuit breaker in operations', () => {
  it('is shared by two operations: failures of one refuse the other [R60]', async () => {
    const { clock, breaker } = setUp();
    const charge = asyncOperation('charge', down, { clock }).withCircuitBreaker(breaker);
    const upstream = new Upstream(gives('never'));
    const refund = asyncOperation('refund', upstream.call, { clock }).withCircuitBreaker(breaker);
    await rejection(charge.run());
    await rejection(charge.run());
    const error = await rejection(refund.run());
    expect(upstream.calls).toEqual([]);
    expect(error.cause).toBeInstanceOf(CircuitBreakerOpenError);
    expect(error.cause).toMatchObject({ breakerName: 'payments', state: 'open', retryAfterSeconds: 10 });
    expect(error.report.metadata).toMatchObject({ circuit_breaker_open: true, validation_performed: false });
    expect(error.report.attempts.map((attempt: any) => [attempt.status, attempt.error.type])).toEqual([
      ['failed', 'CircuitBreakerOpenError'],
    ]);
  });

  it('counts each failed attempt, not each call [R60]', async () => {
    const { clock, breaker } = setUp({ failureThreshold: 5 });
    const { failure } = scene(
      down,
      { circuitBreaker: breaker, retries: 2, backoff: { delayForRetry: () => 1 } },
      clock,
    );
    await failure();
    expect(breaker.snapshot().failureCount).toBe(3);
  });

  it('counts a timeout as a failure [R61]', async () => {
    const { clock, breaker } = setUp();
    const { failure } = scene(hangs, { circuitBreaker: breaker, timeout: 1 }, clock);
    const [first, second] = [await failure(), await failure()];
    expect(first.cause).toBeInstanceOf(OperationTimeoutError);
    expect(second.report.status).toBe('timed_out');
    expect(breaker.snapshot()).toMatchObject({ state: 'open', failureCount: 2 });
    expect(clock.pendingTimers).toBe(0);
  });

  it('counts a rejected value as a failure, also of a probe [R62]', async () => {
    const { clock, breaker } = await setUpProbeDue();
    const upstream = new Upstream(gives(1), gives(-1));
    const options = { circuitBreaker: breaker, validate: (value: number) => value > 0 };
    const { failure } = scene(upstream.call, options, clock);
    const { result } = scene(upstream.call, options, clock);
    expect((await result()).value).toBe(1);
    expect(breaker.state).toBe('closed');
    expect((await failure()).cause).toBeInstanceOf(ValidationFailedError);
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', failureCount: 1 });
    await failure();
    await clock.advance(10);
    await failure();
    expect(breaker.snapshot()).toMatchObject({ state: 'open', retryAfterSeconds: 10 });
    expect(upstream.calls).toHaveLength(4);
  });

  it('counts what a validator throws as a failure [R62]', async () => {
    const { clock, breaker } = setUp();
    const validate = () => {
      throw new RangeError('cannot tell');
    };
    await scene(gives(1), { circuitBreaker: breaker, validate }, clock).failure();
    expect(breaker.snapshot().failureCount).toBe(1);
  });

  it('is not touched by the outcome of a fallback, good or bad [R63]', async () => {
    const { clock, breaker } = setUp({ failureThreshold: 3 });
    const good = scene(down, { circuitBreaker: breaker, fallback: gives('stand-in') }, clock);
    expect((await good.result()).value).toBe('stand-in');
    expect(breaker.snapshot().failureCount).toBe(1);
    await scene(down, { circuitBreaker: breaker, fallback: down }, clock).failure();
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', failureCount: 2 });
    const invalid = { circuitBreaker: breaker, fallback: gives(-1), validate: (value: number) => value > 0 };
    await scene(down, invalid, clock).failure();
    expect(breaker.snapshot()).toMatchObject({ state: 'open', failureCount: 3 });
    // Not even while it is half-open.
    await clock.advance(10);
    const probe = scene(hangs, { circuitBreaker: breaker }, clock).run();
    await good.result();
    expect(breaker.snapshot()).toMatchObject({ state: 'half_open', halfOpenProbeInFlight: true });
    void probe;
  });

  it('records nothing of an attempt that only the deadline cut, and frees the slot of a probe', async () => {
    const { clock, breaker } = setUp();
    const cut = scene(hangs, { circuitBreaker: breaker, timeout: 5, deadline: 1 }, clock);
    expect((await cut.failure()).cause).toMatchObject({ name: 'OperationTimeoutError', scope: 'deadline' });
    expect(breaker.snapshot().failureCount).toBe(0);
    await failCalls(breaker);
    await clock.advance(10);
    await cut.failure();
    expect(breaker.snapshot()).toMatchObject({ state: 'half_open', halfOpenProbeInFlight: false });
    // One that has also outlived its own timeout says something about the dependency.
    await scene(hangs, { circuitBreaker: breaker, timeout: 1, deadline: 1 }, clock).failure();
    expect(breaker.snapshot()).toMatchObject({ state: 'open', retryAfterSeconds: 10 });
    expect(clock.pendingTimers).toBe(0);
  });

  it('records nothing of a deadline that comes while an async validator looks at the value', async () => {
    const { clock, breaker } = await setUpProbeDue();
    const options = { circuitBreaker: breaker, deadline: 1, validate: () => new Promise<boolean>(() => {}) };
    await scene(gives(1), options, clock).failure();
    expect(breaker.snapshot()).toMatchObject({ state: 'half_open', halfOpenProbeInFlight: false });
  });

  it('opens by timeouts, and the fallback answers from the first call on [R61]', async () => {
    const { clock, breaker } = setUp({ failureThreshold: 3 });
    const upstream = new Upstream(hangs);
    const options = { circuitBreaker: breaker, timeout: '50ms', fallback: gives('F') } as const;
    const { result } = scene(upstream.call, options, clock);
    // B041
    for (let call = 0; call < 4; call += 1) expect((await result()).value).toBe('F');
    expect(upstream.calls).toHaveLength(3);
    expect(breaker.state).toBe('open');
  });

  it('gives the probe back when the operation that started the call times out', async () => {
    const { clock, breaker } = await setUpProbeDue();
    const inner = asyncOperation('inner', hangs, { clock }).withCircuitBreaker(breaker);
    const outer = asyncOperation('outer', () => inner.run(), { clock }).withTimeout(new TimeoutPolicy(1));
    expect((await clock.settle(rejection(outer.run()))).cause).toBeInstanceOf(OperationTimeoutError);
    expect(breaker.snapshot()).toMatchObject({ state: 'half_open', halfOpenProbeInFlight: false });
  });

  it('may be found for each call, and each call records on its own', async () => {
    const { clock, breaker } = setUp({ failureThreshold: 1 });
    const other = new CircuitBreaker({ name: 'other', failureThreshold: 1, clock });
    const options = { circuitBreaker: (shop: unknown) => (shop === 'a' ? breaker : other) };
    const { failure } = scene(down, options, clock);
    await failure('a');
    expect([breaker.state, other.state]).toEqual(['open', 'closed']);
    await failure('b');
    expect([breaker.state, other.state]).toEqual(['open', 'open']);
    expect((await failure('b')).cause).toMatchObject({ breakerName: 'other' });
  });
});

describe('the events of a circuit breaker', () => {
  it('come just before the event of the attempt that moved it', async () => {
    const { clock, breaker } = setUp();
    const upstream = new Upstream(down, down, down, gives('up'));
    const { sink, run } = scene(upstream.call, { circuitBreaker: breaker }, clock);
    const stories: string[] = [];
    for (const wait of [0, 0, 10, 10]) {
      await clock.advance(wait);
      await run().catch(() => undefined);
      stories.push(story(sink));
      sink.clear();
    }
    // B014: half_opened is told before the probe's own attempt.
    expect(stories).toEqual([
      'OS AS AF OF',
      'OS AS circuit_breaker.opened AF OF',
      'OS circuit_breaker.half_opened AS circuit_breaker.opened AF OF',
      'OS circuit_breaker.half_opened AS circuit_breaker.closed AOK OOK',
    ]);
  });

  it('say from where to where, and how many failures were counted', async () => {
    const { clock, breaker } = await setUpProbeDue();
    const { sink, result } = scene(gives('up'), { circuitBreaker: breaker }, clock);
    await result();
    const payloads = sink
      .events()
      .flatMap((event) => (event.eventType.startsWith('circuit_breaker.') ? [event.payload] : []));
    expect(payloads).toEqual([
      { breaker_name: 'payments', from_state: 'open', to_state: 'half_open', failure_count: 2 },
      { breaker_name: 'payments', from_state: 'half_open', to_state: 'closed', failure_count: 0 },
    ]);
  });

  it('tell a refusal with the time to come back, and none in half-open [R41, R46]', async () => {
    const { clock, breaker } = await setUpProbeDue();
    void asyncOperation('probe', hangs, { clock }).withCircuitBreaker(breaker).run();
    const { sink, failure } = scene(gives('never'), { circuitBreaker: breaker }, clock);
    await failure();
    expect(story(sink)).toBe('OS AS circuit_breaker.rejected AF OF');
    expect(sink.events()[2]?.payload).toEqual({
      attempt_number: 1,
      breaker_name: 'payments',
      state: 'half_open',
      reason: 'probes_busy',
      retry_after_seconds: null,
    });
  });
});
