import 'reflect-metadata';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { CircuitBreakerOpenError } from '../../lib/index.js';
import { ResilienceState } from '../../nest-module/index.js';
import { rejection } from '../operation/support.js';
import { RedisServer } from '../redis/redis-server.js';
import { delay, describeWithRedis, until } from '../redis/support.js';
import { INTERVAL_MS, startReplica, type Replica } from './replica.js';

describeWithRedis('two replicas of a Nest application that share their circuit breakers', () => {
  let server: RedisServer;
  let a: Replica;
  let b: Replica;
  let c: Replica | undefined;
  let tests = 0;
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  beforeEach(async () => {
    tests += 1;
    a = await startReplica(server.url, `${tests}:`);
    b = await startReplica(server.url, `${tests}:`);
    await until(() => [a, b].every(({ shared }) => shared.state === 'shared' && shared.replicas === 2));
  });
  afterEach(async () => {
    for (const { app } of [a, b, c].filter((replica) => replica !== undefined)) await app.close();
    c = undefined;
  });
  afterAll(() => server.stop());

  const openBoth = async (): Promise<void> => {
    for (const { payments, charge } of [a, b]) await payments.fails(2, charge);
    await until(() => [a, b].every(({ breaker }) => breaker('payments').snapshot().openedBy === 'fleet'));
  };

  it('open those of forRoot for both, for decorated methods', async () => {
    await openBoth();
    const refusal = await rejection(a.charge());
    expect(refusal).toBeInstanceOf(CircuitBreakerOpenError);
    expect(refusal).toMatchObject({ breakerName: 'payments', reason: 'fleet' });
    expect([a.payments.asked, b.payments.asked]).toEqual([2, 2]);
    expect(a.breaker('ledger').state).toBe('closed');
  });

  it('open those of forFeature, too, also in a replica that comes later', async () => {
    for (const { ledger, book } of [a, b]) await ledger.fails(2, book);
    await until(() => [a, b].every(({ breaker }) => breaker('ledger').snapshot().openedBy === 'fleet'));
    c = await startReplica(server.url, `${tests}:`);
    await until(() => c?.breaker('ledger').state === 'open');
    expect([await c.book(), c.ledger.asked]).toEqual(['later', 0]);
    expect(await c.charge()).toBe('receipt');
  });

  it('probe once, and close for both', async () => {
    await openBoth();
    await until(async () => {
      for (const { charge } of [a, b]) await charge().catch(() => undefined);
      return [a, b].every(({ breaker }) => breaker('payments').state === 'closed');
    });
    const probes = [a, b].flatMap(({ sink }) =>
      sink.events().filter(({ eventType }) => eventType === 'circuit_breaker.half_opened'),
    );
    expect(probes).toHaveLength(1);
    expect(probes[0]?.operationName).toBe('PaymentsClient.charge');
  });

  it('tell their sinks of the others, and of what the fleet does', async () => {
    await a.payments.fails(2, a.charge);
    await b.payments.fails(2, b.charge);
    c = await startReplica(server.url, `${tests}:`);
    await until(() => c?.breaker('payments').state === 'open');
    await delay(20);
    const told = c.sink.events().map(({ eventType, operationName }) => `${eventType} of ${operationName}`);
    expect(told).toEqual([
      'circuit_breaker.sharing_changed of circuit_breakers',
      'circuit_breaker.opened of circuit_breaker:payments',
    ]);
  });

  it('close for both at the reset of one', async () => {
    await openBoth();
    b.app.get(ResilienceState).reset('payments', 'the bank is back');
    await until(() => a.breaker('payments').state === 'closed');
    await delay(4 * INTERVAL_MS);
    expect([a, b].map(({ breaker }) => breaker('payments').state)).toEqual(['closed', 'closed']);
    expect([await a.charge(), await b.charge()]).toEqual(['receipt', 'receipt']);
  });

  it('leave each other when the application closes, before it closes its connection', async () => {
    await a.app.close();
    expect(a.shared.state).toBe('alone');
    await until(() => a.client.status === 'end');
    // At once: it has said so itself, and has not merely fallen silent.
    await until(() => b.shared.replicas === 1, 2 * INTERVAL_MS);
    expect(b.breaker('payments').snapshot().shared).toBe(true);
    expect(a.breaker('payments').snapshot().shared).toBe(false);
  });
});
