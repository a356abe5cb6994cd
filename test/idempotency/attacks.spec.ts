import { describe, expect, it } from '@jest/globals';
import {
  EventEmitter,
  type AnyEvent,
  type EventSink,
  type IdempotencyClaim,
  type IdempotencyStore,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { heldOf } from '../operation/memory.js';
import { after, gives, hangs, rejection, rejects, Upstream } from '../operation/support.js';
import { deferred } from '../support/deferred.js';
import { watch } from '../support/watch.js';
import { keyed, keyMetadata } from './support.js';

type Owned = Extract<IdempotencyClaim, { readonly state: 'owned' }>;

const owned = (more: Partial<Owned> = {}): Owned => ({
  state: 'owned',
  complete: () => undefined,
  release: () => undefined,
  ...more,
});

const elsewhere = (changed: (signal: AbortSignal) => Promise<void>): IdempotencyClaim => ({
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
    const claim = deferred<IdempotencyClaim>();
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
    const claim = deferred<IdempotencyClaim>();
    let released = 0;
    const { store } = answering(() => claim.promise);
    const upstream = new Upstream(gives(1));
    const { run } = keyed(upstream.call, { store });
    for (let gap = 0; gap < 8; gap += 1) {
      const again = deferred<IdempotencyClaim>();
      const made = keyed(upstream.call, { store: answering(() => again.promise).store });
      const controller = new AbortController();
      const call = rejection(made.run('a', controller.signal));
      again.resolve(owned({ release: () => ((released += 1), release()) }));
      for (let step = 0; step < gap; step += 1) await null;
      controller.abort('gone');
      expect(await call).toBe('gone');
    }
    expect(released).toBe(8);
    void run;
  });

  it('is no reason to ask a lazy thenable twice', async () => {
    let claims = 0;
    let released = 0;
    const lazy = {
      then: (resolve: (claim: IdempotencyClaim) => void) => {
        claims += 1;
        setImmediate(() => resolve(owned({ release: () => void (released += 1) })));
      },
    };
    const { store } = answering(() => lazy);
    const { run, clock } = keyed(hangs, { store });
    const controller = new AbortController();
    const call = rejection(run('a', controller.signal));
    await clock.advance(0);
    controller.abort('gone');
    expect(await call).toBe('gone');
    await clock.advance(1);
    await clock.advance(1);
    expect([claims, released]).toEqual([1, 1]);
  });

  it('may come as nothing at all', async () => {
    const claim = deferred<IdempotencyClaim>();
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
      const calls = [rejection(run('a', first.signal)), run('a', second.signal).catch((error: unknown) => error)];
      first.abort('first');
      for (let step = 0; step < gap; step += 1) await null;
      const ran = upstream.calls.length;
      second.abort('second');
      await Promise.all(calls);
      expect([gap, upstream.calls.length]).toEqual([gap, ran]);
    }
  });

  it('as the store fails hears its own reason', async () => {
    for (let gap = 0; gap < 8; gap += 1) {
      const claim = deferred<IdempotencyClaim>();
      const { run } = keyed(hangs, { store: answering(() => claim.promise).store });
      const controllers = [new AbortController(), new AbortController()];
      const calls = controllers.map(({ signal }) => rejection(run('a', signal)));
      claim.reject(new Error('down'));
      for (let step = 0; step < gap; step += 1) await null;
      for (const controller of controllers) controller.abort('gone');
      for (const error of await Promise.all(calls))
        expect([gap, error === 'gone' || error.cause?.name === 'IdempotencyStoreError']).toEqual([gap, true]);
    }
  });

  it('hears its own reason where the store cannot say who else waits, and the work ends', async () => {
    for (const untilUnawaited of [() => fail(new Error('down')), () => undefined as never]) {
      const { store } = answering(() => owned({ untilUnawaited }));
      let signal: AbortSignal | undefined;
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
      void signal;
    }
  });
});
