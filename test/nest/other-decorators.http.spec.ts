import { describe, expect, it } from '@jest/globals';
import {
  applyDecorators,
  BadRequestException,
  Body,
  ConflictException,
  Controller,
  Get,
  Header,
  HttpCode,
  HttpException,
  Injectable,
  NotFoundException,
  Param,
  ParseIntPipe,
  Post,
  Query,
  Redirect,
  Res,
  SetMetadata,
  UseGuards,
  UseInterceptors,
  type CallHandler,
  type CanActivate,
  type ExecutionContext,
  type NestInterceptor,
  type PipeTransform,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { map, retry, type Observable } from 'rxjs';
import { Resilient } from '../../lib/index.js';
import { calls, PLATFORMS, serve, watch, type Platform } from './support.js';

const Roles = (...roles: string[]) => SetMetadata('roles', roles);
const now = { delayForRetry: () => 0 };
const Protected = () => Resilient({ retries: 1, backoff: now });

/** Everything that happened in one request, in order. */
let trace: string[] = [];

@Injectable()
class RolesGuard implements CanActivate {
  private readonly reflector = new Reflector();

  canActivate(context: ExecutionContext): boolean {
    trace.push(`guard ${context.getHandler().name}/${context.getHandler().length}`);
    const roles = this.reflector.get<string[] | undefined>('roles', context.getHandler()) ?? [];
    const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string> }>();
    return roles.every((role) => role === headers.role);
  }
}

@Injectable()
class Shout implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler<string>): Observable<string> {
    trace.push('interceptor');
    return next.handle().pipe(map((text) => `${text}!`));
  }
}

@Injectable()
class Stubborn implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    trace.push('interceptor');
    return next.handle().pipe(retry(3));
  }
}

@Injectable()
class TrimPipe implements PipeTransform<string, string> {
  transform(text: string): string {
    trace.push('pipe');
    return text.trim();
  }
}

function failOnce(name: string): void {
  trace.push(name);
  if (trace.filter((step) => step === name).length === 1) throw new Error('not yet');
}

async function asked(platform: Platform, controller: new () => object, path: string, init?: RequestInit) {
  const { app, ask } = await serve({ controllers: [controller] }, {}, undefined, platform);
  watch(app);
  trace = [];
  return ask(path, init);
}

// B141
describe.each(PLATFORMS.flatMap((platform) => [['above', platform] as const, ['below', platform] as const]))(
  'with @Resilient %s the other decorators, on %s, a failed handler is repeated and',
  (place, platform) => {
    /** The same decorators, with ours on top or at the bottom. */
    const both = (...others: MethodDecorator[]): MethodDecorator =>
      place === 'above' ? applyDecorators(Protected(), ...others) : applyDecorators(...others, Protected());

    @Controller()
    class OrdersController {
      readonly prefix = 'order';

      @both(Get('orders/:id'), HttpCode(202), Header('x-kind', 'order'))
      async find(@Param('id', ParseIntPipe) id: number, @Query('q', TrimPipe) q: string): Promise<string> {
        failOnce('find');
        return `${this.prefix} ${id + 1} ${q}`;
      }

      @both(Post('orders'), UseGuards(RolesGuard), UseInterceptors(Shout))
      async create(@Body() { name }: { name: string }): Promise<string> {
        failOnce('create');
        return name;
      }

      @both(Get('secret'), Roles('admin'), UseGuards(RolesGuard))
      async secret(): Promise<string> {
        failOnce('secret');
        return 'secret';
      }

      @both(Get('stubborn'), UseInterceptors(Stubborn), UseGuards(RolesGuard))
      async stubborn(): Promise<string> {
        trace.push('stubborn');
        if (trace.filter((step) => step === 'stubborn').length < 6) throw new Error('not yet');
        return 'at last';
      }

      @both(Get('old'), Redirect('/new', 301))
      async old(): Promise<void> {
        failOnce('old');
      }

      @both(Get('raw'))
      async raw(
        @Res({ passthrough: true }) response: { header(name: string, value: string): void },
      ): Promise<string> {
        failOnce('raw');
        response.header('x-raw', '1');
        return 'raw';
      }
    }

    it('route, status, header, parameters and pipes stay', async () => {
      expect(await asked(platform, OrdersController, '/orders/41?q=%20a%20')).toEqual({
        status: 202,
        text: 'order 42 a',
      });
      expect(trace).toEqual(['pipe', 'find', 'find']);
      expect(calls()).toEqual(['APP OrdersController.find']);
    });

    it('guards and interceptors run once', async () => {
      const init = {
        method: 'POST',
        body: '{"name":"tea"}',
        headers: { 'content-type': 'application/json' },
      };
      expect(await asked(platform, OrdersController, '/orders', init)).toEqual({ status: 201, text: 'tea!' });
      expect(trace).toEqual(['guard create/1', 'interceptor', 'create', 'create']);
    });

    // B147
    it('a guard that reads metadata still keeps everybody else out', async () => {
      expect((await asked(platform, OrdersController, '/secret')).status).toBe(403);
      expect(trace).toEqual(['guard secret/0']);
      expect(await asked(platform, OrdersController, '/secret', { headers: { role: 'admin' } })).toEqual({
        status: 200,
        text: 'secret',
      });
      expect(trace).toEqual(['guard secret/0', 'secret', 'secret']);
    });

    it('an interceptor that subscribes again repeats the handler, not the guards', async () => {
      expect(await asked(platform, OrdersController, '/stubborn')).toEqual({ status: 200, text: 'at last' });
      expect(trace).toEqual(['guard stubborn/0', 'interceptor', ...Array<string>(6).fill('stubborn')]);
      expect(calls()).toHaveLength(3);
    });

    it('a redirect and a response object stay', async () => {
      expect((await asked(platform, OrdersController, '/old', { redirect: 'manual' })).status).toBe(301);
      expect(await asked(platform, OrdersController, '/raw')).toEqual({ status: 200, text: 'raw' });
    });

    // B149
    it('name, length and every metadata key are those of the method', () => {
      const { find, secret } = OrdersController.prototype;
      expect([find.name, find.length]).toEqual(['find', 2]);
      class Plain {
        @Get('secret')
        @Roles('admin')
        @UseGuards(RolesGuard)
        async secret(): Promise<void> {}
      }
      const metadataOf = (fn: object) =>
        new Map(Reflect.getOwnMetadataKeys(fn).map((key) => [key, Reflect.getOwnMetadata(key, fn)]));
      expect(metadataOf(secret)).toEqual(metadataOf(Plain.prototype.secret));
      expect(Reflect.getMetadata('design:paramtypes', OrdersController.prototype, 'find')).toEqual([
        Number,
        String,
      ]);
      expect(Reflect.getMetadata('design:returntype', OrdersController.prototype, 'find')).toBe(Promise);
    });
  },
);

describe.each(PLATFORMS)('on %s a controller method', (platform) => {
  it('may come from a decorator of the application that joins several, ours among them', async () => {
    const Endpoint = (path: string) =>
      applyDecorators(Get(path), Roles('admin'), UseGuards(RolesGuard), Protected());
    @Controller()
    class JoinedController {
      @Endpoint('joined')
      async joined(): Promise<string> {
        failOnce('joined');
        return 'joined';
      }
    }
    expect((await asked(platform, JoinedController, '/joined')).status).toBe(403);
    expect(await asked(platform, JoinedController, '/joined', { headers: { role: 'admin' } })).toEqual({
      status: 200,
      text: 'joined',
    });
  });

  it.each([
    ['NotFoundException', new NotFoundException('no order'), 404],
    ['ConflictException', new ConflictException({ code: 'taken' }), 409],
    ['BadRequestException', new BadRequestException(), 400],
    ['HttpException', new HttpException('later', 429), 429],
    ['any other error', new Error('internal'), 500],
  ])('that throws %s answers with its own status and body', async (_name, error, status) => {
    @Controller()
    class FailingController {
      @Get('plain')
      async plain(): Promise<void> {
        throw error;
      }

      @Get('resilient')
      @Resilient({ retries: 1, backoff: now, timeout: 5 })
      async resilient(): Promise<void> {
        trace.push('tried');
        throw error;
      }
    }
    const plain = await asked(platform, FailingController, '/plain');
    const resilient = await asked(platform, FailingController, '/resilient');
    expect(resilient).toEqual(plain);
    expect(resilient.status).toBe(status);
    expect(trace).toEqual(['tried', 'tried']);
  });
});
