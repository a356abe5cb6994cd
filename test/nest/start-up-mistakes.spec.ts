import { describe, expect, it } from '@jest/globals';
import {
  Controller,
  Get,
  Injectable,
  Module,
  Scope,
  UseGuards,
  type CanActivate,
  type MiddlewareConsumer,
  type NestMiddleware,
  type NestModule,
} from '@nestjs/common';
import { ConfigurationError, fallbackChain, Resilient } from '../../lib/index.js';
import { ResilienceExecutor } from '../../nest-module/index.js';
import { build, closing, start } from './support.js';

const circuitBreakers = [{ name: 'payments' }];
const someFailure = (): boolean => true;

@Injectable()
class UnknownBreaker {
  @Resilient({ circuitBreaker: 'paymants' })
  async call(): Promise<void> {}
}

@Injectable()
class MissingFallback {
  // The compiler would say so too, if it could see the name.
  @Resilient({ fallback: 'latr' as string })
  async call(): Promise<void> {}

  async later(): Promise<void> {}
}

@Injectable()
class RetryOnAlone {
  @Resilient({ retryOn: someFailure })
  async call(): Promise<void> {}
}

const UNKNOWN_BREAKER = "circuitBreaker 'paymants' is not registered; did you mean 'payments'?";
const MISSING_FALLBACK = "fallback 'latr' is no method of this class; did you mean 'later'?";
const RETRY_ON_ALONE = 'retryOn is given without retries; add retries, or leave retryOn out';

async function mistakeOf(starting: Promise<unknown>): Promise<ConfigurationError> {
  const error: unknown = await starting.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ConfigurationError);
  return error as ConfigurationError;
}

describe('a mistake in a decorator stops the application at start-up, and names', () => {
  it.each([
    ['an unknown breaker and the nearest one', UnknownBreaker, UNKNOWN_BREAKER],
    ['a missing fallback method and the nearest one', MissingFallback, MISSING_FALLBACK],
    ['an option without the one that it needs', RetryOnAlone, RETRY_ON_ALONE],
  ])('%s', async (_name, Client, message) => {
    const { message: said, path } = await mistakeOf(start({ providers: [Client] }, { circuitBreakers }));
    expect(said).toBe(`${Client.name}.call: ${message}`);
    expect(path).toBe(`${Client.name}.call`);
  });

  it('the cure, where no breaker has a name like it', async () => {
    const { message } = await mistakeOf(start({ providers: [UnknownBreaker] }));
    expect(message).toBe(
      "UnknownBreaker.call: circuitBreaker 'paymants' is not registered; register it: circuitBreakers: [{ name: 'paymants' }]",
    );
  });

  it('a contradiction that only the defaults of the module make', async () => {
    @Injectable()
    class Client {
      @Resilient({ fallbackOn: [TypeError] })
      async call(): Promise<void> {}
    }
    const { message } = await mistakeOf(
      start(
        { providers: [Client] },
        { defaults: { fallbacks: fallbackChain(['none', async () => undefined]) } },
      ),
    );
    expect(message).toBe(
      'Client.call: fallbackOn is given without fallback; add fallback, or leave fallbackOn out',
    );
  });

  it('a fallback method that the defaults of the module name and a class does not have', async () => {
    const { message } = await mistakeOf(
      start({ providers: [RetryOnAlone, MissingFallback] }, { defaults: { fallback: 'later', retries: 1 } }),
    );
    expect(message).toContain("RetryOnAlone.call: fallback 'later' is no method of this class");
  });
});

describe('one error tells all mistakes', () => {
  it('of providers, controllers, guards, middleware and scoped classes', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class RequestClient extends MissingFallback {}
    @Injectable({ scope: Scope.TRANSIENT })
    class TransientClient extends RetryOnAlone {}

    @Injectable()
    class Guard implements CanActivate {
      @Resilient({ circuitBreaker: 'paymants' })
      async canActivate(): Promise<boolean> {
        return true;
      }
    }
    @Injectable()
    class Middleware implements NestMiddleware {
      @Resilient({ retryOn: someFailure })
      async use(_request: unknown, _response: unknown, next: () => void): Promise<void> {
        next();
      }
    }
    @Controller()
    @UseGuards(Guard)
    class OrdersController {
      @Resilient({ circuitBreaker: 'paymants' })
      @Get()
      async list(): Promise<void> {}
    }
    @Module({ controllers: [OrdersController], providers: [RequestClient] })
    class FeatureModule implements NestModule {
      configure(consumer: MiddlewareConsumer): void {
        consumer.apply(Middleware).forRoutes(OrdersController);
      }
    }
    const module = await build(
      { imports: [FeatureModule], providers: [UnknownBreaker, TransientClient] },
      { circuitBreakers },
    );
    const app = closing(module.createNestApplication({ logger: false }));
    const { message } = await mistakeOf(app.init());
    const [head, ...lines] = message.split('\n');
    expect(head).toBe('decorated methods have 6 mistakes:');
    expect(lines.at(-1)).toBe('; mend them and start again');
    const mistakes = lines.slice(0, -1).map((line) => line.replace(/^ {2}\d\. /, ''));
    expect(mistakes.sort()).toEqual([
      `Guard.canActivate: ${UNKNOWN_BREAKER}`,
      `Middleware.use: ${RETRY_ON_ALONE}`,
      `OrdersController.list: ${UNKNOWN_BREAKER}`,
      `RequestClient.call: ${MISSING_FALLBACK}`,
      `TransientClient.call: ${RETRY_ON_ALONE}`,
      `UnknownBreaker.call: ${UNKNOWN_BREAKER}`,
    ]);
    expect(lines.slice(0, -1).map((line) => line.slice(0, 5))).toEqual(
      [1, 2, 3, 4, 5, 6].map((n) => `  ${n}. `),
    );
  });

  it('of one class, and of a class under two tokens once', async () => {
    @Injectable()
    class Client {
      @Resilient({ circuitBreaker: 'nowhere' })
      async one(): Promise<void> {}

      @Resilient({ retryOn: someFailure })
      async two(): Promise<void> {}

      @Resilient()
      async fine(): Promise<void> {}
    }
    const providers = [Client, { provide: 'alias', useExisting: Client }];
    const { message } = await mistakeOf(start({ providers }));
    expect(message.split('\n')).toHaveLength(4);
  });

  it('of a class that several modules provide once, in whatever scope', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class ScopedClient extends UnknownBreaker {}
    const imports = [1, 2].map(() => {
      @Module({ providers: [UnknownBreaker, ScopedClient] })
      class FeatureModule {}
      return FeatureModule;
    });
    const { message } = await mistakeOf(start({ imports }, { circuitBreakers }));
    expect(message).toBe(
      `decorated methods have 2 mistakes:\n  1. UnknownBreaker.call: ${UNKNOWN_BREAKER}\n  2. ScopedClient.call: ${UNKNOWN_BREAKER}\n; mend them and start again`,
    );
  });

  it('of both layers of a method that is decorated twice', async () => {
    @Injectable()
    class Twice {
      @Resilient({ retryOn: someFailure })
      @Resilient({ circuitBreaker: 'nowhere' })
      async call(): Promise<void> {}
    }
    const { message } = await mistakeOf(start({ providers: [Twice] }));
    expect(message).toContain('Twice.call: retryOn is given without retries');
    expect(message).toContain("Twice.call: circuitBreaker 'nowhere' is not registered");
  });

  it('of methods with symbols for names and of inherited methods, under the name that reports show', async () => {
    const send = Symbol('send');
    class Base {
      @Resilient({ circuitBreaker: 'nowhere' })
      async [send](): Promise<void> {}
    }
    @Injectable()
    class Client extends Base {}
    const { path } = await mistakeOf(start({ providers: [Client] }));
    expect(path).toBe('Client.[send]');
  });
});

describe('no mistake is found', () => {
  it('in a method that a subclass has overridden', async () => {
    @Injectable()
    class Fixed extends UnknownBreaker {
      override async call(): Promise<void> {}
    }
    const app = await start({ providers: [Fixed] });
    expect(app.get(ResilienceExecutor).operationNames()).toEqual([]);
  });

  it('in a class that the application does not use', async () => {
    const app = await start({ providers: [] });
    expect(app.get(ResilienceExecutor).operationNames()).toEqual([]);
  });
});
