import type { BehaviorSubject, Observable } from 'rxjs';
import { describe, expect, it } from 'tstyche';
import { Resilient, type ResilientOptions } from '../../../lib/index.js';

class User {
  readonly name: string = '';
}
class Admin extends User {
  readonly admin: boolean = true;
}
declare function source<T>(): Observable<T>;
declare const anything: any;

describe('a method that returns an Observable', () => {
  it('keeps its type', () => {
    class Client {
      @Resilient({ retries: 1, timeout: '2s' })
      get(_id: string, _fresh?: boolean): Observable<User> {
        return source();
      }
      @Resilient()
      subject(): BehaviorSubject<User | null> {
        return anything as BehaviorSubject<User | null>;
      }
      @Resilient({ returns: 'observable' })
      either(): Observable<User> | Observable<Admin> {
        return source();
      }
      @Resilient()
      static create<V>(_value: V): Observable<V> {
        return source();
      }
      @Resilient()
      any(): Observable<any> {
        return source();
      }
    }
    expect(new Client().get).type.toBe<(id: string, fresh?: boolean) => Observable<User>>();
    expect(new Client().subject()).type.toBe<BehaviorSubject<User | null>>();
    expect(Client.create(1 as const)).type.toBe<Observable<1>>();
  });

  it('may have the type parameters of its class', () => {
    abstract class Repository<T extends object> {
      @Resilient({ fallback: 'empty' })
      get(_id: string): Observable<T | undefined> {
        return source();
      }
      @Resilient({ fallback: 'get' })
      same(_id: string): Observable<T | undefined> {
        return source();
      }
      empty(): Observable<undefined> {
        return source();
      }
    }
    void Repository;
  });

  it('may have a fallback that gives its value in an Observable, in a promise or by itself', () => {
    class Client {
      @Resilient({ fallback: 'admin' })
      byName(_id: string): Observable<User> {
        return source();
      }
      @Resilient({ fallback: 'promised' })
      promised2(_id: string): Observable<User> {
        return source();
      }
      @Resilient({ fallback: 'plain' })
      plain2(_id: string): Observable<User> {
        return source();
      }
      @Resilient({ fallback: (_id: string): Observable<Admin> => source() })
      byFunction(_id: string): Observable<User> {
        return source();
      }
      @Resilient({ fallback: 'mixed' })
      mixed2(_id: string): Observable<User> {
        return source();
      }
      admin(_id: string): Observable<Admin> {
        return source();
      }
      async promised(): Promise<User> {
        return new User();
      }
      plain(): User {
        return new User();
      }
      mixed(): Observable<User> | Promise<Admin> | User {
        return new User();
      }
    }
    void Client;
  });

  it('may not have one that gives something else', () => {
    class Client {
      // @ts-expect-error ResilientTypeError<"fallback 'other' must resolve to what the method resolves to">
      @Resilient({ fallback: 'other' })
      byName(): Observable<User> {
        return source();
      }
      // @ts-expect-error ResilientTypeError<"the fallback function must resolve to what the method resolves to">
      @Resilient({ fallback: () => 1 })
      byFunction(): Observable<User> {
        return source();
      }
      // @ts-expect-error ResilientTypeError<"fallback 'user' must resolve to what the method resolves to">
      @Resilient({ fallback: 'user' })
      async promised(): Promise<User> {
        return new User();
      }
      other(): Observable<string> {
        return source();
      }
      user(): Observable<User> {
        return source();
      }
    }
    void Client;
  });
});

describe('the option returns', () => {
  it('must agree with the return type', () => {
    class Client {
      // @ts-expect-error ResilientTypeError<"returns: 'observable' is for methods that return an Observable">
      @Resilient({ returns: 'observable' })
      async promise(): Promise<User> {
        return new User();
      }
      // @ts-expect-error ResilientTypeError<"returns: 'promise' is for methods that return a Promise">
      @Resilient({ returns: 'promise' })
      observable(): Observable<User> {
        return source();
      }
      // @ts-expect-error ResilientTypeError<"the method must return a Promise or an Observable: make it async">
      @Resilient({ returns: 'observable' })
      maybe(): Observable<User> | undefined {
        return undefined;
      }
      // @ts-expect-error Type '"stream"' is not assignable to type
      @Resilient({ returns: 'stream' })
      stream(): Observable<User> {
        return source();
      }
      @Resilient({ returns: 'observable' })
      anyObservable(): any {
        return source();
      }
      @Resilient({ returns: 'promise' })
      anyPromise(): any {
        return source();
      }
    }
    void Client;
  });

  it('is not checked in options that were made elsewhere', () => {
    const options: ResilientOptions = { retries: 1, returns: 'observable' };
    class Client {
      @Resilient(options)
      get(): Observable<User> {
        return source();
      }
      @Resilient(options)
      async other(): Promise<User> {
        return new User();
      }
    }
    void Client;
  });
});
