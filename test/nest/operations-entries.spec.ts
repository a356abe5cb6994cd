import { describe, expect, it } from '@jest/globals';
import { Controller, Get, Injectable, Scope, UseGuards, type CanActivate } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import { Resilient } from '../../lib/index.js';
import {
  ResilienceExecutor,
  ResilienceModule,
  type ResilienceModuleOptions,
} from '../../nest-module/index.js';
import { messageOf, startWith } from './configuration-support.js';
import { start } from './support.js';

type Operations = NonNullable<ResilienceModuleOptions['operations']>;

@Injectable()
class PaymentsClient {
  @Resilient({ retries: 1, retryOn: [TypeError] })
  async charge(): Promise<void> {}

  @Resilient({ name: 'refunds' })
  async refund(): Promise<void> {}

  async plain(): Promise<void> {}
}

/** Each name with a timeout of its own, in seconds. */
const timeouts = (...names: string[]): Operations =>
  Object.fromEntries(names.map((name, index) => [name, { timeout: index + 1 }]));

const refusal = (name: string, cure: string): string =>
  `ResilienceModule: operations['${name}'] is about no decorated method of this application; ${cure}`;
const EXACT = 'give the exact name of an operation, Class.method';

describe('an entry of operations that is about nothing stops the application, with', () => {
  it.each([
    ['PaymentsClient.chrage', "did you mean 'PaymentsClient.charge'?"],
    ['paymentsClient.charge', "did you mean 'PaymentsClient.charge'?"],
    ['PaymentClient.charge', "did you mean 'PaymentsClient.charge'?"],
    ['PaymentsClient.plain', EXACT],
    ['PaymentsClient', EXACT],
    ['charge', EXACT],
    ['PaymentsClient.*', EXACT],
    ['*', EXACT],
    ['', EXACT],
    ['refund', "did you mean 'refunds'?"],
    ['PaymentsClient.refund', "the operation of that method is named 'refunds'"],
    ['OrdersService.list', EXACT],
  ])('%j: %s', async (name, cure) => {
    const starting = start({ providers: [PaymentsClient] }, { operations: timeouts(name) });
    expect(await messageOf(starting)).toBe(refusal(name, cure));
  });

  it('all of them, together with mistakes of another kind, in one error', async () => {
    @Injectable()
    class Broken {
      @Resilient({ circuitBreaker: 'nowhere' })
      async call(): Promise<void> {}

      @Resilient('unknown')
      async other(): Promise<void> {}
    }
    const operations = timeouts(
      'PaymentsClient.chrage',
      'Broken.call',
      'Broken.cal',
      'PaymentsClient.charge',
    );
    const message = await messageOf(start({ providers: [PaymentsClient, Broken] }, { operations }));
    expect(
      message
        .split('\n')
        .slice(1, -1)
        .map((line) => line.replace(/^ {2}\d\. /, '')),
    ).toEqual([
      expect.stringMatching(/^Broken\.call: circuitBreaker 'nowhere' is not registered/),
      expect.stringMatching(/^Broken\.other: use 'unknown' is no policy of the module/),
      refusal('PaymentsClient.chrage', "did you mean 'PaymentsClient.charge'?"),
      // A method with a mistake is there all the same.
      refusal('Broken.cal', "did you mean 'Broken.call'?"),
    ]);
  });

  it('the same where the settings come later', async () => {
    const root = ResilienceModule.forRootAsync({ useFactory: () => ({ operations: timeouts('A.b') }) });
    expect(await messageOf(startWith(root))).toBe(refusal('A.b', EXACT));
  });

  it('a mistake that only the entry makes named as one of the operation', async () => {
    const described = (operations: Operations) =>
      messageOf(start({ providers: [PaymentsClient] }, { operations }));
    expect(await described({ 'PaymentsClient.charge': { circuitBreaker: 'nowhere' } })).toMatch(
      /^PaymentsClient\.charge: circuitBreaker 'nowhere' is not registered/,
    );
    expect(await described({ 'PaymentsClient.charge': { fallback: 'plian' } })).toBe(
      "PaymentsClient.charge: fallback 'plian' is no method of this class; did you mean 'plain'?",
    );
    expect(await described({ 'PaymentsClient.charge': { retry: 'false', maxRateLimitWait: '1s' } })).toBe(
      'PaymentsClient.charge: maxRateLimitWait is given without rateLimitOn; add rateLimitOn, or leave maxRateLimitWait out',
    );
  });
});

describe('an entry of operations is about', () => {
  const summaryIn = (app: { get(type: typeof ResilienceExecutor): ResilienceExecutor }, name: string) =>
    app.get(ResilienceExecutor).descriptionOf(name).summary;

  it('a method by the name of its operation, be it one of its own', async () => {
    const operations = timeouts('PaymentsClient.charge', 'refunds');
    const app = await start({ providers: [PaymentsClient] }, { operations });
    expect(summaryIn(app, 'PaymentsClient.charge')).toContain('timeout 1 s');
    expect(summaryIn(app, 'refunds')).toBe('refunds: timeout 2 s > method');
  });

  it('one of the classes that inherit a method, which each have a name of their own', async () => {
    class Host {
      @Resilient()
      async fetch(): Promise<void> {}
    }
    @Injectable()
    class Eu extends Host {}
    @Injectable()
    class Us extends Host {}
    const app = await start({ providers: [Eu, Us] }, { operations: timeouts('Eu.fetch', 'Us.fetch') });
    expect([summaryIn(app, 'Eu.fetch'), summaryIn(app, 'Us.fetch')]).toEqual([
      'Eu.fetch: timeout 1 s > method',
      'Us.fetch: timeout 2 s > method',
    ]);
  });

  it('controllers, guards and scoped classes, and methods whose names are symbols', async () => {
    const secret = Symbol('secret');
    @Injectable()
    class Guard implements CanActivate {
      @Resilient()
      async canActivate(): Promise<boolean> {
        return true;
      }
    }
    @Controller()
    @UseGuards(Guard)
    class OrdersController {
      @Resilient()
      @Get()
      async list(): Promise<void> {}
    }
    @Injectable({ scope: Scope.REQUEST })
    class Scoped {
      @Resilient()
      async [secret](): Promise<void> {}
    }
    const names = ['Guard.canActivate', 'OrdersController.list', 'Scoped.[secret]'];
    const metadata = { controllers: [OrdersController], providers: [Scoped] };
    const app = await start(metadata, { operations: timeouts(...names) });
    expect(names.map((name) => summaryIn(app, name).replace(name, ''))).toEqual([
      ': timeout 1 s > method',
      ': timeout 2 s > method',
      ': timeout 3 s > method',
    ]);
  });

  it('a class that no module has yet, once it is loaded', async () => {
    @Injectable()
    class LateClient {
      @Resilient()
      async call(): Promise<void> {}
    }
    class LateModule {}
    const app = await start({}, { operations: timeouts('LateClient.call') });
    const late = await app
      .get(LazyModuleLoader)
      .load(() => ({ module: LateModule, providers: [LateClient] }));
    await late.get(LateClient).call();
    expect(summaryIn(app, 'LateClient.call')).toBe('LateClient.call: timeout 1 s > method');
  });

  it('the layer of a base class that a subclass calls', async () => {
    class Base {
      @Resilient()
      async call(): Promise<void> {}
    }
    @Injectable()
    class Sub extends Base {
      override async call(): Promise<void> {
        await super.call();
      }
    }
    const app = await start({ providers: [Sub] }, { operations: timeouts('Base.call') });
    await app.get(Sub).call();
    expect(summaryIn(app, 'Base.call')).toBe('Base.call: timeout 1 s > method');
  });

  it('both layers of a method that is decorated twice, which have one name', async () => {
    const told = { reports: 0 };
    @Injectable()
    class Twice {
      @Resilient()
      @Resilient({ onReport: () => (told.reports += 1) })
      async call(): Promise<void> {}
    }
    const app = await start({ providers: [Twice] }, { operations: { 'Twice.call': { deadline: 1 } } });
    await app.get(Twice).call();
    expect([summaryIn(app, 'Twice.call'), told.reports]).toEqual(['Twice.call: deadline 1 s > method', 1]);
  });
});

describe('fallbacks that only configuration names', () => {
  @Injectable()
  class Ring {
    @Resilient()
    async one(): Promise<void> {}

    @Resilient()
    async two(): Promise<void> {}
  }

  it('must not lead back to where they come from', async () => {
    const operations = { 'Ring.one': { fallback: 'two' }, 'Ring.two': { fallback: 'one' } };
    const message = await messageOf(start({ providers: [Ring] }, { operations }));
    expect(message).toContain(
      "Ring.one: fallback leads back to 'one'; end it with a method that needs no fallback",
    );
    expect(message).toContain("Ring.two: fallback leads back to 'two'");
    expect(await messageOf(start({ providers: [Ring] }, { defaults: { fallback: 'two' } }))).toContain(
      "Ring.two: fallback leads back to 'two'; end it with a method that needs no fallback",
    );
  });

  it('may lead to one that configuration ends', async () => {
    const operations = { 'Ring.two': { fallback: 'false' } };
    const app = await start({ providers: [Ring] }, { defaults: { fallback: 'two' }, operations });
    expect(app.get(ResilienceExecutor).descriptionOf('Ring.one').summary).toBe(
      'Ring.one: method; else fallback two',
    );
  });
});
