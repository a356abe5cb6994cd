import { describe, expect, it } from '@jest/globals';
import {
  Controller,
  Get,
  Inject,
  Injectable,
  SetMetadata,
  UseGuards,
  type CanActivate,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { ExecutionContext } from '@nestjs/common';
import { OperationTimeoutError, Resilient, resultOf } from '../../lib/index.js';
import { ResilienceExecutor } from '../../nest-module/index.js';
import { build, calls, PLATFORMS, serve, start, watch } from './support.js';

const Protected = () => Resilient({ retries: 2, backoff: { delayForRetry: () => 0 } });

/** What happened, in order. */
let log: string[] = [];

type AnyMethod = (this: unknown, ...args: unknown[]) => Promise<unknown>;
type Wrapping = (target: object, key: string | symbol, descriptor: TypedPropertyDescriptor<any>) => void;

/** Puts a function without name, length or metadata in the place of a method, as many a `@Transactional` does. */
const Transactional: () => Wrapping = () => (_target, _key, descriptor) => {
  const inner = descriptor.value as AnyMethod;
  descriptor.value = async function (this: unknown, ...args: unknown[]) {
    log.push('begin');
    try {
      const value = await inner.apply(this, args);
      log.push('commit');
      return value;
    } catch (error) {
      log.push('rollback');
      throw error;
    }
  };
};

/** The same, as one that gives a new descriptor instead of changing the old one, and a plain function. */
const Traced: () => Wrapping = () => (_target, _key, descriptor) => {
  const inner = descriptor.value as AnyMethod;
  return {
    configurable: true,
    enumerable: false,
    writable: true,
    value(this: unknown, ...args: unknown[]) {
      log.push('traced');
      return inner.call(this, ...args);
    },
  };
};

@Injectable()
class Orders {
  private readonly name = 'order';
  tries = 0;

  @Transactional()
  @Protected()
  async oneTransaction(id: number): Promise<string> {
    return this.third(id);
  }

  @Protected()
  @Transactional()
  async oneForEachTry(id: number): Promise<string> {
    return this.third(id);
  }

  @Traced()
  @Protected()
  @Transactional()
  async between(id: number): Promise<string> {
    return this.third(id);
  }

  private third(id: number): string {
    this.tries += 1;
    if (this.tries < 3) throw new Error('not yet');
    return `${this.name} ${id}`;
  }
}

async function started() {
  log = [];
  const app = watch(await start({ providers: [Orders] }));
  return { orders: app.get(Orders), executor: app.get(ResilienceExecutor) };
}

describe('a method that another decorator replaces without copying anything', () => {
  it('is repeated inside it, when it stands above', async () => {
    const { orders } = await started();
    expect(await orders.oneTransaction(1)).toBe('order 1');
    expect(log).toEqual(['begin', 'commit']);
    expect(calls()).toEqual(['APP Orders.oneTransaction']);
  });

  it('is repeated together with it, when it stands below', async () => {
    const { orders } = await started();
    expect(await orders.oneForEachTry(1)).toBe('order 1');
    expect(log).toEqual(['begin', 'rollback', 'begin', 'rollback', 'begin', 'commit']);
    expect(calls()).toEqual(['APP Orders.oneForEachTry']);
  });

  it('stands between two of them as well', async () => {
    const { orders } = await started();
    expect(await orders.between(1)).toBe('order 1');
    expect(log).toEqual(['traced', 'begin', 'rollback', 'begin', 'rollback', 'begin', 'commit']);
  });

  it('is found by the start-up check, and has its account', async () => {
    const { orders, executor } = await started();
    expect(executor.operationNames()).toEqual([
      'Orders.oneTransaction',
      'Orders.oneForEachTry',
      'Orders.between',
    ]);
    for (const method of ['oneTransaction', 'oneForEachTry', 'between'] as const) {
      orders.tries = 0;
      const { value, report } = await executor.run(orders, method, 7);
      expect([value, report.operationName, report.attemptCount]).toEqual(['order 7', `Orders.${method}`, 3]);
      orders.tries = 0;
      expect((await resultOf(() => orders[method](8))).report.retryCount).toBe(2);
    }
  });

  it('does not hide its mistakes from the start-up check', async () => {
    @Injectable()
    class Mistaken {
      @Transactional()
      @Resilient({ circuitBreaker: 'nowhere' })
      async call(): Promise<void> {}
    }
    await expect((await build({ providers: [Mistaken] })).init()).rejects.toThrow(
      /Mistaken\.call: circuitBreaker 'nowhere'/,
    );
  });

  it('ends at its timeout, and what it wraps is rolled back when that settles', async () => {
    const settle: (() => void)[] = [];
    @Injectable()
    class Slow {
      @Resilient({ timeout: '5ms' })
      @Transactional()
      async call(): Promise<void> {
        await new Promise<void>((_resolve, reject) => settle.push(() => reject(new Error('late'))));
      }
    }
    log = [];
    const app = await start({ providers: [Slow] });
    await expect(app.get(Slow).call()).rejects.toBeInstanceOf(OperationTimeoutError);
    expect(log).toEqual(['begin']);
    settle[0]?.();
    await new Promise(setImmediate);
    expect(log).toEqual(['begin', 'rollback']);
  });
});

// B147
describe.each(PLATFORMS)('on %s a handler that is wrapped so', (platform) => {
  const Roles = (...roles: string[]) => SetMetadata('roles', roles);
  @Injectable()
  class RolesGuard implements CanActivate {
    constructor(@Inject(Reflector) private readonly reflector: Reflector) {}

    canActivate(context: ExecutionContext): boolean {
      const roles = this.reflector.get<string[] | undefined>('roles', context.getHandler()) ?? [];
      const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string> }>();
      return roles.every((role) => role === headers.role);
    }
  }

  @Controller()
  class WrappedController extends Orders {
    @Get('above')
    @Roles('admin')
    @UseGuards(RolesGuard)
    @Transactional()
    @Protected()
    async above(): Promise<string> {
      return super.oneForEachTry(1);
    }

    @Protected()
    @Get('below')
    @Roles('admin')
    @UseGuards(RolesGuard)
    @Transactional()
    async below(): Promise<string> {
      return super.oneTransaction(2);
    }
  }

  it.each([
    ['above', 'order 1'],
    ['below', 'order 2'],
  ])('keeps what stands over the wrapper: %s', async (path, text) => {
    const { ask } = await serve({ controllers: [WrappedController] }, {}, undefined, platform);
    expect((await ask(`/${path}`)).status).toBe(403);
    expect(await ask(`/${path}`, { headers: { role: 'admin' } })).toEqual({ status: 200, text });
  });
});
