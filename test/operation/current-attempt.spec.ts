import { describe, expect, it } from '@jest/globals';
import {
  attemptSignal,
  CircuitBreaker,
  currentAttempt,
  MisuseError,
  OperationTimeoutError,
  resultOf,
  type CurrentAttempt,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import {
  after,
  everySeconds,
  gives,
  hangs,
  rejection,
  rejects,
  scene,
  throws,
  Upstream,
  type Step,
} from './support.js';

/** A method that keeps what it sees of its attempts, and answers by a script. */
function watching(...steps: Step[]) {
  const seen: CurrentAttempt[] = [];
  const upstream = new Upstream(...steps);
  const call = (): unknown => {
    seen.push(currentAttempt());
    return upstream.call();
  };
  return { seen, call };
}

describe('the running attempt', () => {
  it('shows number, kind, operation and the id of the report, also in a fallback', async () => {
    const primary = watching(rejects(new Error('no')));
    const standIn = watching(rejects(new Error('no')), gives('ok'));
    const options = { name: 'users.read', retries: 1, backoff: everySeconds(1), fallback: standIn.call };
    const error = await scene(primary.call, options).failure();
    const shown = [...primary.seen, ...standIn.seen].map(({ number, kind, operationName, callId }) => [
      number,
      kind,
      operationName,
      callId,
    ]);
    const { callId } = error.report;
    expect(shown).toEqual([
      [1, 'primary', 'users.read', callId],
      [2, 'primary', 'users.read', callId],
      [3, 'fallback', 'users.read', callId],
    ]);
  });

  it('knows why the one before it failed', async () => {
    const errors = [new Error('first'), new Error('second')] as const;
    const { seen, call } = watching(rejects(errors[0]), rejects(errors[1]));
    const standIn = watching(gives('ok'));
    await scene(call, { retries: 1, fallback: standIn.call }).result();
    expect(seen.map((attempt) => attempt.lastError)).toEqual([undefined, errors[0]]);
    expect(standIn.seen[0]?.lastError).toBe(errors[1]);
    const timed = watching(hangs, gives('ok'));
    await scene(timed.call, { retries: 1, timeout: 1 }).result();
    expect(timed.seen[1]?.lastError).toBeInstanceOf(OperationTimeoutError);
  });

  it('counts down what remains of the nearer of timeout and deadline', async () => {
    const clock = new FakeClock();
    const { seen, call } = watching(after(clock, 3, gives(1)));
    const remaining = () => seen.at(-1)?.remainingSeconds;
    for (const [options, seconds] of [
      [{ timeout: 10 }, 10],
      [{ timeout: 10, deadline: 5 }, 5],
      [{}, Infinity],
    ] as const) {
      const { run } = scene(call, options, clock);
      const promise = run();
      await clock.advance(1);
      expect(remaining()).toBe(seconds - 1);
      await clock.settle(promise);
    }
    expect(remaining()).toBe(Infinity);
    await clock.settle(scene(call, { timeout: 4 }, clock).run());
    await clock.advance('1h');
    expect(remaining()).toBe(0);
  });

  it('has no limit in a fallback', async () => {
    const standIn = watching(gives('ok'));
    await scene(rejects(new Error('no')), { timeout: 1, deadline: 2, fallback: standIn.call }).result();
    expect(standIn.seen[0]?.remainingSeconds).toBe(Infinity);
  });

  it('is one object, with one signal, however often it is asked for', async () => {
    let same: boolean | undefined;
    await scene(() => {
      same = currentAttempt() === currentAttempt() && currentAttempt().signal === attemptSignal();
    }).result();
    expect(same).toBe(true);
  });
});

describe('the signal of an attempt', () => {
  it('is fresh for each attempt, and aborted by the timeout of its own with the error that it failed with', async () => {
    const { seen, call } = watching(hangs, hangs, gives('ok'));
    const signals = new Set<AbortSignal>();
    const { report } = await scene(
      () => {
        const answer = call();
        signals.add(seen.at(-1)?.signal as AbortSignal);
        return answer;
      },
      { timeout: 2, retries: 2, backoff: everySeconds(0) },
    ).result();
    expect(report.attemptCount).toBe(3);
    expect([...signals].map((signal) => signal.aborted)).toEqual([true, true, false]);
    expect([...signals][0]?.reason).toBeInstanceOf(OperationTimeoutError);
    expect([...signals][0]?.reason).toMatchObject({ scope: 'attempt', timeoutSeconds: 2 });
    expect([...signals][0]?.reason).toBe(seen[1]?.lastError);
  });

  it('is not aborted after a success or a failure of its own', async () => {
    const { seen, call } = watching(rejects(new Error('no')), gives('ok'));
    const { clock, result } = scene(call, { timeout: 2, retries: 1 });
    await result();
    await clock.advance('1h');
    expect(seen.map((attempt) => attempt.signal.aborted)).toEqual([false, false]);
  });

  it('that is read only after the end tells how the attempt ended', async () => {
    const { seen, call } = watching(hangs);
    const error = await scene(call, { timeout: 2 }).failure();
    expect(seen[0]?.signal.reason).toBe(error.cause);
  });

  it.each(['primary', 'fallback'])(
    'is aborted with the reason of the caller, in a %s attempt',
    async (kind) => {
      const controller = new AbortController();
      const { seen, call } = watching(hangs);
      const { run, clock } = scene(kind === 'primary' ? call : rejects(new Error('no')), {
        signal: controller.signal,
        ...(kind === 'fallback' && { fallback: call }),
      });
      const promise = run();
      await clock.advance(0);
      controller.abort('gone');
      expect(await rejection(promise)).toBe('gone');
      expect([seen[0]?.kind, seen[0]?.signal.reason]).toEqual([kind, 'gone']);
    },
  );

  it("of one call is not aborted by another's timeout, though they share a breaker", async () => {
    // B024
    const clock = new FakeClock();
    const circuitBreaker = new CircuitBreaker({ failureThreshold: 1 });
    const [a, b] = [watching(hangs), watching(after(clock, 0.15, gives('B')))];
    const failure = scene(a.call, { timeout: '100ms', circuitBreaker }, clock).failure();
    const { value } = await scene(b.call, { circuitBreaker }, clock).result();
    expect((await failure).report.status).toBe('timed_out');
    expect([value, b.seen[0]?.signal.aborted]).toEqual(['B', false]);
  });

  it('is undefined outside any attempt', () => {
    expect(attemptSignal()).toBeUndefined();
    expect(() => currentAttempt()).toThrow(MisuseError);
  });
});

describe('asking for the attempt after an await', () => {
  it('is a misuse that is not repeated, recorded or answered by a fallback, and reaches the caller unwrapped', async () => {
    const circuitBreaker = new CircuitBreaker({ failureThreshold: 1 });
    const upstream = new Upstream(gives(1));
    const standIn = new Upstream(gives(1));
    const { failure, reports } = scene(
      async () => {
        await upstream.call();
        return currentAttempt();
      },
      { circuitBreaker, retries: 3, fallback: standIn.call },
    );
    const error = await failure();
    expect(error).toBeInstanceOf(MisuseError);
    expect([upstream.calls.length, standIn.calls.length]).toEqual([1, 0]);
    expect(circuitBreaker.snapshot()).toMatchObject({ state: 'closed', failureCount: 0 });
    expect(
      reports.map(({ status, attempts }) => [status, attempts.map((attempt) => attempt.error?.type)]),
    ).toEqual([['failed', ['MisuseError']]]);
  });

  it('reaches even resultOf unwrapped, and out of a fallback, too', async () => {
    const late = async (): Promise<unknown> => {
      await Promise.resolve();
      return currentAttempt();
    };
    const { clock, run } = scene(rejects(new Error('no')), { fallback: late });
    expect(await clock.settle(rejection(resultOf(() => run())))).toBeInstanceOf(MisuseError);
  });

  it('frees the slot of a probe', async () => {
    const circuitBreaker = new CircuitBreaker({ failureThreshold: 1, recoveryTimeout: 1 });
    const clock = new FakeClock();
    await scene(rejects(new Error('no')), { circuitBreaker }, clock).failure();
    await clock.advance(1);
    await scene(
      async () => void (await Promise.resolve(), currentAttempt()),
      { circuitBreaker },
      clock,
    ).failure();
    expect(circuitBreaker.snapshot()).toMatchObject({ state: 'half_open', halfOpenProbeInFlight: false });
  });
});

describe('the attempt around code that ends in a synchronous throw', () => {
  it('is put back for the code after a nested call, and gone after the outer one', async () => {
    const numbers: unknown[] = [];
    const inner = scene(throws(new Error('no')), { name: 'inner' });
    const outer = scene(
      () => {
        numbers.push(currentAttempt().operationName);
        inner.run().catch(() => undefined);
        numbers.push(currentAttempt().operationName);
        throw new Error('no');
      },
      { name: 'outer' },
    );
    await outer.failure();
    expect(numbers).toEqual(['outer', 'outer']);
    expect(attemptSignal()).toBeUndefined();
  });
});
