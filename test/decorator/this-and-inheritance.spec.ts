import { describe, expect, it } from '@jest/globals';
import { Resilient } from '../../lib/index.js';
import { noWait, rejectionOf } from './support.js';

const twice = { retries: 1, backoff: noWait };

describe('a decorated method', () => {
  // B139
  it('reaches this and super in every attempt [R242]', async () => {
    const seen: string[] = [];
    class Base {
      helper(): string {
        return 'base helper';
      }
    }
    class Client extends Base {
      private failures = 1;
      override helper(): string {
        return 'own helper';
      }
      @Resilient(twice)
      async read(): Promise<string> {
        seen.push(this.helper(), super.helper());
        if (this.failures-- > 0) throw new Error('first try');
        return seen.join(', ');
      }
    }
    expect(await new Client().read()).toBe('own helper, base helper, own helper, base helper');
  });

  it('reads and writes private fields, and calls private methods', async () => {
    class Counter {
      #count = 0;
      #add(): number {
        this.#count += 1;
        return this.#count;
      }
      @Resilient(twice)
      async next(): Promise<number> {
        if (this.#add() === 1) throw new Error('first try');
        return this.#count;
      }
    }
    const [one, other] = [new Counter(), new Counter()];
    expect(await one.next()).toBe(2);
    expect(await one.next()).toBe(3);
    expect(await other.next()).toBe(2);
  });

  it('keeps the state of two instances apart', async () => {
    class Client {
      constructor(private readonly host: string) {}
      @Resilient(twice)
      async where(): Promise<string> {
        await Promise.resolve();
        return this.host;
      }
    }
    const hosts = await Promise.all(['a', 'b', 'c'].map((host) => new Client(host).where()));
    expect(hosts).toEqual(['a', 'b', 'c']);
  });

  it('may be called by another method of the class, and call itself', async () => {
    class Walker {
      @Resilient(twice)
      async depth(levels: number): Promise<number> {
        return levels === 0 ? 0 : 1 + (await this.depth(levels - 1));
      }
      async deepest(): Promise<number> {
        return this.depth(5);
      }
    }
    expect(await new Walker().deepest()).toBe(5);
  });
});

describe('inheritance', () => {
  class Base {
    calls = 0;
    @Resilient(twice)
    async read(): Promise<string> {
      this.calls += 1;
      throw new Error(`try ${this.calls}`);
    }
  }

  // B142
  it('keeps the policy of a method that a subclass inherits', async () => {
    class Child extends Base {}
    const child = new Child();
    expect(await rejectionOf(child.read())).toEqual(new Error('try 2'));
    expect(child.calls).toBe(2);
  });

  it('loses it when a subclass overrides the method without a decorator', async () => {
    class Child extends Base {
      override async read(): Promise<string> {
        this.calls += 1;
        throw new Error('plain');
      }
    }
    const child = new Child();
    await rejectionOf(child.read());
    expect(child.calls).toBe(1);
  });

  it('runs it inside an override that calls super', async () => {
    let outer = 0;
    class Child extends Base {
      override async read(): Promise<string> {
        outer += 1;
        return super.read();
      }
    }
    const child = new Child();
    await rejectionOf(child.read());
    expect([outer, child.calls]).toEqual([1, 2]);
  });

  it('makes two layers of a decorated override that calls super', async () => {
    let outer = 0;
    class Child extends Base {
      @Resilient({ retries: 2, backoff: noWait })
      override async read(): Promise<string> {
        outer += 1;
        return super.read();
      }
    }
    const child = new Child();
    await rejectionOf(child.read());
    expect([outer, child.calls]).toEqual([3, 6]);
  });

  it('applies the policy of an override alone when that does not call super', async () => {
    class Child extends Base {
      @Resilient({ retries: 4, backoff: noWait })
      override async read(): Promise<string> {
        this.calls += 1;
        throw new Error('mine');
      }
    }
    const child = new Child();
    await rejectionOf(child.read());
    expect(child.calls).toBe(5);
  });

  it('works through mixins and abstract generic bases', async () => {
    abstract class Repository<T> {
      protected abstract load(): Promise<T>;
      @Resilient(twice)
      async get(): Promise<T> {
        return this.load();
      }
    }
    const logged = <C extends abstract new (...args: any[]) => Repository<string>>(Parent: C) => {
      abstract class Logged extends Parent {
        readonly log: string[] = [];
        override async get(): Promise<string> {
          this.log.push('get');
          return super.get();
        }
      }
      return Logged;
    };
    class Users extends logged(Repository<string>) {
      private tries = 0;
      protected override async load(): Promise<string> {
        this.tries += 1;
        if (this.tries === 1) throw new Error('first try');
        return `loaded in try ${this.tries}`;
      }
    }
    const users = new Users();
    expect(await users.get()).toBe('loaded in try 2');
    expect(users.log).toEqual(['get']);
  });

  it('covers static methods, with the class that is called as this', async () => {
    class Api {
      static tries = 0;
      static url = 'base';
      @Resilient(twice)
      static async fetch(): Promise<string> {
        this.tries += 1;
        if (this.tries % 2 === 1) throw new Error('first try');
        return `${this.url} after ${this.tries}`;
      }
    }
    class EuropeApi extends Api {
      static override tries = 0;
      static override url = 'europe';
    }
    expect(await Api.fetch()).toBe('base after 2');
    expect(await EuropeApi.fetch()).toBe('europe after 2');
    expect(Api.tries).toBe(2);
  });
});
