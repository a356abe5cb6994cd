import { describe, expect, it } from '@jest/globals';
import { Injectable, Scope } from '@nestjs/common';
import { InMemoryIdempotencyStore, Resilient, resultOf } from '../../lib/index.js';
import { application } from '../nest/shutdown-scene.js';
import { roleOf } from './support.js';

let calls: string[] = [];
const byId = (id: string): string => id;
const shared = new InMemoryIdempotencyStore();

@Injectable()
class Client {
  @Resilient({ idempotencyKey: byId })
  async read(id: string): Promise<string> {
    calls.push(`read ${id}`);
    return `read ${id}`;
  }

  @Resilient({ idempotencyKey: byId })
  async write(id: string): Promise<string> {
    calls.push(`write ${id}`);
    return `written ${id}`;
  }

  @Resilient({ idempotencyKey: byId, idempotencyStore: shared })
  async readForAll(id: string): Promise<string> {
    calls.push(`for all ${id}`);
    return id;
  }
}

@Injectable({ scope: Scope.TRANSIENT })
class Transient extends Client {}

function fresh(): void {
  calls = [];
}

describe('the store of an operation that is given none', () => {
  it('is one in each application: neither another one nor another operation shares it [R171]', async () => {
    fresh();
    const [one, other] = [await application(Client), await application(Client)];
    for (const { client } of [one, other, one, other]) await client.read('a');
    expect(calls).toEqual(['read a', 'read a']);
    expect([await one.client.write('a'), await one.client.read('a')]).toEqual(['written a', 'read a']);
    expect(calls).toEqual(['read a', 'read a', 'write a']);
    expect(one.reports.map((report) => [report.operationName, roleOf(report)])).toEqual([
      ['Client.read', 'executed'],
      ['Client.read', 'replayed'],
      ['Client.write', 'executed'],
      ['Client.read', 'replayed'],
    ]);
  });

  it('is that of all instances in an application', async () => {
    fresh();
    const { app } = await application(Client, {}, { providers: [Transient] });
    const [one, other] = [await app.resolve(Transient), await app.resolve(Transient)];
    expect(one).not.toBe(other);
    await one.read('a');
    await other.read('a');
    expect(calls).toEqual(['read a']);
  });

  it('goes by the clock of its application', async () => {
    fresh();
    const { client, clock } = await application(Client);
    await client.read('a');
    await clock.advance('1h');
    await client.read('a');
    expect([calls, clock.pendingTimers]).toEqual([['read a', 'read a'], 0]);
  });

  it('is not that of a store which is given: applications share that', async () => {
    fresh();
    const [one, other] = [await application(Client), await application(Client)];
    await one.client.readForAll('a');
    expect(roleOf((await resultOf(other.client.readForAll('a'))).report)).toBe('replayed');
    expect(calls).toEqual(['for all a']);
  });

  it('is that of the defaults of an application where they have one, with their time to live', async () => {
    fresh();
    const store = new InMemoryIdempotencyStore();
    const { client, clock } = await application(Client, {
      defaults: { idempotencyStore: store, idempotencyTtl: '5m' },
    });
    await client.read('a');
    await client.write('a');
    expect([store.entryCount(), calls]).toEqual([2, ['read a', 'write a']]);
    await clock.advance('5m');
    expect([await client.read('a'), calls.length]).toEqual(['read a', 3]);
  });

  it.each([false, 'false'])(
    'is asked for nothing where configuration switches the key off with %p',
    async (off) => {
      // FAULT: the type OperationConfiguration (nest-module/options.ts) has neither `idempotency` nor `idempotencyTtl`,
      // though both work, and `defaults` and `policies` have them; hence the `object`.
      const operations = { 'Client.read': { idempotency: off } as object };
      fresh();
      const { client } = await application(Client, { operations });
      await client.read('a');
      await client.read('a');
      expect(calls).toEqual(['read a', 'read a']);
    },
  );

  it('lives as long as configuration says', async () => {
    const operations = { 'Client.read': { idempotencyTtl: '30s' } as object };
    fresh();
    const { client, clock } = await application(Client, { operations });
    await client.read('a');
    await clock.advance('30s');
    await client.read('a');
    expect(calls).toEqual(['read a', 'read a']);
  });
});
