import { describe, expect, it } from 'tstyche';
import { Resilient } from '../../../lib/index.js';

class Order {
  readonly id: string = '';
}

describe('a decorated method keeps its signature', () => {
  it('with its parameters, optional ones and rest', () => {
    class Client {
      @Resilient({ retries: 1 })
      async read(_id: string, _fresh?: boolean, ..._more: readonly number[]): Promise<Order> {
        return new Order();
      }
    }
    expect(new Client().read).type.toBe<
      (id: string, fresh?: boolean, ...more: readonly number[]) => Promise<Order>
    >();
    expect(new Client().read('a')).type.toBe<Promise<Order>>();
    expect(new Client().read).type.not.toBeCallableWith(1);
  });

  it('with its type parameters, those of the class too', () => {
    abstract class Repository<T extends object> {
      protected abstract load(id: string): Promise<T>;
      @Resilient({ retries: 1, fallback: 'empty' })
      async get(id: string): Promise<T | undefined> {
        return this.load(id);
      }
      @Resilient({ timeout: 1 })
      async map<R>(id: string, change: (value: T) => R): Promise<R> {
        return change(await this.load(id));
      }
      @Resilient({ fallback: 'sameAgain' })
      async same<V>(value: V): Promise<V> {
        return value;
      }
      async sameAgain<V>(value: V): Promise<V> {
        return value;
      }
      async empty(_id: string): Promise<undefined> {
        return undefined;
      }
    }
    class Orders extends Repository<Order> {
      protected async load(): Promise<Order> {
        return new Order();
      }
    }
    expect(new Orders().get('a')).type.toBe<Promise<Order | undefined>>();
    expect(new Orders().map('a', (order) => order.id.length)).type.toBe<Promise<number>>();
    expect(new Orders().same('literal' as const)).type.toBe<Promise<'literal'>>();
  });

  it('with its overloads', () => {
    class Client {
      read(id: string): Promise<Order>;
      read(ids: readonly string[]): Promise<Order[]>;
      @Resilient({ retries: 1 })
      async read(ids: string | readonly string[]): Promise<Order | Order[]> {
        return typeof ids === 'string' ? new Order() : [];
      }
    }
    expect(new Client().read('a')).type.toBe<Promise<Order>>();
    expect(new Client().read(['a'])).type.toBe<Promise<Order[]>>();
  });

  it('wherever it stands in a class', () => {
    abstract class Base {
      @Resilient({ retries: 1, fallback: 'createEmpty' })
      static async create(): Promise<Order> {
        return new Order();
      }
      static async createEmpty(): Promise<Order> {
        return new Order();
      }
      @Resilient()
      protected async guarded(): Promise<void> {}
      @Resilient()
      private async hidden(): Promise<void> {}
      @Resilient()
      async used(): Promise<void> {
        await this.hidden();
      }
      abstract needed(): Promise<string>;
    }
    class Child extends Base {
      @Resilient()
      override async needed(): Promise<string> {
        await this.guarded();
        return '';
      }
      @Resilient()
      async [Symbol.asyncDispose](): Promise<void> {}
      @Resilient()
      async 'two words'(): Promise<void> {}
    }
    expect(Child.create).type.toBe<() => Promise<Order>>();
    expect(new Child().needed).type.toBe<() => Promise<string>>();
  });

  it('with whatever promise it returns', () => {
    class Client {
      @Resilient()
      like(): PromiseLike<number> {
        return Promise.resolve(1);
      }
      @Resilient()
      async unknown(): Promise<unknown> {
        return 1;
      }
      @Resilient()
      async any(): Promise<any> {
        return 1;
      }
      @Resilient({ fallback: 'never' })
      anything(): any {
        return 1;
      }
      @Resilient()
      async never(): Promise<never> {
        throw new Error('never');
      }
      @Resilient()
      async self(): Promise<this> {
        return this;
      }
      @Resilient()
      async withThis(this: Client, id: string): Promise<string> {
        return id;
      }
      @Resilient({ fallback: 'never' })
      either(): Promise<number> | Promise<string> {
        return Promise.resolve(1);
      }
    }
    expect(new Client().like).type.toBe<() => PromiseLike<number>>();
    expect(new Client().self()).type.toBe<Promise<Client>>();
  });
});
