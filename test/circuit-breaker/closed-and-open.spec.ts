import { describe, expect, it, jest } from '@jest/globals';
import { asyncOperation, CircuitBreakerOpenError } from '../../lib/index.js';
import type { Permit } from '../../lib/policies/circuit-breaker/circuit-breaker-state.js';
import { rejection } from '../operation/support.js';
import { beginCall, failCalls, failWith, refusedCall, setUp, setUpProbeDue, untouched } from './support.js';

describe('a closed circuit breaker', () => {
  it('starts closed with nothing counted [R37]', () => {
    const { breaker } = setUp();
    expect(breaker.snapshot()).toEqual(untouched);
    expect(Object.isFrozen(breaker.snapshot())).toBe(true);
  });

  it('stays closed after a success, and gives its value [R38]', async () => {
    const { clock, breaker } = setUp();
    const fn = jest.fn(async (left: number, right: number) => left + right);
    await expect(breaker.run(fn, 2, 3)).resolves.toBe(5);
    expect(fn.mock.calls).toEqual([[2, 3]]);
    expect(breaker.snapshot()).toEqual(untouched);
    expect(clock.pendingTimers).toBe(0);
  });

  it('makes nothing for a call: all of one closed period share their permit', async () => {
    const { clock, breaker } = await setUpProbeDue();
    const probe = breaker.admit(clock) as Permit;
    breaker.recordSuccess(probe);
    const permit = breaker.admit(clock);
    expect(breaker.admit(clock, 1_000)).toBe(permit);
    expect(permit).not.toBe(probe);
  });

  it('counts a recorded failure, and rethrows the same object [R39]', async () => {
    const { breaker } = setUp();
    const error = Object.freeze(new Error('down'));
    expect(await failWith(breaker, error)).toBe(error);
    expect(breaker.snapshot()).toEqual({ ...untouched, failureCount: 1 });
  });

  it.each([undefined, null, 'down', 0, Symbol('down'), { then: 'no function' }])(
    'counts a thrown %p like any other failure [R39]',
    async (thrown) => {
      const { breaker } = setUp();
      expect(await failWith(breaker, thrown)).toBe(thrown);
      expect(breaker.snapshot().failureCount).toBe(1);
    },
  );

  it('opens exactly at the threshold, and notes when [R40]', async () => {
    const { clock, breaker } = setUp({ failureThreshold: 3 });
    await failCalls(breaker, 2);
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', failureCount: 2, openedAt: null });
    await clock.advance(5);
    // B122: the caller whose call opens it gets the real error.
    const last = new Error('the third');
    expect(await failWith(breaker, last)).toBe(last);
    expect(breaker.snapshot()).toEqual({
      ...untouched,
      state: 'open',
      failureCount: 3,
      failureThreshold: 3,
      openedAt: new Date('2026-01-01T00:00:05Z'),
      openedBy: 'consecutive_failures',
      retryAfterSeconds: 10,
      open: true,
      closed: false,
    });
  });

  it('does not count a failure outside its filter, nor takes it for a success [R47]', async () => {
    const { breaker } = setUp({ recordFailureOn: [RangeError] });
    await failWith(breaker, new RangeError('counted'));
    const ignored = new Error('not counted');
    expect(await failWith(breaker, ignored)).toBe(ignored);
    expect(breaker.snapshot().failureCount).toBe(1);
    await failWith(breaker, new RangeError('counted'));
    expect(breaker.state).toBe('open');
  });

  it('counts only failures in a row: a success clears the count [R49]', async () => {
    const { breaker } = setUp();
    // B059
    await failCalls(breaker, 1);
    await breaker.run(() => 'up');
    expect(breaker.snapshot().failureCount).toBe(0);
    await failCalls(breaker, 1);
    expect(breaker.state).toBe('closed');
    await failCalls(breaker, 1);
    expect(breaker.state).toBe('open');
  });

  it('counts failures that overlap, and drops what ends after it opened [R40]', async () => {
    const { breaker } = setUp();
    const calls = Array.from({ length: 4 }, () => beginCall(breaker));
    for (const call of calls) {
      call.reject(new Error('down'));
      await rejection(call.outcome);
    }
    expect(breaker.snapshot()).toMatchObject({ state: 'open', failureCount: 2 });
  });
});

describe('an open circuit breaker', () => {
  it('refuses without calling; the error has name, state and retry-after [R41]', async () => {
    const { clock, breaker } = setUp();
    await failCalls(breaker);
    const { error, calls } = await refusedCall(breaker);
    expect(calls).toBe(0);
    expect(error).toBeInstanceOf(CircuitBreakerOpenError);
    expect({ ...error }).toEqual({
      breakerName: 'payments',
      state: 'open',
      reason: 'consecutive_failures',
      retryAfterSeconds: 10,
    });
    expect(error).toMatchObject({ name: 'CircuitBreakerOpenError', code: 'RELPRIM_CIRCUIT_BREAKER_OPEN' });
    expect(error.message).toBe("circuit breaker 'payments' is open; a call may pass in 10 s");
    expect('cause' in error).toBe(false);
    expect(clock.pendingTimers).toBe(0);
  });

  it('counts retry-after down, and never below zero [R42]', async () => {
    const { clock, breaker } = setUp();
    await failCalls(breaker);
    const seen: unknown[] = [];
    for (const step of ['4s', '5999ms', '1ms', '1h'] as const) {
      await clock.advance(step);
      seen.push(breaker.snapshot().retryAfterSeconds);
      if (!breaker.snapshot().probeDue) seen.push((await refusedCall(breaker)).error.retryAfterSeconds);
    }
    expect(seen).toEqual([6, 6, 0.001, 0.001, 0, 0]);
  });

  it('closes on reset(), with nothing counted, and works again [R50]', async () => {
    const { breaker } = setUp();
    await failCalls(breaker);
    breaker.reset();
    expect(breaker.snapshot()).toEqual(untouched);
    await expect(breaker.run(() => 'up')).resolves.toBe('up');
    await failCalls(breaker, 1);
    expect(breaker.state).toBe('closed');
  });

  it('forgets on reset() also what was counted while closed, and the calls in flight [R50]', async () => {
    const { breaker } = setUp();
    await failCalls(breaker, 1);
    const before = beginCall(breaker);
    breaker.reset();
    before.reject(new Error('down'));
    await rejection(before.outcome);
    await failCalls(breaker, 1);
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', failureCount: 1 });
  });

  it('does not count its refusals as failures, nor lets them push the recovery out [R59]', async () => {
    const { clock, breaker } = setUp();
    await failCalls(breaker);
    const opened = breaker.snapshot();
    for (let second = 1; second <= 9; second += 1) {
      await clock.advance(1);
      await refusedCall(breaker);
    }
    expect(breaker.snapshot()).toEqual({ ...opened, retryAfterSeconds: 1 });
    await clock.advance(1);
    await expect(breaker.run(() => 'up')).resolves.toBe('up');
  });

  it('counts none of its own refusals, even when its filter records everything [R59]', async () => {
    const { breaker } = setUp({ recordFailureOn: () => true });
    await failCalls(breaker);
    const opened = breaker.snapshot();
    expect((await refusedCall(breaker)).error).toBeInstanceOf(CircuitBreakerOpenError);
    expect(breaker.snapshot()).toEqual(opened);
  });

  it('counts no refusal of another breaker, in whatever form it comes [R59]', async () => {
    const { clock, breaker: inner } = setUp({ name: 'inner' });
    const { breaker: outer } = setUp({ name: 'outer' });
    await failCalls(inner);
    const operation = asyncOperation('inner call', () => 'never', { clock }).withCircuitBreaker(inner);
    await rejection(outer.run(() => inner.run(() => 'never')));
    await rejection(outer.run(() => operation.run()));
    expect(outer.snapshot()).toMatchObject({ state: 'closed', failureCount: 0 });
  });
});
