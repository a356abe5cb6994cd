import { describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import {
  CircuitBreakerRegistry,
  currentAttempt,
  ExponentialBackoff,
  InMemoryEventSink,
  OperationTimeoutError,
  Resilient,
  resultOf,
} from '../../lib/index.js';
import { FakeClock, seededRandom } from '../../lib/testing/index.js';
import { RESILIENCE_CLOCK, RESILIENCE_EVENTS, RESILIENCE_RANDOM } from '../../nest-module/index.js';
import { start } from './support.js';

const START = new Date('2026-03-01T12:00:00Z');

@Injectable()
class PaymentsClient {
  up = false;
  calls = 0;

  @Resilient({
    retries: 2,
    timeout: '2s',
    circuitBreaker: 'payments',
    backoff: new ExponentialBackoff({ baseDelay: 1, jitter: false }),
  })
  async charge(): Promise<string> {
    this.calls += 1;
    const { signal } = currentAttempt();
    if (this.up) return 'charged';
    return new Promise((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason as Error)),
    );
  }

  @Resilient({ retries: 3 })
  async jittered(): Promise<void> {
    throw new Error('down');
  }
}

async function scenario(random = seededRandom(1)) {
  const clock = new FakeClock({ startAt: START });
  const sink = new InMemoryEventSink();
  const app = await start(
    { providers: [PaymentsClient] },
    {
      circuitBreakers: [{ name: 'payments', failureThreshold: 3, recoveryTimeout: '30s' }],
      eventSinks: [sink],
    },
    (builder) =>
      builder
        .overrideProvider(RESILIENCE_CLOCK)
        .useValue(clock)
        .overrideProvider(RESILIENCE_RANDOM)
        .useValue(random),
  );
  return {
    app,
    clock,
    sink,
    client: app.get(PaymentsClient),
    breaker: app.get(CircuitBreakerRegistry).get('payments'),
  };
}

/** Seconds since the start of the scenario. */
function at(moment: Date): number {
  return (moment.getTime() - START.getTime()) / 1000;
}

describe('under a fake clock', () => {
  it('timeouts, retries and the recovery of a breaker take no real time', async () => {
    const realStart = performance.now();
    const { client, clock, breaker } = await scenario();

    const failed = resultOf(client.charge());
    const error: any = await clock.settle(failed).catch((reason: unknown) => reason);
    expect(error.cause).toBeInstanceOf(OperationTimeoutError);
    // Three tries of 2 s, and 1 s and 2 s between them.
    expect(error.report.toJSON()).toMatchObject({
      started_at: START.toISOString(),
      duration_seconds: 9,
      attempt_count: 3,
    });
    expect(error.report.attempts.map(({ startedAt }: { startedAt: Date }) => at(startedAt))).toEqual([
      0, 3, 7,
    ]);
    expect(breaker.snapshot()).toMatchObject({ state: 'open', retryAfterSeconds: 30 });
    expect(at(breaker.snapshot().openedAt as Date)).toBe(9);

    client.up = true;
    await clock.advance('20s');
    await expect(clock.settle(client.charge())).rejects.toMatchObject({
      breakerName: 'payments',
      retryAfterSeconds: 10,
    });
    expect(at(new Date(clock.wallMs()))).toBe(29);
    await clock.advance('10s');
    expect(breaker.snapshot().probeDue).toBe(true);
    const { value, report } = await resultOf(client.charge());
    expect([value, at(report.startedAt), breaker.state]).toEqual(['charged', 39, 'closed']);
    expect(client.calls).toBe(4);
    expect(clock.pendingTimers).toBe(0);
    expect(performance.now() - realStart).toBeLessThan(9_000);
  });

  it('events carry its time', async () => {
    const { client, clock, sink } = await scenario();
    await clock.settle(client.charge().catch(() => undefined));
    expect(sink.events().map(({ eventType, timestamp }) => `${at(timestamp)} ${eventType}`)).toEqual([
      '0 operation.started',
      '0 attempt.started',
      '2 attempt.failed',
      '2 retry.scheduled',
      '3 attempt.started',
      '5 attempt.failed',
      '5 retry.scheduled',
      '7 attempt.started',
      '9 circuit_breaker.opened',
      '9 attempt.failed',
      '9 operation.failed',
    ]);
  });

  it('events that the application emits itself carry its time too', async () => {
    const { app, clock, sink } = await scenario();
    await clock.advance('5s');
    const payload = { attempt_number: 1, max_attempts: 1 };
    await app.get(RESILIENCE_EVENTS).emit('attempt.started', { operationName: 'own', payload });
    expect(sink.events().map(({ timestamp }) => at(timestamp))).toEqual([5]);
  });

  it('the random source of the application draws the jitter', async () => {
    const draws = [0.5, 0.25, 0, 1];
    const { client, clock } = await scenario(() => draws.shift() ?? Number.NaN);
    const error: any = await clock.settle(resultOf(client.jittered())).catch((reason: unknown) => reason);
    expect(
      error.report.attempts.map(({ waitedSeconds }: { waitedSeconds: number }) => waitedSeconds),
    ).toEqual([0.05, 0.05, 0, 0]);
    expect(draws).toEqual([]);

    const [first, second] = [await scenario(seededRandom(7)), await scenario(seededRandom(7))];
    await first.clock.settle(first.client.jittered().catch(() => undefined));
    await second.clock.settle(second.client.jittered().catch(() => undefined));
    expect(first.clock.monotonicMs()).toBeGreaterThan(0);
    expect(second.clock.monotonicMs()).toBe(first.clock.monotonicMs());
  });
});
