import { describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import {
  idempotencyPolicy,
  InMemoryIdempotencyStore,
  Resilient,
  type MethodOptions,
} from '../../lib/index.js';
import { ResilienceExecutor, type ResilienceModuleOptions } from '../../nest-module/index.js';
import { start } from './support.js';

const byId = (id: string): string => id;
const once = idempotencyPolicy(byId, { fingerprint: byId });

/** Two processes, as far as a store can tell: how often work with one key is done in both together. */
async function callsInTwo(
  decorator: MethodOptions,
  optionsOf: () => ResilienceModuleOptions,
): Promise<number> {
  let calls = 0;
  for (const options of [optionsOf(), optionsOf()]) {
    @Injectable()
    class Orders {
      @Resilient(decorator as object)
      async place(_id: string): Promise<void> {
        calls += 1;
      }
    }
    const app = await start({ providers: [Orders] }, options);
    await app.get(Orders).place('o-1');
  }
  return calls;
}

describe('a store that the module names for all operations', () => {
  it.each([
    ['of simple options', { idempotencyKey: byId }],
    ['of a policy object that names none', { idempotency: once }],
    ['of a named policy', { use: 'once' }],
  ])('keeps the keys %s', async (_what, decorator) => {
    const idempotencyStore = new InMemoryIdempotencyStore();
    const options = () => ({ defaults: { idempotencyStore }, policies: { once: { idempotency: once } } });
    expect(await callsInTwo(decorator, options)).toBe(1);
    expect(idempotencyStore.entryCount()).toBe(1);
  });

  it('leaves those of a policy object that names its own to that one', async () => {
    const [store, idempotencyStore] = [new InMemoryIdempotencyStore(), new InMemoryIdempotencyStore()];
    const idempotency = idempotencyPolicy(byId, { store });
    expect(await callsInTwo({ idempotency }, () => ({ defaults: { idempotencyStore } }))).toBe(1);
    expect([store.entryCount(), idempotencyStore.entryCount()]).toEqual([1, 0]);
  });

  it('is nothing to operations without a key, nor to those that switch theirs off', async () => {
    const idempotencyStore = new InMemoryIdempotencyStore();
    expect(await callsInTwo({}, () => ({ defaults: { idempotencyStore } }))).toBe(2);
    expect(await callsInTwo({ idempotency: false }, () => ({ defaults: { idempotencyStore } }))).toBe(2);
  });

  it('is shown with the layer that it comes from', async () => {
    @Injectable()
    class Orders {
      @Resilient({ idempotency: once })
      async place(_id: string): Promise<void> {}
    }
    const defaults = { idempotencyStore: new InMemoryIdempotencyStore(), idempotencyTtl: '5m' } as const;
    const app = await start({ providers: [Orders] }, { defaults });
    expect(app.get(ResilienceExecutor).describe('Orders.place').split('\n')).toEqual([
      'Orders.place: idempotency (kept for 3600 s) > method',
      '  idempotencyStore InMemoryIdempotencyStore (defaults)',
      "  idempotency IdempotencyPolicy (decorator), over idempotencyTtl '5m' (defaults)",
    ]);
  });
});
