import { describe, expect, it } from 'tstyche';
import { Resilient } from '../../../lib/index.js';

class Order {
  readonly id: string = '';
}

describe('a decorated method keeps its signature', () => {
  it('with its parameters and overloads', () => {
    class Client {
      @Resilient({ retries: 1 })
      async read(_id: string, _fresh?: boolean, ..._more: readonly number[]): Promise<Order> {
        return new Order();
      }
      find(id: string): Promise<Order>;
      find(ids: readonly string[]): Promise<Order[]>;
      @Resilient({ retries: 1 })
      async find(ids: string | readonly string[]): Promise<Order | Order[]> {
        return typeof ids === 'string' ? new Order() : [];
      }
    }
    expect(new Client().read).type.toBe<
      (id: string, fresh?: boolean, ...more: readonly number[]) => Promise<Order>
    >();
    expect(new Client().find('a')).type.toBe<Promise<Order>>();
    expect(new Client().find(['a'])).type.toBe<Promise<Order[]>>();
  });

  it('with its type parameters, those of the class too', () => {
    abstract class Repository<T extends object> {
      protected abstract load(id: string): Promise<T>;
      @Resilient({ retries: 1, fallback: 'empty' })
      async get(id: string): Promise<T | undefined> {
        return this.load(id);
      }
      @Resilient({ timeout: 1, fallback: 'mapAgain' })
      async map<R>(id: string, change: (value: T) => R): Promise<R> {
        return change(await this.load(id));
      }
      async mapAgain<R>(id: string, change: (value: T) => R): Promise<R> {
        return change(await this.load(id));
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
  });

  it('wherever it stands in a class', () => {
    abstract class Base {
      @Resilient()
      static async create(): Promise<Order> {
        return new Order();
      }
      @Resilient()
      protected async guarded(): Promise<void> {}
      @Resilient()
      private async hidden(): Promise<void> {}
      abstract needed(): Promise<string>;
      use(): Promise<void> {
        return this.hidden();
      }
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
      like(): PromiseLike<number> {
        return Promise.resolve(1);
      }
      @Resilient()
      async self(): Promise<this> {
        return this;
      }
    }
    expect(Child.create).type.toBe<() => Promise<Order>>();
    expect(new Child().needed).type.toBe<() => Promise<string>>();
    expect(new Child().like).type.toBe<() => PromiseLike<number>>();
  });
});
