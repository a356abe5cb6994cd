import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { asyncOperation, CircuitBreaker, type Duration } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { rejection, rejects } from '../operation/support.js';
import { beginCall, failCalls, refusedCall, setUp, setUpProbeDue } from './support.js';

describe('the time of a circuit breaker', () => {
  it('does not follow a wall clock that is set back', async () => {
    const { clock, breaker } = setUp();
    await failCalls(breaker);
    // B109
    clock.stepWall('1h', 'back');
    await clock.advance('9999ms');
    expect((await refusedCall(breaker)).error.retryAfterSeconds).toBe(0.001);
    await clock.advance('1ms');
    await expect(breaker.run(() => 'up')).resolves.toBe('up');
  });

  it('does not follow a wall clock that is set forward', async () => {
    const { clock, breaker } = setUp();
    await failCalls(breaker);
    await clock.advance(1);
    // B109
    clock.stepWall('1h');
    expect((await refusedCall(breaker)).error.retryAfterSeconds).toBe(9);
    expect(breaker.snapshot()).toMatchObject({ state: 'open', probeDue: false });
  });

  it('does not end the lease of a probe with the wall clock', async () => {
    const { clock, breaker } = await setUpProbeDue();
    beginCall(breaker);
    clock.stepWall('1h');
    expect((await refusedCall(breaker)).error.state).toBe('half_open');
    clock.stepWall('2h', 'back');
    await clock.advance('10001ms');
    await expect(breaker.run(() => 'up')).resolves.toBe('up');
  });

  it('shows when it opened by the wall clock of that moment', async () => {
    const { clock, breaker } = setUp();
    clock.stepWall('1h');
    await failCalls(breaker);
    clock.stepWall('1h', 'back');
    expect(breaker.snapshot().openedAt).toEqual(new Date('2026-01-01T01:00:00Z'));
    breaker.snapshot().openedAt?.setTime(0);
    expect(breaker.snapshot().openedAt).toEqual(new Date('2026-01-01T01:00:00Z'));
  });

  it('admits the probe exactly at the end of any recovery time, from any moment on [R44]', async () => {
    const ms = fc.integer({ min: 1, max: 100_000_000 }).map((thousandths) => thousandths / 1_000);
    const times = fc.tuple(ms, ms);
    const admitsInTime = async ([openedMs, recoveryMs]: [number, number]): Promise<void> => {
      const clock = new FakeClock();
      const breaker = new CircuitBreaker({
        failureThreshold: 1,
        recoveryTimeout: recoveryMs / 1_000,
        clock,
      });
      await clock.advance(`${openedMs}ms`);
      await failCalls(breaker);
      await clock.advance(`${recoveryMs}ms`);
      await expect(breaker.run(() => 'up')).resolves.toBe('up');
    };
    await fc.assert(fc.asyncProperty(times, admitsInTime), { numRuns: 200, seed: 44 });
  });

  it('comes back for whoever waits exactly as long as a refusal says [R42]', async () => {
    const { clock, breaker } = setUp({ recoveryTimeout: 0.7 });
    await clock.advance('0.1ms');
    await failCalls(breaker);
    await clock.advance('0.3ms');
    await clock.advance((await refusedCall(breaker)).error.retryAfterSeconds as Duration);
    await expect(breaker.run(() => 'up')).resolves.toBe('up');
  });

  it('sets no timers', async () => {
    const { clock, breaker } = await setUpProbeDue();
    beginCall(breaker);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('a circuit breaker without a clock of its own', () => {
  const failing = (clock: FakeClock, breaker: CircuitBreaker) =>
    rejection(
      asyncOperation('charge', rejects(new Error('down')), { clock })
        .withCircuitBreaker(breaker)
        .run(),
    );

  it('goes by the clock of the operations that use it', async () => {
    const clock = new FakeClock({ startAt: new Date('2030-01-01T00:00:00Z') });
    const breaker = new CircuitBreaker({ failureThreshold: 1, recoveryTimeout: 10 });
    await failing(clock, breaker);
    expect(breaker.snapshot()).toMatchObject({
      state: 'open',
      openedAt: new Date('2030-01-01T00:00:00Z'),
      retryAfterSeconds: 10,
    });
    await clock.advance(10);
    expect(breaker.snapshot().probeDue).toBe(true);
  });

  it('keeps what is left of its time when a call brings another clock', async () => {
    const [first, second] = [new FakeClock(), new FakeClock()];
    await second.advance('5h');
    const breaker = new CircuitBreaker({ failureThreshold: 1, recoveryTimeout: 10 });
    await failing(first, breaker);
    await first.advance(4);
    expect((await failing(second, breaker)).cause.retryAfterSeconds).toBe(6);
    await second.advance('5999ms');
    expect((await failing(second, breaker)).cause.retryAfterSeconds).toBe(0.001);
    await second.advance('1ms');
    const probe = asyncOperation('charge', () => 'up', { clock: second }).withCircuitBreaker(breaker);
    expect((await probe.run()).value).toBe('up');
  });

  it('keeps what two rules beside each other have counted, and when that was', async () => {
    const [first, second] = [new FakeClock(), new FakeClock()];
    await second.advance('5h');
    const breaker = new CircuitBreaker({
      failureThreshold: 9,
      failureRate: 1,
      window: '60s',
      minimumCalls: 9,
    });
    await failing(first, breaker);
    await first.advance(20);
    await failing(first, breaker);
    await failing(second, breaker);
    expect(breaker.snapshot()).toMatchObject({ failureCount: 3, calls: 3 });
    await second.advance(41);
    expect(breaker.snapshot()).toMatchObject({ failureCount: 3, calls: 2 });
  });

  it('never leaves a clock that it was given', async () => {
    const { clock, breaker } = setUp();
    const other = new FakeClock();
    await failCalls(breaker);
    await other.advance('1h');
    expect((await failing(other, breaker)).cause.retryAfterSeconds).toBe(10);
    await clock.advance(10);
    expect(breaker.snapshot().probeDue).toBe(true);
  });
});
