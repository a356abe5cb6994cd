import { describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { currentAttempt, Resilient } from '../../lib/index.js';
import { thrown } from '../operation/support.js';
import { Down, scene } from './support.js';

const nothing = {
  counts: {
    calls: 0,
    succeeded: 0,
    failed: 0,
    timed_out: 0,
    cancelled: 0,
    attempts: 0,
    retries: 0,
    refused: 0,
    fallbacks_used: 0,
    not_admitted: 0,
    shield_gave_up: 0,
    shield_recovered: 0,
    joined: 0,
    replayed: 0,
  },
  last_minute: { calls: 0, failed: 0, calls_per_second: 0, failure_rate: null },
  durations: { calls: 0, p50_seconds: null, p95_seconds: null, p99_seconds: null },
  last_failure: null,
};

const backoff = { delayForRetry: () => 1 };

@Injectable()
class MailClient {
  answer: () => unknown = () => 'sent';

  @Resilient({ retries: 2, backoff, retryOn: [Down], timeout: '2s', fallback: 'queue', fallbackOn: [Down] })
  async send(): Promise<unknown> {
    return this.answer();
  }

  async queue(): Promise<string> {
    return 'queued';
  }

  @Resilient({ signal: (signal?: AbortSignal) => signal })
  async hang(_signal?: AbortSignal): Promise<void> {
    await new Promise(() => {});
  }
}

async function mailScene() {
  const made = await scene({ providers: [MailClient] });
  return { ...made, mail: made.app.get(MailClient) };
}

describe('the operations in the state of an application', () => {
  it('are those that were found at start-up, with their composition', async () => {
    const { state } = await mailScene();
    expect(state.operations().map(({ operation_name }) => operation_name)).toEqual([
      'PaymentsClient.charge',
      'MailClient.send',
      'MailClient.hang',
    ]);
    expect(state.operation('PaymentsClient.charge')).toEqual({
      operation_name: 'PaymentsClient.charge',
      composition: "PaymentsClient.charge: circuit breaker 'payments' > method",
      options: [{ option: 'circuitBreaker', value: "'payments'", from: 'decorator', over: [] }],
      ...nothing,
    });
  });

  it('count what came of their calls, and how it came', async () => {
    const { clock, state, client, mail } = await mailScene();
    await mail.send();
    mail.answer = () => {
      throw new Down();
    };
    expect(await clock.settle(mail.send())).toBe('queued');
    mail.answer = () => {
      throw new RangeError();
    };
    await expect(mail.send()).rejects.toBeInstanceOf(RangeError);
    mail.answer = () => new Promise(() => void currentAttempt().signal);
    await clock.settle(mail.send().catch(() => undefined));
    expect(state.operation('MailClient.send').counts).toEqual({
      calls: 4,
      succeeded: 2,
      failed: 1,
      timed_out: 1,
      cancelled: 0,
      attempts: 7,
      retries: 2,
      refused: 0,
      fallbacks_used: 1,
      not_admitted: 0,
      shield_gave_up: 0,
      shield_recovered: 0,
      joined: 0,
      replayed: 0,
    });
    await client.fails(2);
    await expect(client.charge()).rejects.toHaveProperty('name', 'CircuitBreakerOpenError');
    expect(state.operation('PaymentsClient.charge').counts).toEqual({
      ...nothing.counts,
      calls: 3,
      failed: 3,
      attempts: 3,
      refused: 1,
    });
  });

  it('count the work of one execution once, whoever was given what came of it', async () => {
    @Injectable()
    class Orders {
      @Resilient({ idempotencyKey: (id: string) => id, retries: 1, backoff, retryOn: [Down] })
      async place(id: string): Promise<string> {
        if (currentAttempt().number === 1) throw new Down();
        return id;
      }
    }
    const { app, clock, state } = await scene({ providers: [Orders] });
    const orders = app.get(Orders);
    await clock.settle(Promise.all([orders.place('a'), orders.place('a'), orders.place('a')]));
    await clock.settle(orders.place('a'));
    const { counts, durations, last_minute } = state.operation('Orders.place');
    expect(counts).toEqual({
      ...nothing.counts,
      calls: 4,
      succeeded: 4,
      attempts: 2,
      retries: 1,
      joined: 2,
      replayed: 1,
    });
    expect(durations).toEqual({ calls: 1, p50_seconds: 1, p95_seconds: 1, p99_seconds: 1 });
    expect(last_minute.calls).toBe(4);
  });

  it('leave cancelled calls out of all that judges', async () => {
    const { clock, state, mail } = await mailScene();
    const controller = new AbortController();
    const call = mail.hang(controller.signal);
    await clock.advance(3);
    controller.abort();
    await expect(call).rejects.toHaveProperty('name', 'AbortError');
    expect(state.operation('MailClient.hang')).toMatchObject({
      ...nothing,
      counts: { ...nothing.counts, calls: 1, cancelled: 1, attempts: 1 },
    });
    expect(state.snapshot().executions).toMatchObject([{ status: 'cancelled', error_type: 'AbortError' }]);
  });

  it('have rates over the last minute, and over less while they have not been counted for one', async () => {
    const { clock, state, client } = await scene();
    const read = () => state.operation('PaymentsClient.charge').last_minute;
    await client.charge();
    await client.fails(1);
    await clock.advance('500ms');
    // Within the first second, as if it had been a whole one.
    expect(read()).toEqual({ calls: 2, failed: 1, calls_per_second: 2, failure_rate: 0.5 });
    await clock.advance('9500ms');
    client.answer = () => 'receipt';
    await client.charge();
    await client.charge();
    expect(read()).toEqual({ calls: 4, failed: 1, calls_per_second: 0.4, failure_rate: 0.25 });
    await clock.advance(49);
    expect(read()).toMatchObject({ calls: 4, failed: 1 });
    await clock.advance(1);
    // The first second is a minute ago.
    expect(read()).toEqual({ calls: 2, failed: 0, calls_per_second: 2 / 60, failure_rate: 0 });
    await clock.advance('1h');
    expect(read()).toEqual(nothing.last_minute);
    expect(state.operation('PaymentsClient.charge').counts.calls).toBe(4);
  });

  it('have the durations of their latest 100 calls', async () => {
    const { clock, state, client } = await scene();
    const read = () => state.operation('PaymentsClient.charge').durations;
    client.answer = () => new Promise((resolve) => void clock.setTimer(() => resolve('late'), 9_000));
    await clock.settle(client.charge());
    expect(read()).toEqual({ calls: 1, p50_seconds: 9, p95_seconds: 9, p99_seconds: 9 });
    for (let ms = 100; ms > 0; ms -= 1) {
      client.answer = () => new Promise((resolve) => void clock.setTimer(() => resolve('late'), ms));
      await clock.settle(client.charge());
    }
    expect(read()).toEqual({ calls: 100, p50_seconds: 0.05, p95_seconds: 0.095, p99_seconds: 0.099 });
  });

  it('have their last failure, by its type: a message may hold what no page should show', async () => {
    const { clock, state, client } = await scene();
    await clock.advance(2);
    await client.fails(1);
    client.answer = () => 'receipt';
    await clock.advance(2);
    await client.charge();
    const { last_failure } = state.operation('PaymentsClient.charge');
    expect(last_failure).toEqual({
      call_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      at: '2026-01-01T00:00:02.000Z',
      status: 'failed',
      error_type: 'Down',
    });
    expect(JSON.stringify(state.snapshot())).not.toContain('4111');
  });

  it('are also those that nobody knew at start-up, once they are called', async () => {
    const { app, state } = await scene();
    class LateClient {
      @Resilient()
      async call(): Promise<void> {}
    }
    Injectable()(LateClient);
    const late = await app.get(ModuleRef).create(LateClient);
    expect(state.operations()).toHaveLength(1);
    await late.call();
    expect(state.operation('LateClient.call')).toMatchObject({
      composition: 'LateClient.call: method',
      counts: { calls: 1 },
    });
  });

  it('are asked for by name, and the nearest one is named', async () => {
    const { state } = await scene();
    expect(thrown(() => state.operation('PaymentClient.charge')).message).toBe(
      "operationName 'PaymentClient.charge' is not known; did you mean 'PaymentsClient.charge'?",
    );
    expect(thrown(() => state.operation('nonsense')).message).toBe(
      "operationName 'nonsense' is not known; operations are named Class.method",
    );
    for (const name of [undefined, null, 5, ''])
      expect(thrown(() => state.operation(name as string))).toMatchObject({ option: 'operationName' });
  });
});
