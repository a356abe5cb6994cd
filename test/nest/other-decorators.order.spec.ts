import { describe, expect, it } from '@jest/globals';
import {
  applyDecorators,
  Controller,
  Get,
  HttpCode,
  Injectable,
  SetMetadata,
  UseGuards,
  UseInterceptors,
  type CallHandler,
  type CanActivate,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { map, type Observable } from 'rxjs';
import { Resilient } from '../../lib/index.js';
import { calls, PLATFORMS, serve, watch } from './support.js';

const Audience = Reflector.createDecorator<string>();
const Roles = (...roles: string[]) => SetMetadata('roles', roles);

/** Lets everybody in where it finds no metadata, as the guard of many an application does. */
@Injectable()
class RolesGuard implements CanActivate {
  private readonly reflector = new Reflector();

  canActivate(context: ExecutionContext): boolean {
    const places = [context.getHandler(), context.getClass()];
    const roles = this.reflector.getAllAndOverride<string[] | undefined>('roles', places) ?? [];
    const audience = this.reflector.getAllAndOverride<string | undefined>(Audience, places);
    const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string> }>();
    return (
      roles.every((role) => role === headers.role) &&
      (audience === undefined || audience === headers.audience)
    );
  }
}

@Injectable()
class Shout implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler<string>): Observable<string> {
    return next.handle().pipe(map((text) => `${text}!`));
  }
}

function permutations<T>(list: readonly T[]): T[][] {
  if (list.length === 0) return [[]];
  return list.flatMap((head, index) =>
    permutations(list.filter((_item, at) => at !== index)).map((tail) => [head, ...tail]),
  );
}

/** For every order of four decorators, ours among them, a controller with a path of its own. */
function controllers() {
  const decorators = [
    Get(),
    Roles('admin'),
    UseGuards(RolesGuard),
    Resilient({ retries: 1, backoff: { delayForRetry: () => 0 } }),
  ];
  return permutations(decorators).map((order, index) => {
    @Controller(`${index}`)
    class OrderedController {
      private tries = 0;

      @applyDecorators(UseInterceptors(Shout), ...order, Audience('staff'))
      @HttpCode(202)
      async secret(): Promise<string> {
        this.tries += 1;
        if (this.tries === 1) throw new Error('not yet');
        return 'secret';
      }
    }
    return OrderedController;
  });
}

// B147, B141
describe.each(PLATFORMS)('on %s, whatever the order of the decorators of a handler', (platform) => {
  it('a guard keeps out who must not come in, and a failed handler is repeated for who may', async () => {
    const all = controllers();
    expect(all).toHaveLength(24);
    const { app, ask } = await serve({ controllers: all }, {}, undefined, platform);
    watch(app);
    const wrong = [{}, { role: 'admin' }, { audience: 'staff' }, { role: 'user', audience: 'staff' }];
    for (const index of all.keys()) {
      for (const headers of wrong) expect((await ask(`/${index}`, { headers })).status).toBe(403);
      expect(calls()).toEqual([]);
      const headers = { role: 'admin', audience: 'staff' };
      expect(await ask(`/${index}`, { headers })).toEqual({ status: 202, text: 'secret!' });
      expect(calls()).toEqual(['APP OrderedController.secret']);
    }
  });
});

it.each(['above', 'below'])(
  'with @Resilient %s, metadata of the handler goes before that of its class, and the handler is what stands in the class',
  async (place) => {
    const seen: unknown[] = [];
    @Injectable()
    class Witness extends RolesGuard {
      override canActivate(context: ExecutionContext): boolean {
        seen.push(context.getHandler(), context.getClass());
        return super.canActivate(context);
      }
    }
    const order = [Resilient(), Roles('admin')];
    @Roles('nobody')
    @Controller()
    class LayeredController {
      @Get()
      @UseGuards(Witness)
      @applyDecorators(...(place === 'above' ? order : order.reverse()))
      async find(): Promise<string> {
        return 'found';
      }
    }
    const { ask } = await serve({ controllers: [LayeredController] });
    expect((await ask('/', { headers: { role: 'nobody' } })).status).toBe(403);
    expect((await ask('/', { headers: { role: 'admin' } })).status).toBe(200);
    const { find } = LayeredController.prototype;
    expect(seen).toEqual([find, LayeredController, find, LayeredController]);
  },
);

it('two of ours on one handler are two layers, with the route between them', async () => {
  const once = { retries: 1, backoff: { delayForRetry: () => 0 } };
  @Controller()
  class TwiceController {
    private tries = 0;

    @Resilient(once)
    @Get()
    @Resilient({ ...once, name: 'inner' })
    async find(): Promise<string> {
      this.tries += 1;
      if (this.tries < 4) throw new Error('not yet');
      return `try ${this.tries}`;
    }
  }
  const { app, ask } = await serve({ controllers: [TwiceController] });
  watch(app);
  expect(await ask('/')).toEqual({ status: 200, text: 'try 4' });
  expect(calls()).toEqual(['APP inner', 'APP inner', 'APP TwiceController.find']);
});
