import { describe, expect, it } from '@jest/globals';
import {
  EventEmitter,
  idempotencyPolicy,
  InMemoryIdempotencyStore,
  resilient,
  type AnyEvent,
  type Claim,
  type EventSink,
  type IdempotencyStore,
  type OwnedKey,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { heldOf } from '../operation/memory.js';
import { gives, hangs, rejection, rejects, Upstream } from '../operation/support.js';
import { deferred } from '../support/deferred.js';
import { watch } from '../support/watch.js';
import { keyed, keyMetadata } from './support.js';

const owned = (more: Partial<OwnedKey> = {}): OwnedKey => ({
  state: 'owned',
  complete: () => undefined,
  release: () => undefined,
  ...more,
});

const elsewhere = (changed: (signal: AbortSignal) => Promise<void>): Claim => ({
  state: 'in_flight',
  fingerprint: undefined,
  changed,
});

/** A store that answers by a script; its last answer is repeated. */
function answering(...answers: (() => unknown)[]) {
  const asked: string[] = [];
  const store = {
    claim: (key: string) => {
      asked.push(key);
      return answers[Math.min(asked.length, answers.length) - 1]?.();
    },
  } as IdempotencyStore;
  return { store, asked };
}

/** So many microtasks, in which the engine goes on by as many steps. */
async function steps(count: number): Promise<void> {
  for (let step = 0; step < count; step += 1) await Promise.resolve();
}

const never = (): Promise<never> => new Promise(() => undefined);

/** A clock that a test can move while nothing else gets a chance to run, as work does that blocks the event loop. */
class BusyClock extends FakeClock {
  private busyMs = 0;

  block(ms: number): void {
    this.busyMs += ms;
  }

  override monotonicMs(): number {
    return super.monotonicMs() + (this.busyMs ?? 0);
  }
}

describe('a call that waits for another process', () => {
  it('ends at once with its signal while the store is asked again after a change', async () => {
    const { store, asked } = answering(() => elsewhere(() => Promise.resolve()), never);
    const { run, clock } = keyed(hangs, { store });
    const controller = new AbortController();
    const call = watch(run('a', controller.signal));
    await clock.advance(1);
    expect(asked).toHaveLength(2);
    controller.abort('gone');
    await clock.advance(0);
    expect(call).toEqual({ state: 'rejected', outcome: 'gone' });
  });

  it('ends at its deadline while the store is asked again after a change', async () => {
    const { store } = answering(() => elsewhere(() => Promise.resolve()), never);
    const { failure, clock } = keyed(hangs, { store }, { deadline: 2 });
    expect(await failure('a')).toMatchObject({ cause: { name: 'OperationTimeoutError', scope: 'deadline' } });
    expect(clock.pendingTimers).toBe(0);
  });

  it.each([
    ['its caller goes away', { deadline: undefined, ends: true }],
    ['its deadline comes', { deadline: 1, ends: false }],
  ])('tells the store to watch no longer when %s', async (_, { deadline, ends }) => {
    let watched: AbortSignal | undefined;
    const { store, asked } = answering(() => elsewhere((signal) => ((watched = signal), never())));
    const { run, clock } = keyed(hangs, { store }, { deadline });
    const controller = new AbortController();
    const call = watch(run('a', controller.signal));
    await clock.advance(0);
    expect(watched?.aborted).toBe(false);
    if (ends) controller.abort('gone');
    await clock.advance(1);
    expect([call.state, watched?.aborted, asked.length]).toEqual(['rejected', true, 1]);
  });

  it('has nothing to answer for when a store rejects as it is told to watch no longer', async () => {
    const clock = new BusyClock();
    const changed = (signal: AbortSignal): Promise<void> =>
      new Promise((_, reject) => {
        clock.block(5_000);
        signal.addEventListener('abort', () => reject(new Error('aborted')));
      });
    const { store } = answering(() => elsewhere(changed));
    const { failure } = keyed(hangs, { store }, { deadline: 2 }, clock);
    expect(await failure('a')).toMatchObject({ cause: { name: 'OperationTimeoutError', scope: 'deadline' } });
  });
});

describe('a key that comes too late', () => {
  it.each([
    ['rejects', () => Promise.reject(new Error('down'))],
    ['throws', () => fail(new Error('down'))],
  ])('leaves no error behind where the store %s as it is given back', async (_, release) => {
    const claim = deferred<Claim>();
    const { store } = answering(() => claim.promise);
    const upstream = new Upstream(gives(1));
    const { run, clock } = keyed(upstream.call, { store });
    const controller = new AbortController();
    const call = watch(run('a', controller.signal));
    controller.abort('gone');
    await clock.advance(0);
    claim.resolve(owned({ release }));
    await clock.advance(0);
    expect([call.outcome, upstream.calls.length]).toEqual(['gone', 0]);
  });

  it.each([
    ['rejects', () => Promise.reject(new Error('down'))],
    ['throws', () => fail(new Error('down'))],
  ])('by a moment is given back, and a store that %s is not what the caller hears of', async (_, release) => {
    let [released, kept] = [0, 0];
    const upstream = new Upstream(gives(1));
    for (let gap = 0; gap < 8; gap += 1) {
      const claim = deferred<Claim>();
      const { run } = keyed(upstream.call, { store: answering(() => claim.promise).store });
      const controller = new AbortController();
      const call = rejection(run('a', controller.signal));
      claim.resolve(owned({ release: () => ((released += 1), release()), complete: () => void (kept += 1) }));
      await steps(gap);
      controller.abort('gone');
      expect(await call).toBe('gone');
    }
    expect([released > 0, released + kept]).toEqual([true, 8]);
  });

  it('is no reason to ask a lazy thenable twice', async () => {
    let [claims, released] = [0, 0];
    const clock = new FakeClock();
    const lazy = {
      then: (resolve: (claim: Claim) => void) => {
        claims += 1;
        clock.setTimer(() => resolve(owned({ release: () => void (released += 1) })), 1_000);
      },
    };
    const { run } = keyed(hangs, { store: answering(() => lazy).store }, {}, clock);
    const controller = new AbortController();
    const call = rejection(run('a', controller.signal));
    await clock.advance('0.5s');
    controller.abort('gone');
    expect(await call).toBe('gone');
    await clock.advance('2s');
    expect([claims, released]).toEqual([1, 1]);
  });

  it('may come as nothing at all', async () => {
    const claim = deferred<Claim>();
    const { run, clock } = keyed(hangs, { store: answering(() => claim.promise).store });
    const controller = new AbortController();
    const call = rejection(run('a', controller.signal));
    controller.abort('gone');
    expect(await call).toBe('gone');
    claim.resolve(undefined as never);
    await clock.advance(0);
  });
});

function fail(error: unknown): never {
  throw error;
}

describe('a caller who goes away', () => {
  it('while its key is found is not executed for', async () => {
    const upstream = new Upstream(gives(1));
    const controller = new AbortController();
    const key = (id: string) => {
      controller.abort('gone');
      return id;
    };
    const { run } = keyed(upstream.call, { key });
    expect(await rejection(run('a', controller.signal))).toBe('gone');
    expect(upstream.calls).toHaveLength(0);
  });

  it('while a store answers at once is not executed for, and the key is given back', async () => {
    const upstream = new Upstream(gives(1));
    const controller = new AbortController();
    let released = 0;
    const { store } = answering(() => {
      controller.abort('gone');
      return owned({ release: () => void (released += 1) });
    });
    const { run, clock } = keyed(upstream.call, { store });
    expect(await rejection(run('a', controller.signal))).toBe('gone');
    await clock.advance(0);
    expect([upstream.calls.length, released]).toEqual([0, 1]);
  });

  it('as it takes over from another one is not executed for', async () => {
    for (let gap = 0; gap < 16; gap += 1) {
      const upstream = new Upstream(gives(1));
      const { store } = answering(never, () => owned());
      const { run } = keyed(upstream.call, { store });
      const [first, second] = [new AbortController(), new AbortController()];
      const calls = [
        rejection(run('a', first.signal)),
        run('a', second.signal).catch((error: unknown) => error),
      ];
      first.abort('first');
      await steps(gap);
      const ran = upstream.calls.length;
      second.abort('second');
      await Promise.all(calls);
      expect([gap, upstream.calls.length]).toEqual([gap, ran]);
    }
  });

  it('as the store fails hears its own reason', async () => {
    for (let gap = 0; gap < 8; gap += 1) {
      const claim = deferred<Claim>();
      const { run } = keyed(hangs, { store: answering(() => claim.promise).store });
      const controllers = [new AbortController(), new AbortController()];
      const calls = controllers.map(({ signal }) => rejection(run('a', signal)));
      claim.reject(new Error('down'));
      await steps(gap);
      for (const controller of controllers) controller.abort('gone');
      for (const error of await Promise.all(calls))
        expect([gap, error === 'gone' || error.cause?.name === 'IdempotencyStoreError']).toEqual([gap, true]);
    }
  });

  it('hears its own reason where the store cannot say who else waits, and the work ends', async () => {
    for (const untilUnawaited of [() => fail(new Error('down')), () => undefined as never]) {
      const { store } = answering(() => owned({ untilUnawaited }));
      const { run, clock, sink } = keyed(hangs, { store });
      const controller = new AbortController();
      const call = rejection(run('a', controller.signal));
      controller.abort('gone');
      expect(await call).toBe('gone');
      const next = watch(run('a'));
      await clock.advance(0);
      expect([next.state, sink.sequence().filter((type) => type === 'operation.started').length]).toEqual([
        'pending',
        2,
      ]);
    }
  });
});

describe('a call that has no time left before it waits', () => {
  it('has nothing to answer for when the store fails afterwards', async () => {
    const clock = new BusyClock();
    const claim = deferred<Claim>();
    const key = (id: string, _signal: unknown, blocksMs = 0) => (clock.block(blocksMs), id);
    const { run } = keyed(
      hangs,
      { key, store: answering(() => claim.promise).store },
      { deadline: 2 },
      clock,
    );
    const first = rejection(run('a'));
    const late = await rejection(run('a', undefined, 2_000));
    claim.reject(new Error('down'));
    expect([late.cause.name, (await first).cause.name]).toEqual([
      'OperationTimeoutError',
      'IdempotencyStoreError',
    ]);
  });
});

describe('a store that answers something else than a claim', () => {
  it.each([
    ['nothing', 'undefined', () => undefined],
    ['nothing, later', 'null', () => Promise.resolve(null)],
    ['something else', 'an object', () => ({ state: 'open' })],
    ['something else, later', 'a string', () => Promise.resolve('owned')],
  ])('has failed: %s', async (_, shown, answer) => {
    const upstream = new Upstream(gives(1));
    const { store } = answering(answer);
    expect((await keyed(upstream.call, { store }).failure('a')).cause).toMatchObject({
      name: 'IdempotencyStoreError',
      cause: {
        name: 'TypeError',
        message: `the store was asked for a key and answered ${shown}, which is no claim`,
      },
    });
    expect(upstream.calls).toHaveLength(0);
    expect((await keyed(upstream.call, { store, onStoreError: 'run' }).result('a')).value).toBe(1);
  });
});

describe('a store that is told of an outcome', () => {
  it('may answer with a thenable whose then() gives nothing', async () => {
    const kept = {
      then: (resolve: (value: undefined) => void) => void setImmediate(() => resolve(undefined)),
    };
    const { store } = answering(() => owned({ complete: () => kept as never }));
    const { result } = keyed(gives(1), { store });
    expect(keyMetadata((await result('a')).report)).toMatchObject({ idempotency_status: 'executed' });
  });
});

describe('the last one who waits', () => {
  it('has timed out by its report, too, where its deadline ends the work of others', async () => {
    const { run, clock, reports } = keyed(rejects(new Error('no')), {}, { deadline: 4, fallback: hangs });
    const controller = new AbortController();
    const first = rejection(run('a', controller.signal));
    await clock.advance(1);
    const last = rejection(run('a'));
    await clock.advance(1);
    controller.abort('gone');
    expect(await first).toBe('gone');
    const { cause, report } = await clock.settle(last);
    expect([cause.name, report.status]).toEqual(['OperationTimeoutError', 'timed_out']);
    expect(reports.map(({ status }) => status)).toEqual(['cancelled', 'timed_out']);
  });

  it('is told that the work ran without the store', async () => {
    const { store } = answering(() => fail(new Error('down')));
    const { run, clock, reports } = keyed(hangs, { store, onStoreError: 'run' });
    const controller = new AbortController();
    const call = rejection(run('a', controller.signal));
    await clock.advance(0);
    controller.abort('gone');
    await call;
    expect(reports.map(keyMetadata)).toMatchObject([{ idempotency_protected: false }]);
  });
});

describe('the events of a call with a key', () => {
  it('have the call id of its report, also what is told before anything runs', async () => {
    const ids: string[] = [];
    const sink: EventSink = { emit: (event: AnyEvent) => void ids.push(event.callId) };
    const { store } = answering(() => fail(new Error('down')));
    const { result } = keyed(
      gives(1),
      { store, onStoreError: 'run' },
      { events: new EventEmitter({ sinks: [sink] }) },
    );
    const { report } = await result('a');
    expect([ids.length, [...new Set(ids)]]).toEqual([5, [report.callId]]);
  });

  it.each([
    ['asks a slow store', () => Promise.resolve(owned())],
    ['cannot keep what came of it', () => owned({ complete: () => Promise.reject(new Error('down')) })],
  ])('are told once by a sink which is such a call itself and %s', async (_, claim) => {
    let [told, keys] = [0, 0];
    const { store } = answering(claim);
    const clock = new FakeClock();
    const events = new EventEmitter({ sinks: [{ emit: (event) => void emit(event) }] });
    const emit = resilient(
      {
        name: 'sink',
        clock,
        events,
        idempotency: idempotencyPolicy(() => `event ${(keys += 1)}`, { store }),
      },
      async (_event: AnyEvent) => {
        told += 1;
      },
    );
    await resilient({ name: 'op', clock, events }, async () => 1)();
    await clock.advance(1);
    const before = told;
    await clock.advance(1);
    expect([before > 0, told]).toEqual([true, before]);
  });
});

describe('what is left of an execution', () => {
  it('is not the value of the one who executed, for the results of others', async () => {
    const started = deferred();
    const { run } = keyed(async () => (await started.promise, { big: 1 }), {
      store: answering(() => owned()).store,
    });
    const calls = [run('a'), run('a')];
    started.resolve();
    const results = await Promise.all(calls);
    const refs = [new WeakRef(results[0]?.value as object)];
    results.shift();
    calls.length = 0;
    expect([await heldOf(refs), results[0]?.value]).toEqual([0, { big: 1 }]);
  });

  it('is nothing in work that starts its own successor', async () => {
    const values: WeakRef<object>[] = [];
    const held = deferred<number>();
    const store = new InMemoryIdempotencyStore({ maxEntries: 1 });
    const work = async (id: string): Promise<object> => {
      const number = Number(id);
      if (number === 30) held.resolve(await heldOf(values.slice(1, -2)));
      else setImmediate(() => void Promise.all([run(String(number + 1)), run(String(number + 1))]));
      const value = { number };
      values.push(new WeakRef(value));
      return value;
    };
    const { run } = keyed(work, { store, copy: false });
    await Promise.all([run('1'), run('1')]);
    expect(await held.promise).toBe(0);
  });
});
