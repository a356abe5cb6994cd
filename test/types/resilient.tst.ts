import { describe, expect, it } from 'tstyche';
import { z } from 'zod';
import {
  CircuitBreaker,
  EventEmitter,
  fallbackChain,
  resilient,
  RetryPolicy,
  validationPolicy,
  validator,
  type ExecutionReport,
  type OperationResult,
} from '../../lib/index.js';
import { FakeClock, seededRandom } from '../../lib/testing/index.js';

class User {
  readonly name: string = '';
}
class Guest {
  readonly guest: boolean = true;
}
declare function readUser(id: string, signal?: AbortSignal): Promise<User>;
declare const breaker: CircuitBreaker;
const isGuest = validator('isGuest', (user: Guest) => user.guest, { message: 'no guest' });

describe('resilient()', () => {
  it('keeps the arguments and gives results', () => {
    const read = resilient({ retries: 2 }, readUser);
    expect(read).type.toBe<
      (this: unknown, id: string, signal?: AbortSignal) => Promise<OperationResult<User>>
    >();
    expect(read).type.not.toBeCallableWith(1);
    expect(resilient({}, (n: number) => n)).type.toBe<
      (this: unknown, n: number) => Promise<OperationResult<number>>
    >();
    expect(resilient({}, async () => undefined)).type.toBe<
      (this: unknown) => Promise<OperationResult<undefined>>
    >();
  });

  it('tells its functions the types of the arguments and of the value', () => {
    const read = resilient(
      {
        name: 'read user',
        signal: (id, signal) => {
          expect(id).type.toBe<string>();
          expect(signal).type.toBe<AbortSignal | undefined>();
          return signal;
        },
        circuitBreaker: (id) => {
          expect(id).type.toBe<string>();
          return breaker;
        },
        validate: (user) => {
          expect(user).type.toBe<User>();
          return user.name !== '';
        },
        onReport: (report) => {
          expect(report).type.toBe<ExecutionReport>();
        },
      },
      readUser,
    );
    expect(read).type.toBe<
      (this: unknown, id: string, signal?: AbortSignal) => Promise<OperationResult<User>>
    >();
  });

  it('gives the value of a fallback, too', () => {
    const one = resilient(
      {
        fallback: async (id) => {
          expect(id).type.toBe<string>();
          return new Guest();
        },
      },
      readUser,
    );
    expect(one('a')).type.toBe<Promise<OperationResult<User | Guest>>>();
    expect(resilient({ fallback: () => null }, readUser)('a')).type.toBe<
      Promise<OperationResult<User | null>>
    >();
    expect(resilient({ fallback: false }, readUser)('a')).type.toBe<Promise<OperationResult<User>>>();
    const chain = resilient(
      { fallbacks: fallbackChain(['guest', () => new Guest()], ['none', async () => null]) },
      readUser,
    );
    expect(chain('a')).type.toBe<Promise<OperationResult<User | Guest | null>>>();
    const checked = resilient(
      { fallback: () => new Guest(), validate: (value: User | Guest) => 'name' in value },
      readUser,
    );
    expect(checked('a')).type.toBe<Promise<OperationResult<User | Guest>>>();
    const unwidened = resilient({ validate: (value: User | Guest) => 'name' in value }, readUser);
    expect(unwidened('a')).type.toBe<Promise<OperationResult<User>>>();
  });

  it('keeps the this of the function', () => {
    class Client {
      readonly host: string = 'h';
      readonly read = resilient(
        {
          fallback() {
            expect(this).type.toBe<Client>();
            return this.host;
          },
        },
        async function (this: Client, id: string) {
          return `${this.host}/${id}`;
        },
      );
    }
    expect(new Client().read('a')).type.toBe<Promise<OperationResult<string>>>();
  });

  it('takes every option', () => {
    const read = resilient(
      {
        name: 'read user',
        retry: new RetryPolicy(),
        timeout: '2s',
        deadline: 10,
        circuitBreaker: breaker,
        validate: [
          z.object({ name: z.string() }),
          validator('named', (user: User) => user.name !== '', { message: 'no name' }),
        ],
        events: new EventEmitter(),
        idempotent: true,
        clock: new FakeClock(),
        random: seededRandom(1),
      },
      readUser,
    );
    expect(read('a')).type.toBe<Promise<OperationResult<User>>>();
  });

  it('refuses functions that do not fit', () => {
    // @ts-expect-error Type 'string' is not assignable to type 'number'
    resilient({ fallback: (id: number) => id }, readUser);
    // @ts-expect-error Target signature provides too few arguments. Expected 3 or more, but got 2
    resilient({ fallback: (_id: string, _signal: unknown, more: number) => more }, readUser);
    // @ts-expect-error Type 'string' is not assignable to type 'number'
    resilient({ fallbacks: fallbackChain(['guest', (id: number) => id]) }, readUser);
    // @ts-expect-error Type 'string' is not assignable to type 'number'
    resilient({ signal: (_id: number) => undefined }, readUser);
    // @ts-expect-error Type 'string' is not assignable to type 'CircuitBreaker'
    resilient({ circuitBreaker: (id) => id }, readUser);
    // @ts-expect-error Property 'guest' is missing in type 'User' but required in type 'Guest'
    resilient({ validate: (user: Guest) => user.guest }, readUser);
    // @ts-expect-error Property 'guest' is missing in type 'User' but required in type 'Guest'
    resilient({ validate: isGuest }, readUser);
    // @ts-expect-error Property 'guest' is missing in type 'User' but required in type 'Guest'
    resilient({ validation: validationPolicy(isGuest) }, readUser);
    // @ts-expect-error Property 'name' is missing in type 'Guest' but required in type 'User'
    resilient({ fallback: () => new Guest(), validate: (user: User) => user.name !== '' }, readUser);
  });

  it('refuses what only a class can have, and what is misspelt', () => {
    // @ts-expect-error Type 'string' is not assignable to type 'false | CircuitBreaker
    resilient({ circuitBreaker: 'users' }, readUser);
    // @ts-expect-error Type 'string' is not assignable to type 'false | Like<
    resilient({ fallback: 'readCache' }, readUser);
    // @ts-expect-error 'throws' does not exist in type 'ResilientFunctionOptions
    resilient({ throws: 'execution-error' }, readUser);
    // @ts-expect-error Did you mean to write 'retryOn'?
    resilient({ retry_on: [Error] }, readUser);
    // @ts-expect-error Type '"10 sec"' is not assignable to type
    resilient({ timeout: '10 sec' }, readUser);
  });
});
