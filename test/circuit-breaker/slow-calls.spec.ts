import { describe, expect, it } from '@jest/globals';
import { asyncOperation, CircuitBreaker, EventEmitter, RetryPolicy } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { after, everySeconds, gives, rejects, Upstream } from '../operation/support.js';
import { takes, withRules } from './scenes.js';

const SLOW = { slowCallSeconds: 2, slowCallRate: 0.5, window: 4 } as const;

describe('slow calls', () => {
  it('open a breaker though they succeed', async () => {
    const scene = withRules(SLOW);
    for (const seconds of [3, 1, 1]) expect(await takes(scene, seconds)).toBe('up');
    expect(scene.breaker.snapshot()).toMatchObject({ state: 'closed', slowCalls: 1, slowCallRate: 1 / 3 });
    expect(await takes(scene, 2.001)).toBe('up');
    expect(scene.breaker.snapshot()).toMatchObject({
      state: 'open',
      openedBy: 'slow_call_rate',
      calls: 4,
      failureCount: 0,
      failureRate: 0,
      slowCalls: 2,
      slowCallRate: 0.5,
    });
  });

  it('are counted in a window of time, too, and go with it', async () => {
    const scene = withRules({ ...SLOW, window: '60s', minimumCalls: 4 });
    for (const seconds of [3, 1, 1]) await takes(scene, seconds);
    expect(scene.breaker.snapshot()).toMatchObject({ calls: 3, slowCalls: 1, slowCallRate: 1 / 3 });
    await scene.clock.advance('60s');
    expect(scene.breaker.snapshot()).toMatchObject({ calls: 0, slowCalls: 0, slowCallRate: null });
    for (const seconds of [3, 1, 1, 3]) await takes(scene, seconds);
    expect(scene.breaker.snapshot()).toMatchObject({
      state: 'open',
      openedBy: 'slow_call_rate',
      slowCalls: 2,
    });
  });

  it('are bad probes beside any other rule, and others are good ones', async () => {
    for (const [seconds, state] of [
      [3, 'open'],
      [1, 'closed'],
    ] as const) {
      const scene = withRules({ ...SLOW, failureThreshold: 1 });
      await takes(scene, 1, 'F');
      await scene.clock.advance(10);
      await takes(scene, seconds);
      expect(scene.breaker.state).toBe(state);
    }
  });

  it('are counted the same in a window of any size', async () => {
    const scene = withRules({ ...SLOW, slowCallRate: 1, failureRate: 1, window: 47, minimumCalls: 47 });
    const slow = Array.from({ length: 200 }, (_, call) => (call * call) % 7 < 3);
    for (const [call, isSlow] of slow.entries()) {
      await takes(scene, isSlow ? 3 : 1);
      const latest = slow.slice(Math.max(0, call - 46), call + 1);
      expect(scene.breaker.snapshot().slowCalls).toBe(latest.filter(Boolean).length);
    }
  });

  it('are slow when they take longer, and not when they take just as long', async () => {
    const scene = withRules(SLOW);
    for (let call = 0; call < 8; call += 1) await takes(scene, 2);
    expect(scene.breaker.snapshot()).toMatchObject({ state: 'closed', slowCalls: 0, slowCallRate: 0 });
  });

  it('count when they fail, too', async () => {
    const scene = withRules(SLOW);
    for (const seconds of [3, 3, 1, 1]) await takes(scene, seconds, 'F');
    expect(scene.breaker.snapshot()).toMatchObject({
      openedBy: 'slow_call_rate',
      slowCalls: 2,
      failureCount: 4,
    });
  });

  it('are counted beside failures, which are named where both are too many', async () => {
    const scene = withRules({ ...SLOW, failureRate: 0.5 });
    for (const seconds of [3, 3, 1, 1]) await takes(scene, seconds, 'F');
    expect(scene.breaker.snapshot()).toMatchObject({
      openedBy: 'failure_rate',
      failureRate: 1,
      slowCallRate: 0.5,
    });
    const healthy = withRules({ ...SLOW, failureRate: 0.75 });
    for (const [seconds, end] of [
      [3, 'S'],
      [3, 'S'],
      [1, 'F'],
      [1, 'F'],
    ] as const)
      await takes(healthy, seconds, end);
    expect(healthy.breaker.snapshot()).toMatchObject({ openedBy: 'slow_call_rate', failureRate: 0.5 });
  });

  it('make a probe fail, however well it ended', async () => {
    const scene = withRules({ ...SLOW, window: 1 });
    await takes(scene, 3);
    await scene.clock.advance(10);
    expect(await takes(scene, 3)).toBe('up');
    expect(scene.breaker.snapshot()).toMatchObject({
      state: 'open',
      openedBy: 'probe_failed',
      openedAt: new Date('2026-01-01T00:00:16Z'),
      retryAfterSeconds: 10,
    });
    await scene.clock.advance(10);
    await takes(scene, 2);
    expect(scene.breaker.snapshot()).toMatchObject({ state: 'closed', calls: 0, slowCalls: 0 });
  });

  it('may be said in text', () => {
    const { breaker } = withRules({ slowCallSeconds: '250ms', slowCallRate: 0.1 });
    expect(breaker.describe()).toBe(
      'slowCallRate 0.1 above 0.25 s, window 20 calls, minimumCalls 20, recoveryTimeout 10 s',
    );
  });
});

describe('how long a call of an operation took', () => {
  const events = { quiet: undefined, told: new EventEmitter() };

  it.each(Object.entries(events))(
    'is that of each attempt, without the waits between them (%s)',
    async (_, emitter) => {
      const clock = new FakeClock();
      const breaker = new CircuitBreaker({ ...SLOW, window: 10, minimumCalls: 10, clock });
      const upstream = new Upstream(
        after(clock, 1.5, rejects(new Error('down'))),
        after(clock, 2.5, rejects(new Error('down'))),
        after(clock, 1.5, gives('up')),
      );
      let operation = asyncOperation('charge', upstream.call, { clock })
        .withRetry(new RetryPolicy({ maxAttempts: 3, backoff: everySeconds(20) }))
        .withCircuitBreaker(breaker);
      if (emitter !== undefined) operation = operation.withEvents(emitter);
      await clock.settle(operation.run());
      expect(clock.monotonicMs()).toBe(45_500);
      expect(breaker.snapshot()).toMatchObject({
        calls: 3,
        slowCalls: 1,
        failureRate: 2 / 3,
        slowCallRate: 1 / 3,
      });
      await clock.settle(operation.run());
      expect(breaker.snapshot()).toMatchObject({ calls: 4, slowCalls: 1, slowCallRate: 0.25 });
      expect(clock.pendingTimers).toBe(0);
    },
  );

  it('does not hold what it waited for the breaker', async () => {
    const clock = new FakeClock();
    const breaker = new CircuitBreaker({ ...SLOW, window: 1, recoveryTimeout: 5, clock });
    const upstream = new Upstream(after(clock, 3, gives('slow')), rejects(new Error('down')), gives('up'));
    const operation = asyncOperation('charge', upstream.call, { clock })
      .withRetry(new RetryPolicy({ maxAttempts: 3, backoff: everySeconds(5) }))
      .withCircuitBreaker(breaker);
    await clock.settle(operation.run());
    expect(breaker.state).toBe('open');
    await clock.advance(5);
    // The probe fails, the retry waits until the next may pass, and that one is quick.
    await clock.settle(operation.run());
    expect(breaker.state).toBe('closed');
    expect(upstream.calls).toHaveLength(3);
  });
});
