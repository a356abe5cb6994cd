import type { Observable } from 'rxjs';
import { describe, expect, it } from 'tstyche';
import { Resilient, type ResilientOptions, type ResilientTypeError } from '../../../lib/index.js';

class User {
  readonly name: string = '';
}
declare function source<T>(): Observable<T>;

describe('a method that returns an Observable', () => {
  it('says so, as nothing else does when the class is defined', () => {
    class Client {
      @Resilient({ returns: 'observable', fallback: 'nobody' })
      get(_id: string): Observable<User> {
        return source();
      }
      // @ts-expect-error ResilientTypeError<"returns: 'observable' is for methods that return an Observable">
      @Resilient({ returns: 'observable' })
      async promise(): Promise<User> {
        return new User();
      }
      // @ts-expect-error ResilientTypeError<"fallback 'number' must resolve to what the method resolves to">
      @Resilient({ returns: 'observable', fallback: 'number' })
      other(): Observable<User> {
        return source();
      }
      nobody(_id: string): User {
        return new User();
      }
      number(): Observable<number> {
        return source();
      }
    }
    expect(new Client().get).type.toBe<(id: string) => Observable<User>>();
    // Called by hand, as legacy decorators, under which this file is compiled as well, need not say it.
    const context = {} as ClassMethodDecoratorContext<Client, () => Observable<User>>;
    expect(Resilient({ retries: 1 })(source<User>, context)).type.toBe<
      ResilientTypeError<"for a method that returns an Observable say returns: 'observable'">
    >();
    expect(Resilient({ returns: 'observable' })(source<User>, context)).type.toBe<void>();
  });

  it('is not asked for in options that were made elsewhere', () => {
    const options: ResilientOptions = { retries: 1, returns: 'observable' };
    class Client {
      @Resilient(options)
      get(): Observable<User> {
        return source();
      }
    }
    void Client;
  });
});
