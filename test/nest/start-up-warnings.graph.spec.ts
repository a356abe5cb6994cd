import { describe, expect, it } from '@jest/globals';
import {
  Controller,
  forwardRef,
  Inject,
  Injectable,
  Module,
  Scope,
  type Provider,
  type Type,
} from '@nestjs/common';
import { Resilient, type EventSink, type MethodOptions } from '../../lib/index.js';
import { RESILIENCE_EVENTS, ResilienceExecutor } from '../../nest-module/index.js';
import { warningsOf } from './configuration-support.js';

const retrying = (retries: number): MethodOptions => ({ retries, retryOn: [TypeError] });

/** Retries nothing itself. */
class Plain {
  async call(): Promise<void> {}
}

@Injectable()
class Http {
  @Resilient(retrying(2) as object)
  async send(): Promise<void> {}

  @Resilient(retrying(1) as object)
  async ping(): Promise<void> {}
}

@Injectable()
class Users {
  constructor(@Inject(Http) readonly http: Http) {}

  @Resilient(retrying(3) as object)
  async find(): Promise<void> {}
}

const HTTP = 'Http.send (up to 3 attempts)';
const warning = (calls: number, ...path: string[]): string =>
  `${path[0]?.split(' ')[0] ?? ''} may call its upstream ${calls} times for one call: ${path.join(' > ')}; retry in one place, best in the one nearest to the upstream`;
const USERS = warning(12, 'Users.find (up to 4 attempts)', HTTP);

async function found(providers: Provider[], rest: Parameters<typeof warningsOf>[0] = {}) {
  const warnings = await warningsOf({ ...rest, providers });
  expect(warnings.map(([, code]) => code)).toEqual(warnings.map(() => 'retries-inside-retries'));
  return warnings.map(([text]) => text);
}

/** A provider that depends on another one, and what it retries. */
function outer(depends: (target: Type) => void, options = retrying(1)): Type {
  @Injectable()
  class Outer {
    @Resilient(options as object)
    async call(): Promise<void> {}
  }
  depends(Outer);
  return Outer;
}

const OUTER = 'Outer.call (up to 2 attempts)';

describe('attempts multiply along what classes are given', () => {
  it('in the constructor', async () => {
    expect(await found([Users, Http])).toEqual([USERS]);
  });

  it('in a property', async () => {
    const Outer = outer(({ prototype }) => Inject(Http)(prototype as object, 'http'));
    expect(await found([Outer, Http])).toEqual([warning(6, OUTER, HTTP)]);
  });

  it('through three classes, said once for the longest way', async () => {
    const Outer = outer((target) => Inject(Users)(target, undefined, 0));
    expect(await found([Http, Outer, Users])).toEqual([
      warning(24, OUTER, 'Users.find (up to 4 attempts)', HTTP),
    ]);
  });

  it('through classes that retry nothing', async () => {
    @Injectable()
    class Between extends Plain {
      constructor(@Inject(Users) readonly users: Users) {
        super();
      }
    }
    const Outer = outer((target) => Inject(Between)(target, undefined, 0));
    expect(await found([Outer, Between, Users, Http])).toEqual([
      warning(24, OUTER, 'Users.find (up to 4 attempts)', HTTP),
    ]);
  });

  it('through another module, an alias and a class in the place of another', async () => {
    @Module({
      providers: [Http, { provide: 'alias', useExisting: Http }],
      exports: ['alias'],
    })
    class HttpModule {}
    const Outer = outer((target) => Inject('alias')(target, undefined, 0));
    const replaced = { provide: 'outer', useClass: Outer };
    expect(await found([replaced], { imports: [HttpModule] })).toEqual([warning(6, OUTER, HTTP)]);
  });

  it('through what a factory injects, and where a factory makes them', async () => {
    const made = { provide: 'made', inject: [Http], useFactory: (http: Http) => ({ http }) };
    const Outer = outer((target) => Inject('made')(target, undefined, 0));
    expect(await found([Outer, made, Http])).toEqual([warning(6, OUTER, HTTP)]);
    const users = { provide: 'users', inject: [Http], useFactory: (http: Http) => new Users(http) };
    expect(await found([users, Http])).toEqual([USERS]);
  });

  it.each([
    ['request-scoped', Scope.REQUEST],
    ['transient', Scope.TRANSIENT],
  ])('where either is %s', async (_name, scope) => {
    @Injectable({ scope })
    class ScopedHttp extends Http {}
    @Injectable({ scope })
    class ScopedUsers {
      constructor(@Inject(ScopedHttp) readonly http: ScopedHttp) {}

      @Resilient(retrying(3) as object)
      async find(): Promise<void> {}
    }
    // Nest 11 looks into such a class once something injects it.
    @Controller()
    class Gate {
      constructor(@Inject(ScopedUsers) readonly users: ScopedUsers) {}
    }
    const inner = 'ScopedHttp.send (up to 3 attempts)';
    expect(await found([ScopedUsers, ScopedHttp], { controllers: [Gate] })).toEqual([
      warning(12, 'ScopedUsers.find (up to 4 attempts)', inner),
    ]);
    const Outer = outer((target) => Inject(ScopedHttp)(target, undefined, 0));
    expect(await found([Outer, ScopedHttp])).toEqual([warning(6, OUTER, inner)]);
  });

  it('round a ring once', async () => {
    @Injectable()
    class Chicken {
      constructor(@Inject(forwardRef(() => Egg)) readonly egg: object) {}

      @Resilient(retrying(1) as object)
      async lay(): Promise<void> {}
    }
    @Injectable()
    class Egg {
      constructor(@Inject(forwardRef(() => Chicken)) readonly chicken: object) {}

      @Resilient(retrying(2) as object)
      async hatch(): Promise<void> {}
    }
    expect(await found([Chicken, Egg])).toEqual([
      warning(6, 'Chicken.lay (up to 2 attempts)', 'Egg.hatch (up to 3 attempts)'),
    ]);
  });

  it('over two layers of one method', async () => {
    @Injectable()
    class Twice {
      @Resilient(retrying(1) as object)
      @Resilient(retrying(2) as object)
      async call(): Promise<void> {}
    }
    expect(await found([Twice])).toEqual([
      warning(6, 'Twice.call (up to 2 attempts)', 'Twice.call (up to 3 attempts)'),
    ]);
  });
});

describe('attempts do not multiply', () => {
  it('where one of the two does not retry', async () => {
    const Quiet = outer((target) => Inject(Http)(target, undefined, 0), { timeout: 1 });
    expect(await found([Quiet, Http])).toEqual([]);
    const Outer = outer((target) => Inject(Plain)(target, undefined, 0));
    expect(await found([Outer, Plain, Http])).toEqual([]);
  });

  it('where operations has switched one off', async () => {
    const silenced = await warningsOf(
      { providers: [Users, Http] },
      { operations: { 'Users.find': { retries: '0' } } },
    );
    expect(silenced).toEqual([]);
  });

  it('within one class, whose methods need not call each other', async () => {
    expect(await found([Http])).toEqual([]);
  });

  it('over the executor and the emitter, which know sinks that retry', async () => {
    @Injectable()
    class Sink implements EventSink {
      constructor(@Inject(ResilienceExecutor) readonly executor: ResilienceExecutor) {}

      @Resilient(retrying(2) as object)
      async emit(): Promise<void> {}
    }
    const Outer = outer((target) => {
      Inject(ResilienceExecutor)(target, undefined, 0);
      Inject(RESILIENCE_EVENTS)(target, undefined, 1);
    });
    expect(
      await warningsOf({ providers: [Outer] }, { eventSinks: [Sink], circuitBreakers: [{ name: 'a' }] }),
    ).toEqual([]);
  });

  it('over what is imported and not injected', async () => {
    @Module({ providers: [Http], exports: [Http] })
    class HttpModule {}
    const Outer = outer(() => undefined);
    expect(await found([Outer], { imports: [HttpModule] })).toEqual([]);
  });
});
