import type { BehaviorSubject, Observable } from 'rxjs';
import { describe, expect, it } from 'tstyche';
import { resultOf, type ObservableLike, type ObservableOf, type OperationResult } from '../../lib/index.js';
import type { ResilienceExecutor } from '../../nest-module/index.js';

class User {
  readonly name: string = '';
}
declare class Client {
  get(id: string): Observable<User>;
  subject(): BehaviorSubject<User | null>;
  both(): Observable<User> | Promise<User>;
}
declare const client: Client;
declare const executor: ResilienceExecutor;
declare const foreign: ObservableLike<User>;

describe('resultOf() where relprim/nestjs is imported', () => {
  it('gives an Observable of rxjs', () => {
    expect(resultOf(client.get('a'))).type.toBe<Observable<OperationResult<User>>>();
    expect(resultOf(client.subject())).type.toBe<Observable<OperationResult<User | null>>>();
    expect(resultOf(() => client.get('a'))).type.toBe<Observable<OperationResult<User>>>();
    expect(resultOf(client.get('a'), { signal: new AbortController().signal })).type.toBe<
      Observable<OperationResult<User>>
    >();
    expect(resultOf(foreign)).type.toBe<Observable<OperationResult<User>>>();
    expect<ObservableOf<number>>().type.toBe<Observable<number>>();
  });
});

describe('executor.run()', () => {
  it('promises the result of what the Observable holds', () => {
    expect(executor.run(client, 'get', 'a')).type.toBe<Promise<OperationResult<User>>>();
    expect(executor.run(client, 'subject')).type.toBe<Promise<OperationResult<User | null>>>();
    expect(executor.run(client, 'both')).type.toBe<Promise<OperationResult<User>>>();
    expect(executor.run<Client, 'get'>).type.not.toBeCallableWith(client, 'get', 1);
  });
});

describe('an ObservableLike', () => {
  it('can be subscribed to', () => {
    expect(foreign.subscribe((user) => user.name)).type.toBe<{ unsubscribe(): void }>();
    foreign.subscribe({
      next: (user) => {
        expect(user).type.toBe<User>();
      },
    });
    expect<Observable<User>>().type.toBeAssignableTo<ObservableLike<User>>();
    expect<Observable<string>>().type.not.toBeAssignableTo<ObservableLike<User>>();
    expect<Promise<User>>().type.not.toBeAssignableTo<ObservableLike<User>>();
  });
});
