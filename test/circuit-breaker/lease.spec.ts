import { describe, expect, it } from '@jest/globals';
import { asyncOperation, TimeoutPolicy, type Timer } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { hangs, rejection } from '../operation/support.js';
import { beginCall, failCalls, refusedCall, setUp, setUpProbeDue } from './support.js';

/** Real timers fire a little late, never early. */
class LateClock extends FakeClock {
  override setTimer(callback: () => void, delayMs: number): Timer {
    return super.setTimer(callback, delayMs + 2);
  }
}

describe('a probe that does not end', () => {
  it('keeps its place for the recovery time, and then loses it to the next call', async () => {
    const { clock, breaker } = await setUpProbeDue();
    const hanging = beginCall(breaker);
    await clock.advance(10);
    expect((await refusedCall(breaker)).error.state).toBe('half_open');
    await clock.advance('1ms');
    expect(breaker.snapshot()).toMatchObject({ state: 'half_open', retryAfterSeconds: 0 });
    const second = beginCall(breaker);
    expect((await refusedCall(breaker)).error.state).toBe('half_open');
    // The first one may end now as it likes: it decides nothing, and does not free the place of the second.
    hanging.reject(new Error('late'));
    await rejection(hanging.outcome);
    expect(breaker.snapshot()).toMatchObject({ state: 'half_open', halfOpenProbeInFlight: true });
    expect((await refusedCall(breaker)).error.state).toBe('half_open');
    second.resolve('up');
    await second.outcome;
    expect(breaker.state).toBe('closed');
  });

  it('closes nothing when it succeeds after another call has taken its place', async () => {
    const { clock, breaker } = await setUpProbeDue();
    const hanging = beginCall(breaker);
    await clock.advance('10001ms');
    const second = beginCall(breaker);
    hanging.resolve('up, but late');
    await expect(hanging.outcome).resolves.toBe('up, but late');
    expect(breaker.state).toBe('half_open');
    second.reject(new Error('down'));
    await rejection(second.outcome);
    expect(breaker.snapshot()).toMatchObject({ state: 'open', retryAfterSeconds: 10 });
  });

  it('gives no place back that is not its own any more when it is cancelled late', async () => {
    const { clock, breaker } = await setUpProbeDue();
    const controller = new AbortController();
    const hanging = beginCall(breaker, controller.signal);
    await clock.advance('10001ms');
    beginCall(breaker);
    controller.abort();
    await rejection(hanging.outcome);
    expect((await refusedCall(breaker)).error.state).toBe('half_open');
  });

  it('still decides while nobody has taken its place', async () => {
    const { clock, breaker } = await setUpProbeDue();
    const slow = beginCall(breaker);
    await clock.advance(60);
    slow.resolve('up');
    await slow.outcome;
    expect(breaker.state).toBe('closed');
  });

  it('cannot keep a breaker half-open, even if every probe hangs for ever', async () => {
    const { clock, breaker } = await setUpProbeDue();
    for (let probe = 0; probe < 20; probe += 1) {
      beginCall(breaker);
      expect((await refusedCall(breaker)).calls).toBe(0);
      await clock.advance('10001ms');
    }
    await expect(breaker.run(() => 'up')).resolves.toBe('up');
    expect(breaker.state).toBe('closed');
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('the lease of a probe that an operation makes', () => {
  it("is the attempt's timeout, when that is longer than the recovery time", async () => {
    const { clock, breaker } = await setUpProbeDue();
    const operation = asyncOperation('charge', hangs, { clock })
      .withCircuitBreaker(breaker)
      .withTimeout(new TimeoutPolicy('60s'));
    const probe = rejection(operation.run());
    await clock.advance('59s');
    expect((await refusedCall(breaker)).error.state).toBe('half_open');
    expect((await clock.settle(probe)).cause.name).toBe('OperationTimeoutError');
    expect(breaker.snapshot()).toMatchObject({ state: 'open', retryAfterSeconds: 10 });
    expect(clock.pendingTimers).toBe(0);
  });

  it("is the attempt's timeout, when that is shorter: the timeout counts as the probe's failure [R61]", async () => {
    const clock = new LateClock();
    const { breaker } = setUp({ clock });
    await failCalls(breaker);
    await clock.advance(10);
    const operation = asyncOperation('charge', hangs, { clock })
      .withCircuitBreaker(breaker)
      .withTimeout(new TimeoutPolicy(1));
    // A timer that fires after the end of the lease must not make the outcome a late one.
    await clock.settle(rejection(operation.run()));
    expect(breaker.snapshot()).toMatchObject({ state: 'open', retryAfterSeconds: 10 });
    expect(clock.pendingTimers).toBe(0);
  });

  it('is the recovery time without a timeout, so that a method that never ends wedges nothing', async () => {
    const { clock, breaker } = await setUpProbeDue();
    const operation = asyncOperation('charge', hangs, { clock }).withCircuitBreaker(breaker);
    void operation.run();
    await clock.advance(10);
    expect((await refusedCall(breaker)).error.state).toBe('half_open');
    await clock.advance('1ms');
    await expect(breaker.run(() => 'up')).resolves.toBe('up');
    expect(breaker.state).toBe('closed');
  });
});
