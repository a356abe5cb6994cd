import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { getResilientMetadata, Resilient, resultOf } from '../../lib/index.js';
import { noWait } from './support.js';

/** A decorator of another library that wraps the method and copies nothing, for both kinds of decorators. */
const wrapped =
  (calls: string[], name: string) =>
  (target: any, _place: any, descriptor?: PropertyDescriptor): any => {
    const inner = descriptor === undefined ? target : descriptor.value;
    const outer = function (this: unknown, ...args: unknown[]): unknown {
      calls.push(name);
      return inner.apply(this, args);
    };
    if (descriptor === undefined) return outer;
    descriptor.value = outer;
  };

const SCHEDULED = 'scheduled';
/** A decorator that notes a method, for a scheduler that looks for notes later. */
const scheduled = (target: any, _place: any, descriptor?: PropertyDescriptor): any =>
  Reflect.defineMetadata(SCHEDULED, true, descriptor === undefined ? target : descriptor.value);

/** The scheduler: calls whatever is noted, through the instance. */
async function runScheduled(instance: object): Promise<unknown[]> {
  const prototype = Object.getPrototypeOf(instance);
  const noted = Object.getOwnPropertyNames(prototype).filter((key) =>
    Reflect.getMetadata(SCHEDULED, prototype[key]),
  );
  return Promise.all(noted.map((key) => (instance as Record<string, () => unknown>)[key]?.()));
}

describe('beside a decorator of another library', () => {
  const calls: string[] = [];
  class Client {
    tries = 0;
    @wrapped(calls, 'above')
    @Resilient({ retries: 1, backoff: noWait })
    async inside(): Promise<string> {
      return this.fails();
    }
    @Resilient({ retries: 1, backoff: noWait })
    @wrapped(calls, 'below')
    async outside(): Promise<string> {
      return this.fails();
    }
    private fails(): string {
      this.tries += 1;
      if (this.tries === 1) throw new Error('first try');
      return 'done';
    }
  }
  class Child extends Client {}

  it('wraps what is below it, and is wrapped by what is above it', async () => {
    calls.length = 0;
    expect(await new Client().inside()).toBe('done');
    expect(calls).toEqual(['above']);
    expect(await new Client().outside()).toBe('done');
    expect(calls).toEqual(['above', 'below', 'below']);
  });

  it('keeps its name and its account in either order', async () => {
    const names = await Promise.all(
      [new Client(), new Child()].flatMap((client) =>
        [() => client.inside(), () => client.outside()].map(
          async (call) => (await resultOf(call)).report.operationName,
        ),
      ),
    );
    expect(names).toEqual(['Client.inside', 'Client.outside', 'Child.inside', 'Child.outside']);
    expect(getResilientMetadata(Client, 'inside')?.operationName).toBe('Client.inside');
    expect(getResilientMetadata(Child, 'outside')?.operationName).toBe('Child.outside');
  });

  // B141
  it('protects a noted method in either order', async () => {
    class Jobs {
      first = 0;
      second = 0;
      @scheduled
      @Resilient({ retries: 1, backoff: noWait })
      async above(): Promise<number> {
        this.first += 1;
        if (this.first === 1) throw new Error('first try');
        return this.first;
      }
      @Resilient({ retries: 1, backoff: noWait })
      @scheduled
      async below(): Promise<number> {
        this.second += 1;
        if (this.second === 1) throw new Error('first try');
        return this.second;
      }
    }
    expect(await runScheduled(new Jobs())).toEqual([2, 2]);
  });

  it('and beside itself: two decorators are two layers', async () => {
    let tries = 0;
    const names: string[] = [];
    const onReport = ({ operationName }: { operationName: string }) => names.push(operationName);
    class Twice {
      @Resilient({ retries: 1, backoff: noWait, onReport })
      @Resilient({ retries: 2, backoff: noWait, onReport })
      async read(): Promise<number> {
        tries += 1;
        if (tries < 5) throw new Error('down');
        return tries;
      }
    }
    expect(await new Twice().read()).toBe(5);
    expect(names).toEqual(['Twice.read', 'Twice.read', 'Twice.read']);
    expect(getResilientMetadata(Twice, 'read')?.options.retries).toBe(1);
  });
});
