import { describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { FakeClock } from '../../lib/testing/index.js';
import { getResilientMetadata, Resilient, type MethodOptions } from '../../lib/index.js';
import {
  RESILIENCE_CLOCK,
  ResilienceExecutor,
  type OperationConfiguration,
  type ResilienceModuleOptions,
} from '../../nest-module/index.js';
import { start } from './support.js';

const now = { delayForRetry: () => 0 };
const policies: NonNullable<ResilienceModuleOptions['policies']> = {
  upstream: { retries: 2, backoff: now, timeout: '2s' },
  internal: { timeout: '100ms' },
};

async function summaryOf(
  given: MethodOptions | string,
  operation?: OperationConfiguration,
  options: ResilienceModuleOptions = {},
): Promise<string> {
  @Injectable()
  class Client {
    @Resilient(given as string)
    async call(): Promise<void> {}
  }
  const operations = { 'Client.call': operation } as Record<string, OperationConfiguration>;
  const app = await start({ providers: [Client] }, { policies, operations, ...options });
  return app.get(ResilienceExecutor).descriptionOf('Client.call').summary.replace('Client.call: ', '');
}

describe('a named policy is used', () => {
  it.each<[string, MethodOptions | string, OperationConfiguration | undefined, string]>([
    ['by its name alone', 'upstream', undefined, 'up to 3 attempts > timeout 2 s > method'],
    [
      'under the options of a decorator',
      { use: 'upstream', retries: 4 },
      undefined,
      'up to 5 attempts > timeout 2 s > method',
    ],
    ['by a name in operations', {}, { use: 'internal' }, 'timeout 0.1 s > method'],
    [
      'by the name in operations, not by that of the decorator',
      'upstream',
      { use: 'internal' },
      'timeout 0.1 s > method',
    ],
    [
      'by the decorator while operations says something else',
      'upstream',
      { retries: 0 },
      'timeout 2 s > method',
    ],
    ['by nobody once operations switches it off', 'upstream', { use: false }, 'method'],
    ['by nobody where a decorator says so', { use: false }, undefined, 'method'],
    ['by nobody that leaves it open', { use: undefined }, undefined, 'method'],
  ])('%s', async (_name, given, operation, expected) => {
    expect(await summaryOf(given, operation)).toBe(expected);
  });

  it('by several methods, each with a plan of its own', async () => {
    const clock = new FakeClock();
    @Injectable()
    class Client {
      calls = 0;

      @Resilient('upstream')
      async fail(): Promise<never> {
        this.calls += 1;
        throw new Error('down');
      }

      @Resilient('upstream')
      hang(): Promise<never> {
        this.calls += 1;
        return new Promise(() => undefined);
      }
    }
    const app = await start({ providers: [Client] }, { policies }, (builder) =>
      builder.overrideProvider(RESILIENCE_CLOCK).useValue(clock),
    );
    const client = app.get(Client);
    await expect(client.fail()).rejects.toThrow('down');
    expect([client.calls, clock.monotonicMs()]).toEqual([3, 0]);
    await expect(clock.settle(client.hang())).rejects.toMatchObject({ timeoutSeconds: 2 });
    expect([client.calls, clock.monotonicMs(), clock.pendingTimers]).toEqual([6, 6_000, 0]);
  });

  it('through a base class by each of its subclasses', async () => {
    class Base {
      @Resilient('upstream')
      async call(): Promise<void> {}
    }
    @Injectable()
    class Eu extends Base {}
    @Injectable()
    class Us extends Base {}
    const operations = { 'Us.call': { use: 'internal' } };
    const executor = (await start({ providers: [Eu, Us] }, { policies, operations })).get(ResilienceExecutor);
    expect(executor.descriptionOf('Eu.call').summary).toBe(
      'Eu.call: up to 3 attempts > timeout 2 s > method',
    );
    expect(executor.descriptionOf('Us.call').summary).toBe('Us.call: timeout 0.1 s > method');
  });

  it('and the short form is what the long one is', () => {
    class Client {
      @Resilient('upstream')
      async short(): Promise<void> {}
    }
    expect(getResilientMetadata(Client, 'short')?.options).toEqual({ use: 'upstream' });
  });
});

describe('a policy that nobody knows stops the application, with', () => {
  const UNKNOWN = "Client.call: use 'upstraem' is no policy of the module; did you mean 'upstream'?";

  it('the nearest name', async () => {
    await expect(summaryOf('upstraem')).rejects.toThrow(UNKNOWN);
    await expect(summaryOf({}, { use: 'upstraem' })).rejects.toThrow(UNKNOWN);
  });

  it('the cure where no name is near', async () => {
    await expect(summaryOf('database')).rejects.toThrow(
      "Client.call: use 'database' is no policy of the module; add it: policies: { 'database': { … } }",
    );
    await expect(summaryOf('database', undefined, { policies: undefined })).rejects.toThrow('add it');
  });

  it('no regard for what every object has', async () => {
    for (const name of ['constructor', 'toString', '__proto__'])
      await expect(summaryOf(name)).rejects.toThrow(`use '${name}' is no policy of the module`);
  });
});

describe('a policy may be named', () => {
  it.each(['constructor', 'toString', '__proto__', 'a b'])('%s', async (name) => {
    const named = JSON.parse(`{ "${name}": { "timeout": "7s" } }`) as typeof policies;
    expect(await summaryOf(name, undefined, { policies: named })).toBe('timeout 7 s > method');
  });
});

describe('a name of a policy is refused where the class is defined', () => {
  it.each([
    ['a blank one', ' ', 'use is a blank string; give a text that is not blank'],
    ['one of the wrong kind', { use: 1 }, 'use is the number 1; give a text that is not blank'],
    ['true', { use: true }, 'use is true; give a text that is not blank'],
  ])('%s', (_name, given, message) => {
    const define = () => {
      class Client {
        @Resilient(given as string)
        async call(): Promise<void> {}
      }
      return Client;
    };
    expect(define).toThrow(`Client.call: ${message}`);
  });

  it('and within a policy, which cannot use another one', async () => {
    const nested = { a: { use: 'upstream' } } as unknown as typeof policies;
    await expect(summaryOf('a', undefined, { policies: nested })).rejects.toThrow(
      "ResilienceModule.policies['a']: use is not an option here",
    );
  });
});
