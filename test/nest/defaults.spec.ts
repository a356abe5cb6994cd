import { describe, expect, it } from '@jest/globals';
import { Injectable, NotFoundException } from '@nestjs/common';
import {
  fallbackChain,
  OperationExecutionError,
  reportOf,
  Resilient,
  RetryPolicy,
  validationPolicy,
  validator,
  type MethodOptions,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import {
  RESILIENCE_CLOCK,
  ResilienceExecutor,
  type ResilienceModuleOptions,
} from '../../nest-module/index.js';
import { start } from './support.js';

type Defaults = NonNullable<ResilienceModuleOptions['defaults']>;

const never = { delayForRetry: () => 0 };

/** Under these defaults, how an application reads the policies of a method with these options. */
async function described(defaults: Defaults, options: MethodOptions): Promise<string> {
  @Injectable()
  class Client {
    @Resilient(options as object)
    async call(): Promise<void> {}
  }
  const app = await start(
    { providers: [Client] },
    { defaults, circuitBreakers: [{ name: 'a' }, { name: 'b' }] },
  );
  return app.get(ResilienceExecutor).descriptionOf('Client.call').summary.replace('Client.call: ', '');
}

const policy = new RetryPolicy({ maxAttempts: 7, backoff: never });
const chain = fallbackChain(['cache', async () => undefined], ['none', async () => undefined]);
const stale = async (): Promise<void> => undefined;
const validation = validationPolicy(validator('v', () => true, { message: 'no' }));

describe('the defaults of the module lie under every decorator', () => {
  const cases: [string, Defaults, MethodOptions, string][] = [
    [
      'what the decorator leaves out is taken from them',
      { timeout: '10s', retries: 2, backoff: never },
      {},
      'up to 3 attempts > timeout 10 s > method',
    ],
    [
      'what the decorator says goes first',
      { timeout: '10s', deadline: 60 },
      { timeout: '1s' },
      'deadline 60 s > timeout 1 s > method',
    ],
    [
      'undefined is not given',
      { timeout: 10, circuitBreaker: 'a' },
      { timeout: undefined, circuitBreaker: undefined },
      "circuit breaker 'a' > timeout 10 s > method",
    ],
    ['false switches a timeout off', { timeout: 10 }, { timeout: false }, 'method'],
    ['false switches a deadline off', { deadline: 10 }, { deadline: false }, 'method'],
    ['false switches a circuit breaker off', { circuitBreaker: 'a' }, { circuitBreaker: false }, 'method'],
    [
      'another circuit breaker replaces theirs',
      { circuitBreaker: 'a' },
      { circuitBreaker: 'b' },
      "circuit breaker 'b' > method",
    ],
    [
      'retries: 0 switches retrying off',
      { retries: 3, retryOn: () => true, backoff: never },
      { retries: 0 },
      'method',
    ],
    ['retries: 0 switches their retry policy off', { retry: policy }, { retries: 0 }, 'method'],
    [
      'retry: false switches their simple options off',
      { retries: 3, retryOn: () => true },
      { retry: false },
      'method',
    ],
    [
      'retries keep their backoff',
      { retries: 1, backoff: never },
      { retries: 4 },
      'up to 5 attempts > method',
    ],
    ['a backoff keeps their retries', { retries: 1 }, { backoff: never }, 'up to 2 attempts > method'],
    [
      'a retry policy replaces the whole group',
      { retries: 1, retryOn: [TypeError], backoff: never },
      { retry: policy },
      'up to 7 attempts > method',
    ],
    [
      'simple options replace their retry policy',
      { retry: policy },
      { retries: 1, backoff: never },
      'up to 2 attempts > method',
    ],
    [
      'a fallback keeps their fallbackOn',
      { fallback: stale, fallbackOn: [TypeError] },
      { fallback: async () => undefined },
      'method; else fallback fallback',
    ],
    [
      'a chain replaces the whole group',
      { fallback: stale, fallbackOn: [TypeError] },
      { fallbacks: chain },
      'method; else fallback cache, none',
    ],
    [
      'a fallback replaces their chain',
      { fallbacks: chain },
      { fallback: stale },
      'method; else fallback stale',
    ],
    [
      'fallback: false switches theirs off',
      { fallback: stale, fallbackOn: [TypeError] },
      { fallback: false },
      'method',
    ],
    ['fallbacks: false switches their chain off', { fallbacks: chain }, { fallbacks: false }, 'method'],
    ['fallback: false switches their chain off', { fallbacks: chain }, { fallback: false }, 'method'],
    ['validate: false switches theirs off', { validate: () => true }, { validate: false }, 'method'],
    ['validate: false switches their validation off', { validation }, { validate: false }, 'method'],
    ['validation replaces their validate', { validate: () => true }, { validation }, 'validation > method'],
  ];
  it.each(cases)('%s', async (_title, defaults, options, expected) => {
    expect(await described(defaults, options)).toBe(expected);
  });

  it('and a filter of theirs judges the failures of a decorator that only gives retries', async () => {
    let calls = 0;
    @Injectable()
    class Client {
      @Resilient({ retries: 3 })
      async call(error: Error): Promise<void> {
        calls += 1;
        throw error;
      }
    }
    const app = await start({ providers: [Client] }, { defaults: { retryOn: [RangeError], backoff: never } });
    await expect(app.get(Client).call(new TypeError('a'))).rejects.toThrow(TypeError);
    expect(calls).toBe(1);
    await expect(app.get(Client).call(new RangeError('b'))).rejects.toThrow(RangeError);
    expect(calls).toBe(5);
  });

  it('and tell each call of every method to their onReport', async () => {
    const seen: string[] = [];
    @Injectable()
    class Client {
      @Resilient()
      async one(): Promise<void> {}

      @Resilient({ onReport: () => seen.push('own') })
      async two(): Promise<void> {}
    }
    const app = await start(
      { providers: [Client] },
      { defaults: { onReport: ({ operationName }) => seen.push(operationName) } },
    );
    await app.get(Client).one();
    await app.get(Client).two();
    expect(seen).toEqual(['Client.one', 'own']);
  });

  it('and never reach another application or the stand-alone executor', async () => {
    @Injectable()
    class Client {
      calls = 0;

      @Resilient()
      async call(): Promise<void> {
        this.calls += 1;
        throw new Error('down');
      }
    }
    const retrying = await start({ providers: [Client] }, { defaults: { retries: 2, backoff: never } });
    const plain = await start({ providers: [Client] });
    const clients = [retrying.get(Client), plain.get(Client), new Client()];
    for (const client of clients) await expect(client.call()).rejects.toThrow('down');
    expect(clients.map(({ calls }) => calls)).toEqual([3, 1, 1]);
  });
});

describe("throws: 'execution-error' of the module", () => {
  @Injectable()
  class Client {
    @Resilient()
    async find(): Promise<void> {
      throw new NotFoundException();
    }

    @Resilient({ throws: 'original' })
    async original(): Promise<void> {
      throw new NotFoundException();
    }
  }

  it('makes methods reject with the report in hand, unless the decorator says otherwise', async () => {
    const app = await start({ providers: [Client] }, { defaults: { throws: 'execution-error' } });
    const error = await app
      .get(Client)
      .find()
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(OperationExecutionError);
    const { cause, report } = error as OperationExecutionError;
    expect(cause).toBeInstanceOf(NotFoundException);
    expect([report.operationName, report.status, report.attemptCount]).toEqual(['Client.find', 'failed', 1]);
    expect(reportOf(error)).toBe(report);
    await expect(app.get(Client).original()).rejects.toBeInstanceOf(NotFoundException);
  });
});

it('a timeout of the module ends each try of a method that says nothing', async () => {
  const clock = new FakeClock();
  @Injectable()
  class Client {
    @Resilient()
    call(): Promise<void> {
      return new Promise(() => undefined);
    }
  }
  const app = await start({ providers: [Client] }, { defaults: { timeout: '10s' } }, (builder) =>
    builder.overrideProvider(RESILIENCE_CLOCK).useValue(clock),
  );
  await expect(clock.settle(app.get(Client).call())).rejects.toMatchObject({
    scope: 'attempt',
    timeoutSeconds: 10,
  });
  expect(clock.monotonicMs()).toBe(10_000);
  expect(clock.pendingTimers).toBe(0);
});
