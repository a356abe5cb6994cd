import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { getResilientMetadata, Resilient, type ResilientOptions } from '../../lib/index.js';
import { noWait } from './support.js';

/** As other libraries do it: a note on the function itself, for both kinds of decorators. */
const note =
  (key: unknown, value: unknown) =>
  (target: any, _place: any, descriptor?: PropertyDescriptor): any =>
    Reflect.defineMetadata(key, value, descriptor === undefined ? target : descriptor.value);

describe('a decorated method stays itself for everybody else', () => {
  const secret = Symbol('secret');
  class Controller {
    @note('above', ['admin'])
    @note(secret, 1)
    @Resilient({ retries: 1 })
    @note('below', { path: '/hello' })
    @note('both', 'below')
    async getHello(_a: string, _b: number): Promise<void> {}

    @note('both', 'above')
    @Resilient()
    @note('both', 'below')
    async overwritten(_a = 1, ..._rest: number[]): Promise<void> {}

    async plain(_a: string, _b: number): Promise<void> {}
    async plainDefaults(_a = 1, ..._rest: number[]): Promise<void> {}
  }
  const { getHello, overwritten, plain, plainDefaults } = Controller.prototype;

  // B149
  it('keeps its name and its length [R220]', () => {
    expect([getHello.name, getHello.length]).toEqual(['getHello', plain.length]);
    expect(getHello.length).toBe(2);
    expect([overwritten.name, overwritten.length]).toEqual(['overwritten', plainDefaults.length]);
    expect(Object.getOwnPropertyDescriptor(getHello, 'name')).toEqual({
      ...Object.getOwnPropertyDescriptor(plain, 'name'),
      value: 'getHello',
    });
    expect(Object.getOwnPropertyDescriptor(getHello, 'length')).toEqual(
      Object.getOwnPropertyDescriptor(plain, 'length'),
    );
  });

  it('keeps every metadata key that decorators above and below it wrote [R220]', () => {
    const keys = Reflect.getOwnMetadataKeys(getHello);
    expect(new Set(keys)).toEqual(new Set(['below', 'both', 'above', secret]));
    expect(keys.map((key) => Reflect.getOwnMetadata(key, getHello))).toEqual(
      expect.arrayContaining([{ path: '/hello' }, 'below', ['admin'], 1]),
    );
    expect(Reflect.getOwnMetadata('both', overwritten)).toBe('above');
  });

  // B152
  it('is marked by one symbol of ours, and nothing of anybody else is overwritten', () => {
    const added = Reflect.ownKeys(getHello).filter((key) => !Reflect.ownKeys(plain).includes(key));
    expect(added).toEqual([Symbol.for('relprim/resilient')]);
    expect(Object.keys(getHello)).toEqual([]);
    expect(Object.keys(Controller.prototype)).toEqual([]);
  });

  it('is a method in its place: writable, configurable, not enumerable, and no constructor', () => {
    const [ours, theirs] = ['getHello', 'plain'].map((key) =>
      Object.getOwnPropertyDescriptor(Controller.prototype, key),
    );
    expect(ours).toEqual({ ...theirs, value: getHello });
    expect(() => Reflect.construct(getHello, [])).toThrow(TypeError);
  });

  it('keeps the properties that others put on the function', () => {
    const tagged =
      (value: string) =>
      (target: any, _place: any, descriptor?: PropertyDescriptor): any =>
        void Object.assign(descriptor === undefined ? target : descriptor.value, {
          tag: value,
          [secret]: value,
        });
    class Tagged {
      @tagged('above')
      @Resilient()
      async above(): Promise<void> {}
      @Resilient()
      @tagged('below')
      async below(): Promise<void> {}
    }
    expect({ ...Tagged.prototype.above }).toMatchObject({ tag: 'above', [secret]: 'above' });
    expect({ ...Tagged.prototype.below }).toMatchObject({ tag: 'below', [secret]: 'below' });
  });
});

describe('getResilientMetadata', () => {
  const refresh = Symbol('refresh');
  const options: ResilientOptions = { retries: 2, backoff: noWait };
  class Base {
    @Resilient(options)
    async read(): Promise<void> {}
    @Resilient({ name: 'write a record' })
    async write(): Promise<void> {}
    @Resilient()
    async [refresh](): Promise<void> {}
    @Resilient()
    async 42(): Promise<void> {}
    @Resilient({ timeout: 1 })
    static async create(): Promise<void> {}
    async plain(): Promise<void> {}
  }
  class Child extends Base {
    override async write(): Promise<void> {}
  }
  class Grandchild extends Child {
    @Resilient({ retries: 5 })
    override async read(): Promise<void> {}
  }

  it('tells the name and the options of a decorated method, without an instance', () => {
    expect(getResilientMetadata(Base, 'read')).toEqual({ operationName: 'Base.read', options });
    expect(getResilientMetadata(Base, 'write')).toEqual({
      operationName: 'write a record',
      options: { name: 'write a record' },
    });
    expect(getResilientMetadata(Base, refresh)).toEqual({ operationName: 'Base.[refresh]', options: {} });
    expect(getResilientMetadata(Base, '42')).toEqual({ operationName: 'Base.42', options: {} });
    expect(getResilientMetadata(Base, 'create')).toEqual({
      operationName: 'Base.create',
      options: { timeout: 1 },
    });
  });

  it('tells nothing of other methods', () => {
    for (const method of ['plain', 'constructor', 'toString', 'nothing', Symbol('refresh')]) {
      expect(getResilientMetadata(Base, method)).toBeUndefined();
    }
  });

  it('follows inheritance, and stops at an override without a decorator', () => {
    expect(getResilientMetadata(Child, 'read')).toEqual({ operationName: 'Child.read', options });
    expect(getResilientMetadata(Child, 'write')).toBeUndefined();
    expect(getResilientMetadata(Child, 'create')?.operationName).toBe('Child.create');
    expect(getResilientMetadata(Grandchild, 'read')).toEqual({
      operationName: 'Grandchild.read',
      options: { retries: 5 },
    });
  });

  it('says the same when instances exist', () => {
    const before = getResilientMetadata(Grandchild, 'read');
    expect([new Base(), new Child(), new Grandchild()]).toHaveLength(3);
    expect(getResilientMetadata(Grandchild, 'read')).toEqual(before);
    expect(getResilientMetadata(Child, 'write')).toBeUndefined();
  });

  it('gives options that nobody can change any more, neither in its copy nor in the object that was given', () => {
    const given = { retries: 1 };
    class Client {
      @Resilient(given)
      async read(): Promise<void> {}
    }
    given.retries = 9;
    const metadata = getResilientMetadata(Client, 'read');
    expect(metadata?.options).toEqual({ retries: 1 });
    expect(Object.isFrozen(metadata?.options)).toBe(true);
  });

  // B142
  it('calls no getter while it looks', () => {
    class Careful {
      @Resilient()
      async read(): Promise<void> {}
      get trap(): never {
        throw new Error('called');
      }
      static get trap(): never {
        throw new Error('called');
      }
    }
    class Child extends Careful {}
    expect(getResilientMetadata(Child, 'trap')).toBeUndefined();
    expect(getResilientMetadata(Child, 'read')?.operationName).toBe('Child.read');
  });

  it('leaves the part without a name out for a class that has none', () => {
    class Nameless {
      @Resilient()
      async read(): Promise<void> {}
    }
    Object.defineProperty(Nameless, 'name', { value: '' });
    expect(getResilientMetadata(Nameless, 'read')?.operationName).toBe('read');
  });
});
