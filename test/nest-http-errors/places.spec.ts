import { describe, expect, it } from '@jest/globals';
import {
  Controller,
  Get,
  Injectable,
  Module,
  Query,
  Scope,
  UseGuards,
  UseInterceptors,
  type CanActivate,
  type NestInterceptor,
  type NestMiddleware,
  type PipeTransform,
} from '@nestjs/common';
import { APP_FILTER, ContextIdFactory, ExternalContextCreator } from '@nestjs/core';
import type { MiddlewareConsumer } from '@nestjs/common';
import { throwError, type Observable } from 'rxjs';
import { CircuitBreakerOpenError, Resilient } from '../../lib/index.js';
import { ResilienceExceptionFilter } from '../../nest-module/index.js';
import { OPEN, PLATFORMS, problem, serveOn } from './support.js';

const open = () => new CircuitBreakerOpenError('stock', 'open', 7);

@Injectable()
class Guard implements CanActivate {
  @Resilient()
  async canActivate(): Promise<boolean> {
    throw open();
  }
}

@Injectable()
class Interceptor implements NestInterceptor {
  intercept(): Observable<never> {
    return throwError(open);
  }
}

@Injectable()
class Pipe implements PipeTransform {
  @Resilient()
  async transform(): Promise<string> {
    throw open();
  }
}

@Injectable()
class Middleware implements NestMiddleware {
  @Resilient()
  async use(): Promise<void> {
    throw open();
  }
}

@Controller()
class ShopController {
  @Get('guard')
  @UseGuards(Guard)
  async guard(): Promise<void> {}

  @Get('interceptor')
  @UseInterceptors(Interceptor)
  async interceptor(): Promise<void> {}

  @Get('pipe')
  async pipe(@Query('q', Pipe) _q: string): Promise<void> {}

  @Get('middleware')
  async middleware(): Promise<void> {}
}

@Controller({ path: 'scoped', scope: Scope.REQUEST })
class ScopedController {
  @Get()
  async scoped(): Promise<void> {
    throw open();
  }
}

@Module({
  controllers: [ShopController, ScopedController],
  providers: [{ provide: APP_FILTER, useClass: ResilienceExceptionFilter }],
})
class ShopModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(Middleware).forRoutes('middleware');
  }
}

describe.each(PLATFORMS)('on %s the filter answers for', (platform) => {
  it.each(['guard', 'interceptor', 'pipe', 'middleware', 'scoped'])('a %s', async (path) => {
    const { ask } = await serveOn(platform, { imports: [ShopModule] });
    expect(await ask(`/${path}`)).toMatchObject(problem(...OPEN, '7'));
  });

  it('an application that gave the filter its adapter by hand', async () => {
    const { ask } = await serveOn(platform, { controllers: [ScopedController] }, {}, (app) =>
      app.useGlobalFilters(new ResilienceExceptionFilter(app.getHttpAdapter())),
    );
    expect(await ask('/scoped')).toMatchObject(problem(...OPEN, '7'));
  });

  it('nobody when it was made by hand without an adapter, and says so in the log', async () => {
    const { ask, logged } = await serveOn(platform, { controllers: [ScopedController] }, {}, (app) =>
      app.useGlobalFilters(new ResilienceExceptionFilter()),
    );
    expect(await ask('/scoped')).toMatchObject({ status: 500 });
    expect(String(logged[0])).toBe(
      'ConfigurationError: ResilienceExceptionFilter was made by hand and knows no HTTP adapter; ' +
        'give the class instead, or new ResilienceExceptionFilter(app.getHttpAdapter())',
    );
  });

  it.each(['http', 'graphql'])('no handler of other libraries, which gets its error (%s)', async (kind) => {
    const { app } = await serveOn(platform, { imports: [ShopModule] });
    const error = open();
    const controller = app.get(ShopController);
    const handler = app
      .get(ExternalContextCreator)
      .create(
        controller,
        () => Promise.reject(error),
        'guard',
        undefined,
        undefined,
        ContextIdFactory.create(),
        undefined,
        { guards: false, interceptors: false, filters: true },
        kind,
      );
    const second = kind === 'http' ? { header: 'text' } : { header: () => undefined };
    await expect(handler('payload', second)).rejects.toBe(error);
  });
});
