import { describe, expect, it } from '@jest/globals';
import {
  Catch,
  Controller,
  Get,
  Injectable,
  Module,
  Query,
  Scope,
  UseFilters,
  UseGuards,
  UseInterceptors,
  type ArgumentsHost,
  type CallHandler,
  type CanActivate,
  type ExceptionFilter,
  type ExecutionContext,
  type MiddlewareConsumer,
  type NestInterceptor,
  type NestMiddleware,
  type NestModule,
  type PipeTransform,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { Resilient } from '../../lib/index.js';
import { calls, PLATFORMS, serve, watch } from './support.js';

@Injectable()
class Guard implements CanActivate {
  @Resilient()
  async canActivate(_context: ExecutionContext): Promise<boolean> {
    return true;
  }
}

@Injectable()
class Interceptor implements NestInterceptor {
  @Resilient()
  async intercept(_context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    return from([await lastValueFrom(next.handle())]);
  }
}

@Injectable()
class Pipe implements PipeTransform<unknown, Promise<string>> {
  @Resilient()
  async transform(value: unknown): Promise<string> {
    return `piped ${String(value)}`;
  }
}

@Catch()
class Filter implements ExceptionFilter {
  @Resilient()
  async catch(error: Error, host: ArgumentsHost): Promise<void> {
    const response = host
      .switchToHttp()
      .getResponse<{ status(code: number): { send(text: string): void } }>();
    response.status(418).send(error.message);
  }
}

@Injectable()
class Middleware implements NestMiddleware {
  @Resilient()
  async use(_request: unknown, _response: unknown, next: () => void): Promise<void> {
    next();
  }
}

@Controller()
class PlainController {
  @Get('echo')
  echo(@Query('q') q: string): string {
    return q;
  }

  @Get('fail')
  fail(): never {
    throw new Error('failed');
  }
}

describe.each(PLATFORMS)('on %s a decorated method runs on the executor of its application', (platform) => {
  const served = (...[metadata, options, adapt]: Parameters<typeof serve>) =>
    serve(metadata, options, adapt, platform);

  it.each(Object.entries({ singleton: Scope.DEFAULT, request: Scope.REQUEST }))(
    'in a %s controller, above and below the route',
    async (_name, scope) => {
      @Controller({ scope })
      class ItemsController {
        private readonly name = 'items';

        @Resilient()
        @Get('above')
        async above(): Promise<string> {
          return this.name;
        }

        @Get('below')
        @Resilient()
        async below(): Promise<string> {
          return this.name;
        }
      }
      const { app, ask } = await served({ controllers: [ItemsController] });
      watch(app);
      expect(await ask('/above')).toEqual({ status: 200, text: 'items' });
      expect(await ask('/below')).toEqual({ status: 200, text: 'items' });
      expect(calls()).toEqual(['APP ItemsController.above', 'APP ItemsController.below']);
    },
  );

  it('in guards, interceptors, pipes and filters that are named on a route', async () => {
    @Controller()
    class EnhancedController extends PlainController {
      @Get('echo')
      @UseGuards(Guard)
      @UseInterceptors(Interceptor)
      override echo(@Query('q', Pipe) q: string): string {
        return q;
      }

      @Get('fail')
      @UseFilters(Filter)
      override fail(): never {
        throw new Error('failed');
      }
    }
    const { app, ask } = await served({ controllers: [EnhancedController] });
    watch(app);
    expect(await ask('/echo?q=a')).toEqual({ status: 200, text: 'piped a' });
    expect(calls()).toEqual(['APP Guard.canActivate', 'APP Pipe.transform', 'APP Interceptor.intercept']);
    expect(await ask('/fail')).toEqual({ status: 418, text: 'failed' });
    expect(calls()).toEqual(['APP Filter.catch']);
  });

  it('in request-scoped guards, interceptors and pipes', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class RequestGuard extends Guard {}
    @Injectable({ scope: Scope.REQUEST })
    class RequestInterceptor extends Interceptor {}
    @Injectable({ scope: Scope.REQUEST })
    class RequestPipe extends Pipe {}

    @Controller()
    @UseGuards(RequestGuard)
    @UseInterceptors(RequestInterceptor)
    class ScopedController {
      @Get('echo')
      echo(@Query('q', RequestPipe) q: string): string {
        return q;
      }
    }
    const { app, ask } = await served({ controllers: [ScopedController] });
    watch(app);
    expect(await ask('/echo?q=a')).toEqual({ status: 200, text: 'piped a' });
    expect(calls()).toEqual([
      'APP RequestGuard.canActivate',
      'APP RequestPipe.transform',
      'APP RequestInterceptor.intercept',
    ]);
  });

  it('in enhancers of the whole application', async () => {
    const { app, ask } = await served({
      controllers: [PlainController],
      providers: [
        { provide: APP_GUARD, useClass: Guard },
        { provide: APP_INTERCEPTOR, useClass: Interceptor },
        { provide: APP_PIPE, useClass: Pipe },
        { provide: APP_FILTER, useClass: Filter },
      ],
    });
    watch(app);
    expect(await ask('/echo?q=a')).toEqual({ status: 200, text: 'piped a' });
    expect(await ask('/fail')).toEqual({ status: 418, text: 'failed' });
    expect(calls()).toEqual([
      'APP Guard.canActivate',
      'APP Pipe.transform',
      'APP Interceptor.intercept',
      'APP Guard.canActivate',
      'APP Interceptor.intercept',
      'APP Filter.catch',
    ]);
  });

  it('in providers that are handed to the application as global enhancers', async () => {
    const { app, ask } = await served(
      { controllers: [PlainController], providers: [Guard, Pipe] },
      {},
      (made) => made.useGlobalGuards(made.get(Guard)).useGlobalPipes(made.get(Pipe)),
    );
    watch(app);
    expect(await ask('/echo?q=a')).toEqual({ status: 200, text: 'piped a' });
    expect(calls()).toEqual(['APP Guard.canActivate', 'APP Pipe.transform']);
  });

  it('in middleware classes', async () => {
    @Module({ controllers: [PlainController] })
    class WithMiddleware implements NestModule {
      configure(consumer: MiddlewareConsumer): void {
        consumer.apply(Middleware).forRoutes(PlainController);
      }
    }
    const { app, ask } = await served({ imports: [WithMiddleware] });
    watch(app);
    expect(await ask('/echo?q=a')).toEqual({ status: 200, text: 'a' });
    expect(calls()).toEqual(['APP Middleware.use']);
  });
});
