import { describe, expect, it } from '@jest/globals';
import { Inject, Injectable, Module, Optional, Scope } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { Resilient } from '../../lib/index.js';
import { calls, compile, start, watch } from './support.js';

@Injectable()
class Base {
  tries = 0;

  @Resilient({ retries: 2, backoff: { delayForRetry: () => 0 } })
  async call(): Promise<string> {
    this.tries += 1;
    throw new Error('down');
  }
}

@Injectable()
class Inheriting extends Base {}

@Injectable()
class Overriding extends Base {
  override async call(): Promise<string> {
    return 'own';
  }
}

@Injectable()
class CallingSuper extends Base {
  override async call(): Promise<string> {
    return super.call().catch(() => `${this.tries} tries`);
  }
}

@Injectable()
class Redecorated extends Base {
  @Resilient()
  override async call(): Promise<string> {
    return super.call().catch(() => `${this.tries} tries`);
  }
}

/** The decorator that stands on the base knows nothing of this class, whose own list hides the inherited one. */
const scopes = { DEFAULT: Scope.DEFAULT, REQUEST: Scope.REQUEST, TRANSIENT: Scope.TRANSIENT };
const withOwnProperty = Object.entries(scopes).map(([name, scope]) => {
  @Injectable({ scope })
  class WithOwnProperty extends Base {
    @Inject('own')
    readonly own!: string;

    @Optional()
    @Inject('nowhere')
    readonly nothing?: string;
  }
  return [name, WithOwnProperty] as const;
});

describe('an inherited decorated method runs on the executor of its application', () => {
  it('in a subclass of another module, under the name of the subclass', async () => {
    @Module({ providers: [Inheriting], exports: [Inheriting] })
    class OtherModule {}
    const app = watch(await start({ imports: [OtherModule], providers: [Base] }));
    await expect(app.get(Inheriting).call()).rejects.toThrow('down');
    await expect(app.get(Base).call()).rejects.toThrow('down');
    expect(app.get(Inheriting).tries).toBe(3);
    expect(calls()).toEqual(['APP Inheriting.call', 'APP Base.call']);
  });

  it('in a class made by a mixin from a generic abstract base', async () => {
    abstract class Store<T> {
      protected abstract read(key: string): T;

      @Resilient()
      async get(key: string): Promise<T> {
        return this.read(key);
      }
    }
    const mixin = (prefix: string): new () => Store<string> => {
      @Injectable()
      class PrefixedStore extends Store<string> {
        protected read(key: string): string {
          return `${prefix}${key}`;
        }
      }
      return PrefixedStore;
    };
    const [A, B] = [mixin('a:'), mixin('b:')];
    const app = watch(await start({ providers: [A, B] }));
    expect(await app.get(A).get('1')).toBe('a:1');
    expect(await app.get(B).get('1')).toBe('b:1');
    expect(calls()).toEqual(['APP PrefixedStore.get', 'APP PrefixedStore.get']);
  });

  // B142
  it('when a subclass without the decorator calls super, and only there', async () => {
    const app = watch(await start({ providers: [CallingSuper, Overriding] }));
    expect(await app.get(CallingSuper).call()).toBe('3 tries');
    expect(calls()).toEqual(['APP Base.call']);
    expect(await app.get(Overriding).call()).toBe('own');
    expect(calls()).toEqual([]);
  });

  it('when a subclass decorates it again and calls super: two layers, each with its own name', async () => {
    const app = watch(await start({ providers: [Redecorated] }));
    expect(await app.get(Redecorated).call()).toBe('3 tries');
    expect(calls()).toEqual(['APP Base.call', 'APP Redecorated.call']);
  });

  it.each(withOwnProperty)(
    'in a %s subclass that has injected properties of its own',
    async (_scope, Client) => {
      const app = watch(await start({ providers: [Client, { provide: 'own', useValue: 'injected' }] }));
      const client = await app.resolve(Client).catch(() => app.get(Client));
      await expect(client.call()).rejects.toThrow('down');
      expect(calls()).toEqual(['APP WithOwnProperty.call']);
      expect({ own: client.own, nothing: client.nothing }).toEqual({ own: 'injected', nothing: undefined });
    },
  );

  it('in a subclass with injected properties of its own before the application is initialised, and when made by ModuleRef', async () => {
    const [, Client] = withOwnProperty[0] as (typeof withOwnProperty)[0];
    @Injectable()
    class Factory {
      constructor(@Inject(ModuleRef) readonly module: ModuleRef) {}
    }
    const app = watch(
      await compile({ providers: [Client, Factory, { provide: 'own', useValue: 'injected' }] }),
    );
    await expect(app.get(Client).call()).rejects.toThrow('down');
    const made = await app.get(Factory).module.create(Client);
    await expect(made.call()).rejects.toThrow('down');
    expect(calls()).toEqual(['APP WithOwnProperty.call', 'APP WithOwnProperty.call']);
  });
});
