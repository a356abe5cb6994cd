import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from '@jest/globals';
import { InMemoryIdempotencyStore } from '../../lib/index.js';
import { deferred } from '../support/deferred.js';
import { heldBytes, heldOf, MEGABYTE } from '../operation/memory.js';
import { rejection } from '../operation/support.js';
import { keyed } from './support.js';

const requests = new AsyncLocalStorage<object>();
const down = new Error('down');

describe('what is kept of an execution', () => {
  it('is its value and its account, not the async context of those who asked for it', async () => {
    const store = new InMemoryIdempotencyStore();
    const gate = deferred<string>();
    const { run } = keyed(() => gate.promise, { store });
    const refs = await (async () => {
      const contexts = [{ request: 1 }, { request: 2 }, { request: 3 }];
      const calls = contexts.slice(0, 2).map((context) => requests.run(context, () => run('a')));
      gate.resolve('value');
      await Promise.all(calls);
      await requests.run(contexts[2] as object, () => run('a'));
      return contexts.map((context) => new WeakRef<object>(context));
    })();
    expect(await heldOf(refs)).toBe(0);
    expect([store.entryCount(), (await run('a')).value]).toEqual([1, 'value']);
  });

  it('is not its arguments, its instance, its first value or the callers’ signals', async () => {
    const store = new InMemoryIdempotencyStore();
    const { run } = keyed(
      async (_id: string, _signal: unknown, argument: object) => ({ argument: 1, of: [argument].length }),
      {
        store,
      },
    );
    const refs: WeakRef<object>[] = [];
    const noted = <T extends object>(object: T): T => (refs.push(new WeakRef(object)), object);
    const call = async (): Promise<void> => {
      const result = run.call(noted({}), 'a', noted(new AbortController()).signal, noted({}));
      noted(noted(await result).value as object);
    };
    await call();
    await call();
    expect(await heldOf(refs)).toBe(0);
    expect([refs.length, store.entryCount()]).toEqual([10, 1]);
  });

  it('is nothing where it fails, but for what its callers were told', async () => {
    const store = new InMemoryIdempotencyStore();
    const { run } = keyed(() => Promise.reject(down), { store });
    const ref = await (async () => {
      const context = { request: 1 };
      await requests.run(context, () => rejection(run('a')));
      return new WeakRef<object>(context);
    })();
    expect([await heldOf([ref]), store.entryCount()]).toEqual([0, 0]);
  });

  it('is nothing of a caller who left while another one asks the store', async () => {
    const store = { claim: () => new Promise<never>(() => undefined) };
    const { run } = keyed(async () => 'value', { store, onInFlight: 'reject' });
    const asking = run('a');
    const ref = await (async () => {
      const context = { request: 1 };
      const controller = new AbortController();
      const call = requests.run(context, () => run('a', controller.signal));
      controller.abort(down);
      await rejection(call);
      return new WeakRef<object>(context);
    })();
    expect([await heldOf([ref]), asking]).toEqual([0, expect.any(Promise)]);
  });

  it('is nothing at all in a long line of work, each piece of which starts the next', async () => {
    const [held, ended] = [[] as number[], deferred()];
    const { run } = keyed(
      async (id: string) => {
        const piece = Number(id);
        if (piece % 5_000 === 500) held.push(await heldBytes());
        if (held.length === 2) ended.resolve();
        else setImmediate(() => void run(String(piece + 1)));
      },
      { store: new InMemoryIdempotencyStore({ maxEntries: 1 }), fingerprint: (id: string) => id },
      { events: undefined, onReport: undefined },
    );
    await run('1');
    await ended.promise;
    const [before = 0, after = 0] = held;
    expect(after - before).toBeLessThan(0.75 * MEGABYTE);
  });

  it('is nothing of a caller who left while the work goes on for another', async () => {
    const gate = deferred<string>();
    const { run } = keyed(() => gate.promise);
    const staying = run('a');
    const ref = await (async () => {
      const context = { request: 1 };
      const controller = new AbortController();
      const call = requests.run(context, () => run('a', controller.signal));
      controller.abort(down);
      await rejection(call);
      return new WeakRef<object>(context);
    })();
    expect(await heldOf([ref])).toBe(0);
    gate.resolve('value');
    expect((await staying).value).toBe('value');
  });
});
