import { describe, expect, it } from '@jest/globals';
import {
  asyncOperation,
  attemptSignal,
  CircuitBreaker,
  resilient,
  RetryPolicy,
  TimeoutPolicy,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { deferred } from '../support/deferred.js';
import { heldBytes, heldOf, MEGABYTE } from './memory.js';
import { build, everySeconds, hangs, listenersOf, rejection, scene, Upstream } from './support.js';

const once = async (): Promise<number> => 1;

/** By how many bytes more is held after something than before it. */
async function growth(work: () => Promise<void>): Promise<number> {
  // Once to warm up: compiled code and caches are no leak.
  await work();
  const before = await heldBytes();
  await work();
  return (await heldBytes()) - before;
}

describe('the signal of a caller', () => {
  it('has one listener at most through fifty retries, and none afterwards', async () => {
    // B001
    const { signal } = new AbortController();
    const counts: number[] = [];
    const upstream = new Upstream(() => {
      counts.push(listenersOf(signal));
      attemptSignal();
      throw new Error('no');
    });
    const { failure } = scene(upstream.call, {
      retries: 50,
      timeout: '100ms',
      backoff: everySeconds(0.01),
      signal,
    });
    await failure();
    expect(counts).toEqual(Array.from({ length: 51 }, () => 1));
    expect(listenersOf(signal)).toBe(0);
  });

  it('has no listener after each of a thousand successes under retry, breaker, timeout and deadline', async () => {
    // B002
    const { signal } = new AbortController();
    const policies = {
      retry: new RetryPolicy(),
      timeout: new TimeoutPolicy(1),
      deadline: '5s' as const,
      circuitBreaker: new CircuitBreaker(),
      signal,
    };
    const clock = new FakeClock();
    const operation = build(once, policies, clock);
    for (let call = 0; call < 1_000; call += 1) {
      await operation.run();
      if (listenersOf(signal) !== 0 || clock.pendingTimers !== 0)
        throw new Error(`something is left after call ${call}`);
    }
    expect((await operation.runWith({ signal })).value).toBe(1);
    expect(listenersOf(signal)).toBe(0);
  });

  it('that lives as long as the application holds nothing of a hundred thousand calls', async () => {
    // B004
    const { signal } = new AbortController();
    const reading = asyncOperation('read', async () => attemptSignal()?.aborted)
      .withTimeout(new TimeoutPolicy('1m'))
      .withSignal(signal);
    const grown = await growth(async () => {
      for (let call = 0; call < 50_000; call += 1) await reading.run();
    });
    expect(grown).toBeLessThan(10 * MEGABYTE);
    expect(listenersOf(signal)).toBe(0);
  }, 60_000);
});

describe('a value that a call has given', () => {
  it('is held by nobody, though a signal, an outer call and a deadline go on', async () => {
    // B006
    const { signal } = new AbortController();
    const gate = deferred();
    const refs: WeakRef<object>[] = [];
    const inner = asyncOperation('inner', async () => {
      const value = { data: new Uint8Array(100_000) };
      refs.push(new WeakRef(value));
      return value;
    }).withTimeout(new TimeoutPolicy('1h'));
    const outer = asyncOperation('outer', async () => {
      // All of them are started inside the attempt that goes on, and end long before it.
      await Promise.all(Array.from({ length: 100 }, () => inner.run().then(() => undefined)));
      await gate.promise;
    });
    const running = outer.withDeadline('1h').runWith({ signal });
    await new Promise(setImmediate);
    expect(refs).toHaveLength(100);
    expect(await heldOf(refs)).toBe(0);
    gate.resolve();
    await running;
  });

  it('is held no more than its call by an attempt that has started very many and goes on', async () => {
    const gate = deferred();
    const inner = asyncOperation('inner', once);
    const outer = asyncOperation('outer', () => {
      for (let call = 0; call < 20_000; call += 1) void inner.run();
      return gate.promise;
    });
    const before = await heldBytes();
    const running = outer.run();
    expect((await heldBytes()) - before).toBeLessThan(3 * MEGABYTE);
    gate.resolve();
    await running;
  }, 60_000);

  it('weighs nothing any more after thousands of calls, however large it was', async () => {
    // B006
    const { signal } = new AbortController();
    const read = asyncOperation('read', async () => Buffer.alloc(100_000))
      .withTimeout(new TimeoutPolicy('1h'))
      .withSignal(signal);
    const grown = await growth(async () => {
      for (let call = 0; call < 2_500; call += 1) await read.run();
    });
    expect(grown).toBeLessThan(20 * MEGABYTE);
  }, 60_000);

  it('and the arguments it was made of are held by the report of the call neither', async () => {
    const { run, clock } = scene(async (order: { id: number }) => ({ receipt: order.id }), { timeout: 1 });
    const { refs, report } = await (async () => {
      const order = { id: 1 };
      const result = await clock.settle(run(order));
      return { refs: [new WeakRef(order), new WeakRef(result.value as object)], report: result.report };
    })();
    expect(await heldOf(refs)).toBe(0);
    expect(report.status).toBe('succeeded');
  });
});

describe('the timers of calls that have ended', () => {
  it('are none on a clock of a test, however far the deadline was', async () => {
    // B009
    const clock = new FakeClock();
    const operation = build(once, { deadline: 1_000, timeout: new TimeoutPolicy(500) }, clock);
    await Promise.all(Array.from({ length: 1_000 }, () => operation.run()));
    expect(clock.pendingTimers).toBe(0);
  });

  it('hold no call until a deadline that is far away', async () => {
    // B009
    const operation = asyncOperation('read', once).withDeadline('1000s');
    const grown = await growth(async () => {
      for (let call = 0; call < 25_000; call += 1) await operation.run();
    });
    expect(grown).toBeLessThan(10 * MEGABYTE);
  }, 60_000);

  it('are at most as many as there are lengths of time', async () => {
    const clock = new FakeClock();
    const run = resilient({ name: 'op', clock, timeout: 1, deadline: 5 }, hangs);
    const calls = Array.from({ length: 500 }, () => rejection(run()));
    expect(clock.pendingTimers).toBe(2);
    await clock.settle(Promise.all(calls));
    expect(clock.pendingTimers).toBe(0);
  });

  it('hold nothing of operations that are made with ever new timeouts', async () => {
    const grown = await growth(async () => {
      for (let call = 0; call < 5_000; call += 1) {
        await asyncOperation('op', once)
          .withTimeout(new TimeoutPolicy(1_000 + call / 7))
          .run();
      }
    });
    expect(grown).toBeLessThan(4 * MEGABYTE);
  }, 60_000);
});
