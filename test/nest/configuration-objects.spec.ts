import { describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import { plainToInstance } from 'class-transformer';
import { CircuitBreakerOpenError, CircuitBreakerRegistry, Resilient } from '../../lib/index.js';
import {
  ResilienceExecutor,
  ResilienceModule,
  type ResilienceModuleOptions,
} from '../../nest-module/index.js';
import { mistakeOf } from '../support/mistake-of.js';
import { startWith } from './configuration-support.js';
import { start } from './support.js';

@Injectable()
class Client {
  calls = 0;

  @Resilient('upstream')
  async call(): Promise<never> {
    this.calls += 1;
    throw new TypeError('down');
  }
}

async function summaryOf(options: ResilienceModuleOptions): Promise<string> {
  const app = await start({ providers: [Client] }, { policies: { upstream: {} }, ...options });
  return app.get(ResilienceExecutor).descriptionOf('Client.call').summary.replace('Client.call: ', '');
}

describe('a name may be one that every object has:', () => {
  it.each(['constructor', 'toString', 'hasOwnProperty', '__proto__'])('%s', async (name) => {
    @Injectable()
    class Named {
      @Resilient({ name, circuitBreaker: name })
      async call(): Promise<void> {}

      @Resilient({ circuitBreaker: false })
      async plain(): Promise<void> {}
    }
    const operations = JSON.parse(
      `{ "${name}": { "timeout": "7s" } }`,
    ) as ResilienceModuleOptions['operations'];
    const app = await start({ providers: [Named] }, { circuitBreakers: [{ name }], operations });
    const executor = app.get(ResilienceExecutor);
    expect(executor.descriptionOf(name).summary).toBe(
      `${name}: circuit breaker '${name}' > timeout 7 s > method`,
    );
    expect(executor.descriptionOf('Named.plain').summary).toBe('Named.plain: method');
    expect(app.get(CircuitBreakerRegistry).names()).toEqual([name]);
  });

  it.each(['constructor', 'toString', '__proto__'])(
    'and %s is none of a breaker that nobody registered',
    async (name) => {
      @Injectable()
      class Named {
        @Resilient({ circuitBreaker: name })
        async call(): Promise<void> {}
      }
      await expect(start({ providers: [Named] })).rejects.toThrow(
        `circuitBreaker '${name}' is not registered`,
      );
    },
  );
});

describe('the object that configures an application', () => {
  const configure = () => ({
    circuitBreakers: [{ name: 'a', failureThreshold: 1, recordFailureOn: [TypeError] }],
    defaults: { deadline: '1m', retryOn: [TypeError] },
    policies: { upstream: { retries: '2', backoff: { jitter: false, baseDelay: 0 }, circuitBreaker: 'a' } },
    operations: { 'Client.call': { timeout: '5s' } },
    silenceWarnings: ['duration-in-milliseconds'],
  });
  const EXPECTED =
    "deadline 60 s > up to 3 attempts (0 s × 2, at most 10 s, no jitter) > circuit breaker 'a' > timeout 5 s > method";

  function deeply(value: unknown, work: (object: object) => void): void {
    if (typeof value !== 'object' || value === null) return;
    for (const inner of Object.values(value)) deeply(inner, work);
    work(value);
  }

  it('may be frozen', async () => {
    const options = configure();
    deeply(options, Object.freeze);
    expect(await summaryOf(options as ResilienceModuleOptions)).toBe(EXPECTED);
  });

  it('is left as it was', async () => {
    const options = configure();
    await summaryOf(options as ResilienceModuleOptions);
    expect(options).toEqual(configure());
  });

  it('may be emptied as soon as it has been handed over', async () => {
    const options = configure();
    const root = ResilienceModule.forRoot(options as ResilienceModuleOptions);
    deeply(options, (object) => {
      if (Array.isArray(object)) object.length = 0;
      for (const key of Object.keys(object)) delete (object as Record<string, unknown>)[key];
    });
    expect(options).toEqual({});
    const app = await startWith(root, { providers: [Client] });
    expect(app.get(ResilienceExecutor).descriptionOf('Client.call').summary).toBe(`Client.call: ${EXPECTED}`);
    const client = app.get(Client);
    await expect(client.call()).rejects.toBeInstanceOf(CircuitBreakerOpenError);
    expect([client.calls, app.get(CircuitBreakerRegistry).get('a').state]).toEqual([1, 'open']);
  });

  it('changes nothing when it changes while the application runs, also for what is loaded late', async () => {
    const options = configure();
    const app = await startWith(ResilienceModule.forRoot(options as ResilienceModuleOptions));
    options.policies.upstream.retries = '9';
    options.operations['Client.call'].timeout = '9s';
    options.defaults.retryOn.length = 0;
    class LateModule {}
    const late = await app.get(LazyModuleLoader).load(() => ({ module: LateModule, providers: [Client] }));
    await expect(late.get(Client).call()).rejects.toBeInstanceOf(CircuitBreakerOpenError);
    expect(app.get(ResilienceExecutor).descriptionOf('Client.call').summary).toBe(`Client.call: ${EXPECTED}`);
  });
});

class UpstreamSettings {
  retries?: string;
  timeout?: string;
}

describe('instances of configuration classes are what their properties say', () => {
  it('also where a property is undefined', async () => {
    const upstream = plainToInstance(UpstreamSettings, { retries: '1', timeout: undefined });
    expect(upstream).toBeInstanceOf(UpstreamSettings);
    const operations = { 'Client.call': Object.assign(new UpstreamSettings(), { timeout: '3s' }) };
    const bare = Object.assign(Object.create(null) as object, { deadline: '9s' });
    expect(await summaryOf({ policies: { upstream }, operations, defaults: bare })).toBe(
      'deadline 9 s > up to 2 attempts (0.1 s × 2, at most 10 s, full jitter) > timeout 3 s > method',
    );
  });

  it('and a property that is no option is refused', () => {
    const upstream = Object.assign(new UpstreamSettings(), { url: 'https://…' });
    expect(() => ResilienceModule.forRoot({ policies: { upstream } })).toThrow(
      "ResilienceModule.policies['upstream']: url is not an option here; the options are retries",
    );
  });
});

it('no text of a configuration is ever in a message: it may be a secret', () => {
  const secret = 'hunter2';
  const mistakes = [
    { defaults: { retries: secret } },
    { defaults: { timeout: secret } },
    { defaults: { idempotent: secret } },
    { defaults: { throws: secret } },
    { defaults: { retries: 1, backoff: { baseDelay: secret } } },
    { operations: { 'Client.call': { deadline: secret } } },
    { sinkErrors: secret },
    { silenceWarnings: [secret] },
    { circuitBreakers: [{ name: 'a', recoveryTimeout: secret }] },
    { circuitBreakers: [secret] },
  ].map((options) => mistakeOf(() => ResilienceModule.forRoot(options as never)).message);
  expect(mistakes).toHaveLength(10);
  expect(mistakes.join()).not.toContain(secret);
});
