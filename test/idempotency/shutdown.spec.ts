import { describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { reportOf, Resilient, ResilienceShutdownError } from '../../lib/index.js';
import { application, everySeconds, turn } from '../nest/shutdown-scene.js';
import { rejection } from '../operation/support.js';
import { deferred } from '../support/deferred.js';
import { watch } from '../support/watch.js';
import { inFlight, RemoteStore } from './remote-store.js';
import { keyMetadata, roleOf } from './support.js';

let gate = deferred<string>();
let calls: string[] = [];
const byId = (id: string): string => id;
const elsewhere = new RemoteStore(async () => inFlight(() => new Promise(() => undefined)));
const later: RemoteStore = new RemoteStore(() => Promise.resolve(later.owned()));

@Injectable()
class Client {
  @Resilient({ idempotencyKey: byId })
  async slow(_id: string): Promise<string> {
    calls.push('slow');
    return gate.promise;
  }

  @Resilient({ idempotencyKey: byId, idempotencyStore: later })
  async later(_id: string): Promise<string> {
    calls.push('later');
    return gate.promise;
  }

  @Resilient({ idempotencyKey: byId, retries: 5, backoff: everySeconds(60), fallback: () => 'stand-in' })
  async retried(_id: string): Promise<string> {
    calls.push('retried');
    throw new Error('down');
  }

  @Resilient({ idempotencyKey: byId, idempotencyStore: elsewhere })
  async elsewhere(_id: string): Promise<string> {
    calls.push('elsewhere');
    return 'here';
  }
}

function fresh(): void {
  [gate, calls] = [deferred<string>(), []];
}

describe('an application that closes', () => {
  // B166
  it('ends all who wait for work with their key, not who executes', async () => {
    fresh();
    const { app, client, clock, reports } = await application(Client);
    const [first, second, third] = ['a', 'a', 'a'].map((id) => watch(client.slow(id)));
    await clock.advance('1m');
    await app.close();
    await turn();
    for (const joined of [second, third]) {
      expect(joined?.state).toBe('rejected');
      expect(joined?.outcome).toBeInstanceOf(ResilienceShutdownError);
      const report = reportOf(joined?.outcome);
      expect(report).toMatchObject({
        operationName: 'Client.slow',
        status: 'cancelled',
        durationSeconds: 60,
      });
      expect(keyMetadata(report as never)).toMatchObject({ idempotency_status: 'joined' });
    }
    expect(first?.state).toBe('pending');
    gate.resolve('done');
    await turn();
    expect(first).toEqual({ state: 'fulfilled', outcome: 'done' });
    expect(reports.map((report) => [report.status, roleOf(report)])).toEqual([
      ['cancelled', 'joined'],
      ['cancelled', 'joined'],
      ['succeeded', 'executed'],
    ]);
    expect([calls, clock.pendingTimers]).toEqual([['slow'], 0]);
  });

  it('does not end who has waited for the store and executes now', async () => {
    fresh();
    const { app, client } = await application(Client);
    const call = watch(client.later('a'));
    await turn();
    expect(calls).toEqual(['later']);
    await app.close();
    await turn();
    expect(call.state).toBe('pending');
    gate.resolve('done');
    await turn();
    expect(call).toEqual({ state: 'fulfilled', outcome: 'done' });
  });

  it('lets nobody wait who comes later', async () => {
    fresh();
    const { app, client } = await application(Client);
    const first = client.slow('a');
    await app.close();
    expect(await rejection(client.slow('a'))).toBeInstanceOf(ResilienceShutdownError);
    gate.resolve('done');
    expect([await first, calls]).toEqual(['done', ['slow']]);
  });

  it('ends who waits for another process', async () => {
    fresh();
    const { app, client, clock } = await application(Client);
    const waiting = watch(client.elsewhere('a'));
    await clock.advance('1s');
    await app.close();
    await turn();
    expect(waiting.state).toBe('rejected');
    expect(waiting.outcome).toBeInstanceOf(ResilienceShutdownError);
    expect(calls).toEqual([]);
  });

  it('ends work that waits for its next try, for all who wait for it', async () => {
    fresh();
    const { app, client, clock, reports } = await application(Client);
    const callers = ['a', 'a', 'a'].map((id) => watch(client.retried(id)));
    await clock.advance('1s');
    await app.close();
    await turn();
    for (const { state, outcome } of callers) {
      expect(state).toBe('rejected');
      expect(outcome).toBeInstanceOf(ResilienceShutdownError);
    }
    expect(reports.map((report) => [report.status, roleOf(report)]).sort()).toEqual([
      ['cancelled', 'executed'],
      ['cancelled', 'joined'],
      ['cancelled', 'joined'],
    ]);
    expect([calls, clock.pendingTimers]).toEqual([['retried'], 0]);
  });
});
