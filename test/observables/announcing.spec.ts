import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BehaviorSubject, firstValueFrom, Observable, of, Subject } from 'rxjs';
import {
  ConfigurationError,
  EventEmitter,
  getResilientMetadata,
  MisuseError,
  Resilient,
  resultOf,
  type ResilientOptions,
} from '../../lib/index.js';
import { observableClass, provideObservable } from '../../lib/operation/observable-class.js';
import { mistakeOf, rejectionOf, World } from '../decorator/support.js';
import { thrown } from '../operation/support.js';
import './support.js';

/** A return type that says nothing, as one that TypeScript inferred or a compiler did not write down. */
type Unwritten = any;

describe('a method is known to return Observables', () => {
  it('by its return type, that of a subclass of Observable too', async () => {
    class Client {
      @Resilient()
      get(): Observable<number> {
        return of(1);
      }
      @Resilient({ retries: 1 })
      subject(): BehaviorSubject<number> {
        const subject = new BehaviorSubject(2);
        queueMicrotask(() => subject.complete());
        return subject;
      }
    }
    const client = new Client();
    expect(await firstValueFrom(client.get())).toBe(1);
    const given: Observable<number> = client.subject();
    expect([given instanceof Observable, (given as Subject<number>) instanceof BehaviorSubject]).toEqual([
      true,
      false,
    ]);
    expect(await firstValueFrom(given)).toBe(2);
  });

  it("by returns: 'observable'", async () => {
    class Client {
      @Resilient({ returns: 'observable' })
      inferred() {
        return of(3);
      }
      @Resilient({ returns: 'observable' })
      unwritten(): Unwritten {
        return of(4);
      }
      @Resilient({ returns: 'observable' })
      union(): Observable<number> | Observable<string> {
        return of(5);
      }
    }
    const client = new Client();
    expect(await firstValueFrom(client.inferred())).toBe(3);
    expect(await firstValueFrom<unknown>(client.unwritten())).toBe(4);
    expect(await firstValueFrom<unknown>(client.union())).toBe(5);
  });

  it('wherever it stands: static, inherited, overridden, under a symbol', async () => {
    const symbol = Symbol('get');
    abstract class Base<T> {
      abstract readonly value: T;
      @Resilient()
      static create(): Observable<string> {
        return of(this.name);
      }
      @Resilient()
      get(): Observable<T> {
        return of(this.value);
      }
      @Resilient({ returns: 'observable' })
      [symbol]() {
        return of(this.value);
      }
    }
    class Inherits extends Base<number> {
      readonly value = 1;
    }
    class Overrides extends Base<number> {
      readonly value = 2;
      @Resilient()
      override get(): Observable<number> {
        return super.get();
      }
    }
    const world = new World();
    const seen = (instance: Base<number>): Promise<number> => firstValueFrom(world.adopt(instance).get());
    expect([await seen(new Inherits()), await seen(new Overrides())]).toEqual([1, 2]);
    expect(await firstValueFrom(new Inherits()[symbol]())).toBe(1);
    expect(await firstValueFrom(Inherits.create())).toBe('Inherits');
  });

  it('and stays the method that it was', () => {
    const marked = (target: object, key: string): void =>
      Reflect.defineMetadata('mark', 'here', Reflect.get(target, key) as object);
    class Client {
      @Resilient({ retries: 1, returns: 'observable' })
      @marked
      get(_a: string, _b: number): Observable<number> {
        return of(1);
      }
    }
    const { get } = Client.prototype;
    expect([get.name, get.length, Reflect.getMetadata('mark', get)]).toEqual(['get', 2, 'here']);
    expect(getResilientMetadata(Client, 'get')?.options).toEqual({ retries: 1, returns: 'observable' });
  });
});

// B134
describe('an Observable that nobody announced', () => {
  it('is a misuse whose error names the option, thrown where the Observable is expected', () => {
    class Client {
      @Resilient({ retries: 3 })
      get(): Unwritten {
        return of(1);
      }
    }
    const error = thrown(() => new Client().get()) as Error;
    expect(error).toBeInstanceOf(MisuseError);
    expect(error.message).toBe(
      "Client.get returned an Observable that nobody announced; add returns: 'observable' to the options of its decorator, " +
        'or give back a promise, for example with firstValueFrom()',
    );
  });

  it("also with returns: 'promise', and inside other operations", async () => {
    class Client {
      @Resilient({ returns: 'promise' })
      get(): Unwritten {
        return of(1);
      }
      @Resilient({ retries: 2 })
      async outer(): Promise<unknown> {
        return this.get();
      }
    }
    expect(() => new Client().get() as unknown).toThrow(MisuseError);
    expect(await rejectionOf(new Client().outer())).toBeInstanceOf(MisuseError);
    expect(await rejectionOf(resultOf(() => new Client().get() as Promise<unknown>))).toBeInstanceOf(
      MisuseError,
    );
  });

  it('rejects where a sink has to be waited for first, and troubles no later call', async () => {
    const events = new EventEmitter({ sinks: [{ emit: () => Promise.resolve() }] });
    class Client {
      @Resilient({ events })
      get(): Unwritten {
        return of(1);
      }
      @Resilient()
      async good(): Promise<number> {
        return 1;
      }
    }
    const client = new Client();
    expect(await rejectionOf(client.get() as Promise<unknown>)).toBeInstanceOf(MisuseError);
    expect(await client.good()).toBe(1);
  });
});

describe('the option returns', () => {
  const decorate = (options: object, returnType: unknown): ConfigurationError =>
    mistakeOf(() => {
      class Client {
        get(): unknown {
          return undefined;
        }
      }
      Reflect.defineMetadata('design:returntype', returnType, Client.prototype, 'get');
      const descriptor = Object.getOwnPropertyDescriptor(Client.prototype, 'get') as PropertyDescriptor;
      (Resilient(options as ResilientOptions) as MethodDecorator)(Client.prototype, 'get', descriptor);
    });

  it('is refused where it contradicts the return type', () => {
    expect(decorate({ returns: 'observable' }, Promise).message).toBe(
      "Client.get: returns is 'observable' on a method whose return type is Promise; say 'promise', or leave it out",
    );
    expect(decorate({ returns: 'promise' }, Observable).message).toBe(
      "Client.get: returns is 'promise' on a method whose return type is Observable; say 'observable', or leave it out",
    );
  });

  it('is refused with any other word', () => {
    for (const returns of ['Observable', true, Observable, null])
      expect(decorate({ returns }, undefined)).toMatchObject({
        option: 'returns',
        path: 'Client.get',
        cure: "give 'promise' or 'observable'",
      });
  });
});

describe('where rxjs is not known', () => {
  const key = Symbol.for('relprim/observable@1');
  const slot = (globalThis as unknown as Record<symbol, { known: unknown }>)[key] as { known: unknown };
  const { known } = slot;
  beforeEach(() => void (slot.known = undefined));
  afterEach(() => void (slot.known = known));

  it('the class in the return type is used, that of a Subject by its root', async () => {
    class Client {
      @Resilient()
      get(): Observable<number> {
        return of(1);
      }
      @Resilient()
      subject(): Subject<number> {
        return of(2) as Subject<number>;
      }
    }
    for (const [given, value] of [
      [new Client().get(), 1],
      [new Client().subject(), 2],
    ] as const) {
      expect(Object.getPrototypeOf(given)).toBe(Observable.prototype);
      expect(await firstValueFrom(given)).toBe(value);
    }
  });

  it('the first class that is made known is, and stays so', () => {
    class Other extends Observable<unknown> {}
    provideObservable(Observable);
    provideObservable(Other);
    expect(slot.known).toBe(Observable);
    expect(observableClass(Other)).toBe(Observable);
  });

  it('a method that nothing else is known of throws at its call, and says what to import', () => {
    class Client {
      @Resilient({ returns: 'observable' })
      get(): Unwritten {
        return of(1);
      }
    }
    expect(mistakeOf(() => new Client().get() as unknown).message).toBe(
      "Client.get: returns is 'observable', and rxjs is not known here; import 'relprim/nestjs' somewhere, which brings it, " +
        "or name Observable as the method's return type and compile with emitDecoratorMetadata",
    );
    slot.known = known;
    expect(new Client().get()).toBeInstanceOf(Observable);
  });
});
