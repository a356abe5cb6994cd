import { describe, expect, it } from '@jest/globals';
import {
  attemptSignal,
  currentAttempt,
  MisuseError,
  TimeoutPolicy,
  type CurrentAttempt,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { hang, watch } from '../support/watch.js';

describe('the running attempt', () => {
  it('is a misuse to ask for outside an attempt', () => {
    expect(currentAttempt).toThrow(MisuseError);
    expect(currentAttempt).toThrow(
      'currentAttempt() was called where no attempt is running; ' +
        'call it first thing in the method, before any await, and keep what it returns',
    );
  });

  it('is a misuse to ask for after an await', async () => {
    const late = async (): Promise<unknown> => {
      await Promise.resolve();
      return currentAttempt();
    };
    await expect(new TimeoutPolicy(1, { clock: new FakeClock() }).run(late)).rejects.toBeInstanceOf(
      MisuseError,
    );
  });

  it('has no signal outside an attempt, where the form for helpers gives undefined', async () => {
    expect(attemptSignal()).toBeUndefined();
    const timeout = new TimeoutPolicy(1, { clock: new FakeClock() });
    const seen = await timeout.run(async () => {
      const before = attemptSignal();
      await Promise.resolve();
      return [before instanceof AbortSignal, attemptSignal()];
    });
    expect(seen).toEqual([true, undefined]);
    expect(attemptSignal()).toBeUndefined();
  });

  it('is over when the function has returned, thrown or failed', async () => {
    const timeout = new TimeoutPolicy(1, { clock: new FakeClock() });
    const throws = (): never => {
      throw new Error('thrown');
    };
    await Promise.allSettled([
      timeout.run(() => 1),
      timeout.run(throws),
      timeout.run(() => Promise.reject(new Error())),
    ]);
    void timeout.run(() => 1);
    expect(attemptSignal()).toBeUndefined();
  });

  it('is the inner one inside an inner call, and the outer one again afterwards', async () => {
    const clock = new FakeClock();
    const [outer, inner] = [new TimeoutPolicy(10, { clock }), new TimeoutPolicy(5, { clock })];
    const throws = (): never => {
      throw new Error('inner');
    };
    const seen = await outer.run(() => {
      const mine = currentAttempt();
      const innerOnes: CurrentAttempt[] = [];
      void inner.run(() => void innerOnes.push(currentAttempt()));
      inner.run(throws).catch(() => undefined);
      return [innerOnes[0] !== mine, innerOnes[0]?.remainingSeconds, currentAttempt() === mine];
    });
    expect(seen).toEqual([true, 5, true]);
  });

  it('says what a function may know about its try', async () => {
    const clock = new FakeClock();
    let attempt!: CurrentAttempt;
    watch(new TimeoutPolicy('10s', { clock }).run(() => ((attempt = currentAttempt()), hang())));
    expect(attempt).toMatchObject({
      number: 1,
      kind: 'primary',
      operationName: 'TimeoutPolicy.run',
      lastError: undefined,
    });
    expect(attempt.callId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-/);
    expect(attempt.callId).toBe(attempt.callId);
    expect(attempt.remainingSeconds).toBe(10);
    await clock.advance('4s');
    expect(attempt.remainingSeconds).toBe(6);
    await clock.advance('1h');
    expect(attempt.remainingSeconds).toBe(0);
  });

  it('has a signal of its own even when that is first read after the end', async () => {
    const clock = new FakeClock();
    let attempt!: CurrentAttempt;
    const call = watch(new TimeoutPolicy('10s', { clock }).run(() => ((attempt = currentAttempt()), hang())));
    await clock.advance('10s');
    expect(attempt.signal.aborted).toBe(true);
    expect(attempt.signal.reason).toBe(call.outcome);
    expect(attempt.signal).toBe(attempt.signal);
  });
});

describe('a call that an attempt starts', () => {
  it('ends with the attempt, for the same reason, and is not told twice', async () => {
    const clock = new FakeClock();
    const inner = new TimeoutPolicy('1h', { clock });
    let innerCall!: ReturnType<typeof watch>;
    let signal!: AbortSignal;
    const outer = new TimeoutPolicy('10s', { clock }).run(() => {
      innerCall = watch(inner.run(() => ((signal = currentAttempt().signal), hang())));
      return hang();
    });
    const outerCall = watch(outer);
    await clock.advance('10s');
    expect(innerCall.outcome).toBe(outerCall.outcome);
    expect(signal.reason).toBe(outerCall.outcome);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is on its own when the attempt has ended by itself', async () => {
    const clock = new FakeClock();
    const inner = new TimeoutPolicy('1h', { clock });
    let innerCall!: ReturnType<typeof watch>;
    const outer = new TimeoutPolicy('10s', { clock }).run(() => {
      innerCall = watch(inner.run(hang));
      return 'ended';
    });
    expect(await outer).toBe('ended');
    await clock.advance('10s');
    expect(innerCall.state).toBe('pending');
    await clock.advance('1h');
    expect(innerCall.outcome).toMatchObject({ timeoutSeconds: 3_600 });
  });

  it('is not taken along when it starts after an await', async () => {
    const clock = new FakeClock();
    const inner = new TimeoutPolicy('1m', { clock });
    let innerCall!: ReturnType<typeof watch>;
    const outer = new TimeoutPolicy('10s', { clock }).run(async () => {
      await Promise.resolve();
      innerCall = watch(inner.run(hang));
      await hang();
    });
    const outerCall = watch(outer);
    await clock.advance('10s');
    expect([outerCall.state, innerCall.state]).toEqual(['rejected', 'pending']);
    await clock.advance('50s');
    expect(innerCall.state).toBe('rejected');
  });
});
