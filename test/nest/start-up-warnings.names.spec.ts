import { describe, expect, it } from '@jest/globals';
import { Injectable, Module, Scope, type Type } from '@nestjs/common';
import { Resilient } from '../../lib/index.js';
import { codesOf, warningsOf } from './configuration-support.js';

/** A class of this name with a decorated method `call`. */
function namedClass(name: string): Type {
  @Injectable()
  class Client {
    @Resilient()
    async call(): Promise<void> {}
  }
  Object.defineProperty(Client, 'name', { value: name });
  return Client;
}

describe('duplicate-operation-name', () => {
  const ofClasses = (name: string, count: number): string =>
    `${name} is the name of operations in ${count} classes, so reports, events and settings mix them up; rename a class, or give one of them a name: @Resilient({ name: '…' })`;

  it('is said of two classes of one name, wherever they are', async () => {
    const [One, Two] = [namedClass('UsersClient'), namedClass('UsersClient')];
    @Module({ providers: [Two] })
    class FeatureModule {}
    expect(await warningsOf({ imports: [FeatureModule], providers: [One] })).toEqual([
      [ofClasses('UsersClient.call', 2), 'duplicate-operation-name'],
    ]);
  });

  it('is said of a name that was given twice, in two classes or in one', async () => {
    @Injectable()
    class Base {
      @Resilient({ name: 'charge' })
      async one(): Promise<void> {}
    }
    @Injectable()
    class Sub extends Base {}
    @Injectable()
    class Both {
      @Resilient({ name: 'pay' })
      async one(): Promise<void> {}

      @Resilient({ name: 'pay' })
      async [Symbol('two')](): Promise<void> {}
    }
    expect((await warningsOf({ providers: [Base, Sub, Both] })).map(([text]) => text)).toEqual([
      ofClasses('charge', 2),
      'pay is the name of the methods one and [two] of one class, so reports, events and settings mix them up; give each a name of its own',
    ]);
  });

  it('is not said of several instances of a class, of inherited methods, nor of two layers', async () => {
    const Client = namedClass('Client');
    @Module({ providers: [Client] })
    class FeatureModule {}
    @Injectable()
    class Eu extends Client {}
    @Injectable({ scope: Scope.REQUEST })
    class Us extends Client {}
    @Injectable()
    class Twice {
      @Resilient({ timeout: 1 })
      @Resilient({ deadline: 2 })
      async call(): Promise<void> {}
    }
    const again = { provide: 'again', useFactory: () => new Client() as object };
    const alias = { provide: 'alias', useExisting: Client };
    const providers = [Client, again, alias, Eu, Us, Twice];
    expect(await warningsOf({ imports: [FeatureModule], providers })).toEqual([]);
  });
});

describe('out-of-reach', () => {
  const isStatic = (name: string): [string, string] => [
    `${name} is static, so it runs outside the application, without its circuit breakers, defaults and sinks; make it a method of an instance`,
    'out-of-reach',
  ];

  it('is said of a static method, also where it is all that a class has', async () => {
    @Injectable()
    class Mixed {
      @Resilient()
      static async find(): Promise<void> {}

      @Resilient()
      async call(): Promise<void> {}
    }
    @Injectable()
    class OnlyStatic {
      @Resilient()
      static async find(): Promise<void> {}
    }
    expect(await warningsOf({ providers: [Mixed, OnlyStatic] })).toEqual([
      isStatic('Mixed.find'),
      isStatic('OnlyStatic.find'),
    ]);
  });

  it('is said once of a static method that classes of the application inherit', async () => {
    class Base {
      @Resilient()
      static async find(): Promise<void> {}
    }
    @Injectable()
    class One extends Base {}
    @Injectable({ scope: Scope.REQUEST })
    class Two extends Base {}
    expect(await warningsOf({ controllers: [One], providers: [Two] })).toEqual([isStatic('Base.find')]);
  });

  it('is not said of classes that the application has nothing to do with, nor of methods of instances', async () => {
    class Elsewhere {
      @Resilient()
      static async find(): Promise<void> {}
    }
    @Injectable({ scope: Scope.REQUEST })
    class Scoped {
      @Resilient()
      async call(): Promise<void> {
        await Elsewhere.find();
      }
    }
    const factory = { provide: 'made', useFactory: () => new Scoped() };
    expect(await codesOf({ providers: [Scoped, factory] })).toEqual([]);
  });
});
