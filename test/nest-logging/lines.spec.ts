import { describe, expect, it } from '@jest/globals';
import { Inject, Injectable, Module } from '@nestjs/common';
import {
  CircuitBreakerOpenError,
  fallbackChain,
  FallbackChainError,
  Resilient,
  ValidationFailedError,
  validator,
} from '../../lib/index.js';
import { ResilienceLogger } from '../../nest-module/index.js';
import { eventAt, startLogged, type LoggedApp } from './support.js';

class HttpError extends Error {}

const everySecond = { delayForRetry: () => 1 };

@Injectable()
class PaymentsClient {
  up = false;

  @Resilient({ retries: 3, backoff: everySecond })
  async charge(): Promise<string> {
    return this.answer();
  }

  @Resilient({ circuitBreaker: 'payments' })
  async refund(): Promise<string> {
    return this.answer();
  }

  @Resilient({ retries: 1, backoff: everySecond, fallback: 'queueForLater' })
  async chargeOrQueue(): Promise<string> {
    return this.answer();
  }

  async queueForLater(): Promise<string> {
    return 'queued';
  }

  @Resilient({ fallbacks: fallbackChain(['cache', rejects], ['backup', rejects]) })
  async lookUp(): Promise<string> {
    return this.answer();
  }

  @Resilient({ retries: 5, backoff: everySecond, deadline: 2.5 })
  async hurry(): Promise<string> {
    return this.answer();
  }

  @Resilient({ validate: validator('has amount', () => false, { message: 'no amount for card 4111' }) })
  async check(): Promise<string> {
    return 'value';
  }

  private async answer(): Promise<string> {
    if (this.up) return 'value';
    throw new HttpError('token=s3cret');
  }
}

async function rejects(): Promise<never> {
  throw new HttpError('token=s3cret');
}

const circuitBreakers = [{ name: 'payments', failureThreshold: 2, recoveryTimeout: 30 }];

function started(eventSinks: (typeof ResilienceLogger | ResilienceLogger)[] = [ResilienceLogger]) {
  return startLogged({ providers: [PaymentsClient] }, { circuitBreakers, eventSinks });
}

/** Calls a method, whatever comes of it. */
function call({ app, clock }: LoggedApp, method: Exclude<keyof PaymentsClient, 'up'>): Promise<unknown> {
  const client = app.get(PaymentsClient);
  return clock.settle(client[method]().catch((error: unknown) => error));
}

describe('the logger of an application is told', () => {
  it('that an operation gave up: after how many attempts, in which time, with what', async () => {
    const logged = await started();
    await call(logged, 'charge');
    expect(logged.book.taken()).toEqual([
      'warn [Resilience] PaymentsClient.charge gave up after 4 attempts in 3 s: HttpError',
    ]);
  });

  it('that a circuit breaker opened, refuses, half-opened and closed', async () => {
    const logged = await started();
    await call(logged, 'refund');
    await call(logged, 'refund');
    expect(await call(logged, 'refund')).toBeInstanceOf(CircuitBreakerOpenError);
    expect(logged.book.taken()).toEqual([
      'warn [Resilience] PaymentsClient.refund gave up after 1 attempt in 0 s: HttpError',
      "error [Resilience] circuit breaker 'payments' opened after 2 failures (PaymentsClient.refund)",
      'warn [Resilience] PaymentsClient.refund gave up after 1 attempt in 0 s: HttpError',
      'warn [Resilience] PaymentsClient.refund was refused by an open circuit breaker',
    ]);

    await logged.clock.advance('30s');
    await call(logged, 'refund');
    expect(logged.book.taken()).toEqual([
      "log [Resilience] circuit breaker 'payments' half-opened: a probe is on its way (PaymentsClient.refund)",
      "error [Resilience] circuit breaker 'payments' opened again: the probe failed (PaymentsClient.refund)",
      'warn [Resilience] PaymentsClient.refund gave up after 1 attempt in 0 s: HttpError',
    ]);

    await logged.clock.advance('30s');
    logged.app.get(PaymentsClient).up = true;
    expect(await call(logged, 'refund')).toBe('value');
    expect(logged.book.taken()).toEqual([
      "log [Resilience] circuit breaker 'payments' half-opened: a probe is on its way (PaymentsClient.refund)",
      "log [Resilience] circuit breaker 'payments' closed (PaymentsClient.refund)",
    ]);
  });

  it.each([
    ['consecutive_failures', 'closed', 2, 'opened after 2 failures'],
    ['failure_rate', 'closed', 12, 'opened after 12 failures'],
    ['slow_call_rate', 'closed', 0, 'opened: too many calls are slow'],
    ['budget', 'closed', 0, 'opened: its budget is spent'],
    ['budget', 'half_open', 0, 'opened: its budget is spent'],
    ['probe_failed', 'half_open', 0, 'opened again: the probe failed'],
    ['fleet', 'closed', 0, 'opened: it is open in other processes'],
  ])('that %s opened a breaker that was %s', async (opened_by, from_state, failure_count, text) => {
    const { app, book } = await started();
    const opened = { breaker_name: 'db', from_state, to_state: 'open', failure_count, opened_by };
    app.get(ResilienceLogger).emit(eventAt(0, 'circuit_breaker.opened', opened));
    expect(book.taken()).toEqual([`error [Resilience] circuit breaker 'db' ${text} (Client.call)`]);
  });

  it('that a fallback was used, and which', async () => {
    const logged = await started();
    expect(await call(logged, 'chargeOrQueue')).toBe('queued');
    expect(logged.book.taken()).toEqual([
      'warn [Resilience] PaymentsClient.chargeOrQueue used its fallback queueForLater after 2 attempts',
    ]);
  });

  it('that the fallback failed, too', async () => {
    const logged = await started();
    expect(await call(logged, 'lookUp')).toBeInstanceOf(FallbackChainError);
    expect(logged.book.taken()).toEqual([
      'warn [Resilience] PaymentsClient.lookUp gave up after 1 attempt and its fallback in 0 s: FallbackChainError',
    ]);
  });

  it('that the deadline left no room for another try', async () => {
    const logged = await started();
    await call(logged, 'hurry');
    expect(logged.book.taken()).toEqual([
      'warn [Resilience] PaymentsClient.hurry gave up after 3 attempts in 2 s, at its deadline: HttpError',
    ]);
  });

  it.each([
    ['circuit_breaker.opened', true, 'database moves', 'was forced open: database moves'],
    ['circuit_breaker.closed', true, null, 'was forced closed'],
    ['circuit_breaker.closed', false, 'moved', 'was reset: moved'],
  ] as const)(
    'that an operator moved a circuit breaker: %s, forced %s, %s',
    async (type, forced, reason, text) => {
      const { app, book } = await started();
      const moved = { breaker_name: 'payments', from_state: 'half_open', failure_count: 0, forced, reason };
      app.get(ResilienceLogger).emit(eventAt(0, type, moved, 'circuit_breaker:payments'));
      expect(book.taken()).toEqual([`warn [Resilience] circuit breaker 'payments' ${text}`]);
    },
  );

  it.each([
    ['claim', false, 'when asked for a key: RedisError; nothing was executed'],
    ['claim', true, 'when asked for a key: RedisError; the call went on'],
    ['complete', true, 'when given a result to keep: RedisError; the call went on'],
    ['release', true, 'when told that a key is free: RedisError; the call went on'],
  ] as const)('that the store of keys failed at %s', async (step, continued, text) => {
    const { app, book } = await startLogged({});
    const failed = { step, continued, error_type: 'RedisError' };
    app.get(ResilienceLogger).emit(eventAt(0, 'idempotency.store_failed', failed));
    expect(book.taken()).toEqual([`error [Resilience] Client.call met a failing store of keys ${text}`]);
  });

  it.each([
    ['too_large', 'it is too large'],
    ['not_encodable', 'it could not be copied or written down'],
    ['lost', 'the key was lost to another owner'],
  ] as const)('that a result is not kept: %s', async (reason, text) => {
    const { app, book } = await startLogged({});
    app.get(ResilienceLogger).emit(eventAt(0, 'idempotency.not_kept', { reason }));
    expect(book.taken()).toEqual([`warn [Resilience] Client.call has a result that is not kept: ${text}`]);
  });

  it('nothing of calls that succeed, nor of retries that help', async () => {
    const logged = await started();
    const client = logged.app.get(PaymentsClient);
    logged.clock.setTimer(() => (client.up = true), 1_500);
    expect(await call(logged, 'charge')).toBe('value');
    expect(await call(logged, 'refund')).toBe('value');
    expect(logged.book.taken()).toEqual([]);
  });
});

describe('the options of the logger', () => {
  it('attempts: failed attempts and the waits between them are there at debug level', async () => {
    const logged = await started([new ResilienceLogger({ attempts: true })]);
    await call(logged, 'chargeOrQueue');
    expect(logged.book.taken()).toEqual([
      'debug [Resilience] PaymentsClient.chargeOrQueue failed in attempt 1 after 0 s: HttpError',
      'debug [Resilience] PaymentsClient.chargeOrQueue waits 1 s before attempt 2',
      'debug [Resilience] PaymentsClient.chargeOrQueue failed in attempt 2 after 0 s: HttpError',
      'warn [Resilience] PaymentsClient.chargeOrQueue used its fallback queueForLater after 2 attempts',
    ]);
  });

  it('messages: what a validator said is there only when it is asked for', async () => {
    const silent = await started();
    expect(await call(silent, 'check')).toBeInstanceOf(ValidationFailedError);
    expect(silent.book.taken()).toEqual([
      'warn [Resilience] PaymentsClient.check gave up after 1 attempt in 0 s: ValidationFailedError',
    ]);
    const talkative = await started([new ResilienceLogger({ messages: true, attempts: true })]);
    await call(talkative, 'check');
    expect(talkative.book.taken()).toEqual([
      'debug [Resilience] PaymentsClient.check failed in attempt 1 after 0 s: ValidationFailedError (no amount for card 4111)',
      'warn [Resilience] PaymentsClient.check gave up after 1 attempt in 0 s: ValidationFailedError (no amount for card 4111)',
    ]);
  });
});

describe('the logger as a class of the application', () => {
  it('takes its options from what a subclass injects', async () => {
    @Injectable()
    class Config {
      readonly attempts = true;
    }
    @Module({ providers: [Config], exports: [Config] })
    class ConfigModule {}
    @Injectable()
    class ConfiguredLogger extends ResilienceLogger {
      constructor(@Inject(Config) { attempts }: Config) {
        super({ attempts });
      }
    }
    const options = { eventSinks: [ConfiguredLogger], imports: [ConfigModule], circuitBreakers };
    const logged = await startLogged({ providers: [PaymentsClient] }, options);
    await call(logged, 'refund');
    expect(logged.book.taken()).toHaveLength(2);
  });
});
