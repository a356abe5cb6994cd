import { describe, expect, it, jest } from '@jest/globals';
import { forwardRef, Inject, Injectable, Module, Scope, type OnModuleInit } from '@nestjs/common';
import { LazyModuleLoader, ModuleRef } from '@nestjs/core';
import { Resilient } from '../../lib/index.js';
import { calls, compile, start, watch } from './support.js';

@Injectable()
class Client {
  @Resilient()
  async call(): Promise<string> {
    return 'value';
  }
}

@Injectable({ scope: Scope.REQUEST })
class RequestClient extends Client {}

@Injectable({ scope: Scope.TRANSIENT })
class TransientClient extends Client {}

describe('a decorated method of a provider runs on the executor of its application', () => {
  it('when the provider is a singleton', async () => {
    const app = watch(await start({ providers: [Client] }));
    expect(await app.get(Client).call()).toBe('value');
    expect(calls()).toEqual(['APP Client.call']);
  });

  it('when the provider is a singleton and the application is not initialised yet', async () => {
    const app = watch(await compile({ providers: [Client] }));
    await app.get(Client).call();
    expect(calls()).toEqual(['APP Client.call']);
  });

  it('when the provider is made for each request', async () => {
    const app = watch(await start({ providers: [RequestClient] }));
    const [one, other] = [await app.resolve(RequestClient), await app.resolve(RequestClient)];
    expect(one).not.toBe(other);
    await Promise.all([one.call(), other.call()]);
    expect(calls()).toEqual(['APP RequestClient.call', 'APP RequestClient.call']);
  });

  it('when the provider is transient', async () => {
    @Injectable()
    class Owner {
      constructor(@Inject(TransientClient) readonly client: TransientClient) {}
    }
    const app = watch(await start({ providers: [TransientClient, Owner] }));
    await (await app.resolve(TransientClient)).call();
    await app.get(Owner).client.call();
    expect(calls()).toEqual(['APP TransientClient.call', 'APP TransientClient.call']);
  });

  it('when a factory or a value gave the instance, once the application is initialised', async () => {
    const providers = [
      { provide: 'factory', useFactory: () => new Client() },
      { provide: 'async factory', useFactory: async () => new Client() },
      { provide: 'value', useValue: new Client() },
    ];
    const app = watch(await start({ providers }));
    for (const { provide } of providers) await app.get<Client>(provide).call();
    expect(calls()).toEqual(['APP Client.call', 'APP Client.call', 'APP Client.call']);
  });

  it('when a token stands for the class', async () => {
    const app = watch(
      await start({
        providers: [
          { provide: 'class', useClass: Client },
          { provide: 'alias', useExisting: 'class' },
        ],
      }),
    );
    await app.get<Client>('class').call();
    await app.get<Client>('alias').call();
    expect(calls()).toEqual(['APP Client.call', 'APP Client.call']);
  });

  it('when ModuleRef.create makes the instance', async () => {
    const app = watch(await start({}));
    await (await app.get(ModuleRef).create(Client)).call();
    expect(calls()).toEqual(['APP Client.call']);
  });

  it('when the provider calls it in its own onModuleInit, however it was made', async () => {
    class Warming extends Client implements OnModuleInit {
      async onModuleInit(): Promise<void> {
        await this.call();
      }
    }
    const app = watch(
      await compile({ providers: [Warming, { provide: 'factory', useFactory: () => new Warming() }] }),
    );
    await app.init();
    expect(calls()).toEqual(['APP Warming.call', 'APP Warming.call']);
  });

  it('when a module that imports nothing has the provider', async () => {
    @Module({ providers: [Client], exports: [Client] })
    class FeatureModule {}
    const app = watch(await start({ imports: [FeatureModule] }));
    await app.get(Client).call();
    expect(calls()).toEqual(['APP Client.call']);
  });

  it('when the module is loaded lazily', async () => {
    @Module({ providers: [Client, RequestClient] })
    class LazyModule {}
    const app = watch(await start({}));
    const lazy = await app.get(LazyModuleLoader).load(() => LazyModule);
    await lazy.get(Client).call();
    await (await lazy.resolve(RequestClient)).call();
    expect(calls()).toEqual(['APP Client.call', 'APP RequestClient.call']);
  });

  it('when the name of the method is a symbol', async () => {
    const send = Symbol('send');
    @Injectable()
    class Mailer {
      @Resilient()
      async [send](): Promise<string> {
        return 'sent';
      }
    }
    const app = watch(await start({ providers: [Mailer] }));
    expect(await app.get(Mailer)[send]()).toBe('sent');
    expect(calls()).toEqual(['APP Mailer.[send]']);
  });

  it('when two providers refer to each other', async () => {
    @Injectable()
    class Left extends Client {
      constructor(@Inject(forwardRef(() => Right)) readonly right: Client) {
        super();
      }
    }
    @Injectable()
    class Right extends Client {
      constructor(@Inject(forwardRef(() => Left)) readonly left: Client) {
        super();
      }
    }
    const app = watch(await start({ providers: [Left, Right] }));
    await app.get(Left).call();
    await app.get(Left).right.call();
    await app.get(Right).left.call();
    expect(calls()).toEqual(['APP Left.call', 'APP Right.call', 'APP Left.call']);
  });
});

describe('an instance keeps its executor', () => {
  it('when it freezes, seals or closes itself', async () => {
    const frozen = [Object.freeze, Object.seal, Object.preventExtensions].map((close) => {
      return class Closed extends Client {
        constructor() {
          super();
          close(this);
        }
      };
    });
    const app = watch(
      await start({
        providers: [...frozen, { provide: 'made', useFactory: () => Object.freeze(new Client()) }],
      }),
    );
    for (const token of [...frozen, 'made']) await app.get<Client>(token).call();
    expect(calls()).toEqual(['APP Closed.call', 'APP Closed.call', 'APP Closed.call', 'APP Client.call']);
  });

  it('when it has private fields', async () => {
    @Injectable()
    class Secretive {
      #secret = 'kept';

      @Resilient()
      async call(): Promise<string> {
        return this.#secret;
      }
    }
    const app = watch(await start({ providers: [Secretive] }));
    expect(await app.get(Secretive).call()).toBe('kept');
    expect(calls()).toEqual(['APP Secretive.call']);
  });

  it.each([
    ['Object.create', (client: Client) => Object.create(client) as Client],
    ['a proxy', (client: Client) => new Proxy(client, {})],
    ['a proxy of a proxy', (client: Client) => new Proxy(new Proxy(client, {}), {})],
  ])('in what %s makes of it', async (_name, derive) => {
    const app = watch(await start({ providers: [Client] }));
    await derive(app.get(Client)).call();
    expect(calls()).toEqual(['APP Client.call']);
  });

  it('when a test spies on the method', async () => {
    const app = watch(await start({ providers: [Client] }));
    const client = app.get(Client);
    const spy = jest.spyOn(client, 'call');
    expect(await client.call()).toBe('value');
    expect(spy).toHaveBeenCalledTimes(1);
    expect(calls()).toEqual(['APP Client.call']);
  });

  it('when its constructor binds the method', async () => {
    @Injectable()
    class Bound extends Client {
      constructor() {
        super();
        this.call = this.call.bind(this);
      }
    }
    const app = watch(
      await start({ providers: [Bound, { provide: 'made', useFactory: () => new Bound() }] }),
    );
    for (const token of [Bound, 'made']) {
      const { call } = app.get<Bound>(token);
      await call();
    }
    expect(calls()).toEqual(['APP Bound.call', 'APP Bound.call']);
  });
});

it('looks at the class of a value and never into the value, which may be large or touchy', async () => {
  const traps: string[] = [];
  const note = (trap: string) => (): never => {
    traps.push(trap);
    throw new Error(trap);
  };
  const touchy = new Proxy(
    {},
    { ownKeys: note('ownKeys'), getOwnPropertyDescriptor: note('getOwnPropertyDescriptor') },
  );
  const values = [touchy, Object.create(null), new Uint8Array(8), null, 0, 'text', Client];
  const app = await start({
    providers: values.map((useValue, index) => ({ provide: `value ${index}`, useValue })),
  });
  expect(values.map((_value, index) => app.get<unknown>(`value ${index}`))).toEqual(values);
  expect(traps).toEqual([]);
});
