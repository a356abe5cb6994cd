import { describe, expect, it } from 'tstyche';
import {
  asyncOperation,
  CircuitBreaker,
  EventEmitter,
  FallbackChain,
  fallbackChain,
  RetryPolicy,
  TimeoutPolicy,
  validationPolicy,
  validator,
  type OperationResult,
} from '../../lib/index.js';
import { FakeClock, seededRandom } from '../../lib/testing/index.js';

class User {
  readonly name: string = '';
}
class Guest {
  readonly guest: boolean = true;
}
declare function readUser(id: string, fresh?: boolean): Promise<User>;

const read = asyncOperation('read user', readUser);
const named = validator('named', (user: User) => user.name !== '', { message: 'no name' });
const isGuest = validator('isGuest', (user: Guest) => user.guest, { message: 'no guest' });
const either = validator('either', (user: User | Guest) => 'name' in user, { message: 'no name' });

describe('an operation', () => {
  it('runs with the arguments of its function, and gives its value', () => {
    expect(read.run).type.toBe<(id: string, fresh?: boolean) => Promise<OperationResult<User>>>();
    expect(read.run).type.not.toBeCallableWith(1);
    expect(read.run).type.not.toBeCallableWith();
    expect(read.runWith({ signal: new AbortController().signal }, 'a')).type.toBe<
      Promise<OperationResult<User>>
    >();
    expect(asyncOperation('count', () => 1).run()).type.toBe<Promise<OperationResult<number>>>();
    expect(asyncOperation('op', readUser, { clock: new FakeClock(), random: seededRandom(1) })).type.toBe<
      typeof read
    >();
  });

  it('keeps its types through every policy', () => {
    const full = read
      .withRetry(new RetryPolicy())
      .withTimeout(new TimeoutPolicy('2s'))
      .withDeadline('10s')
      .withCircuitBreaker(new CircuitBreaker())
      .withEvents(new EventEmitter())
      .withIdempotent(false)
      .withValidation(validationPolicy(named, either));
    expect(full).type.toBe<typeof read>();
    expect(full.describe()).type.toBe<string>();
  });

  it('tells the function that finds its signal the types of the arguments', () => {
    expect(
      read.withSignal((id, fresh) => {
        expect(id).type.toBe<string>();
        expect(fresh).type.toBe<boolean | undefined>();
        return undefined;
      }),
    ).type.toBe<typeof read>();
    expect(read.withSignal(new AbortController().signal)).type.toBe<typeof read>();
    // @ts-expect-error Type 'string' is not assignable to type 'number'
    read.withSignal((_id: number) => undefined);
    // @ts-expect-error Type 'string' is not assignable to type 'AbortSignal'
    read.withSignal((id) => id);
  });

  it('takes policies only', () => {
    // @ts-expect-error Argument of type 'number' is not assignable to parameter of type 'TimeoutPolicy'
    read.withTimeout(2);
    // @ts-expect-error Argument of type 'string' is not assignable to parameter of type 'CircuitBreaker'
    read.withCircuitBreaker('users');
    // @ts-expect-error Argument of type '{ maxAttempts: number; }' is not assignable to parameter of type 'RetryPolicy'
    read.withRetry({ maxAttempts: 2 });
    // @ts-expect-error Argument of type '"10 sec"' is not assignable to parameter of type 'Duration'
    read.withDeadline('10 sec');
    // @ts-expect-error Argument of type 'string' is not assignable to parameter of type 'boolean'
    read.withIdempotent('no');
    // @ts-expect-error Argument of type 'undefined' is not assignable to parameter of type 'Fn'
    asyncOperation('nothing', undefined);
  });
});

describe('a fallback chain', () => {
  it('widens the result by the values of its candidates', () => {
    const withGuest = read.withFallbacks(fallbackChain(['guest', () => new Guest()]));
    expect(withGuest.run('a')).type.toBe<Promise<OperationResult<User | Guest>>>();
    const several = read.withFallbacks(
      fallbackChain(['guest', async (_id: string) => new Guest()], ['none', () => null], {
        fallbackOn: [TypeError],
      }),
    );
    expect(several.run('a')).type.toBe<Promise<OperationResult<User | Guest | null>>>();
    const same = read.withFallbacks(fallbackChain(['again', readUser]));
    expect(same.run('a')).type.toBe<Promise<OperationResult<User>>>();
    const byObject = read.withFallbacks(new FallbackChain([{ name: 'guest', operation: () => new Guest() }]));
    expect(byObject.run('a')).type.toBe<Promise<OperationResult<User | Guest>>>();
  });

  it('replaces an earlier one, in the result too', () => {
    const replaced = read
      .withFallbacks(fallbackChain(['guest', () => new Guest()]))
      .withFallbacks(fallbackChain(['none', () => null]));
    expect(replaced.run('a')).type.toBe<Promise<OperationResult<User | null>>>();
  });

  it('is checked against the arguments of the operation', () => {
    // @ts-expect-error Type 'string' is not assignable to type 'number'
    read.withFallbacks(fallbackChain(['guest', (_id: number) => new Guest()]));
    // @ts-expect-error Type 'string' is not assignable to type 'number'
    read.withFallbacks(fallbackChain(['good', () => new Guest()], ['guest', (_id: number) => new Guest()]));
    // @ts-expect-error Target signature provides too few arguments. Expected 3 or more, but got 2
    read.withFallbacks(fallbackChain(['guest', (_id: string, _fresh: unknown, _more: 1) => new Guest()]));
    // @ts-expect-error Argument of type '() => Guest' is not assignable to parameter of type 'FallbackChain
    read.withFallbacks(() => new Guest());
  });

  it('by itself gives what its candidates give', async () => {
    const chain = fallbackChain(['user', readUser], ['guest', () => new Guest()]);
    const { value, candidateName, failures } = await chain.run('a');
    expect(value).type.toBe<User | Guest>();
    expect(candidateName).type.toBe<string>();
    expect(failures).type.toBe<readonly unknown[]>();
  });
});

describe('validators', () => {
  it('may accept more than the operation gives', () => {
    const anything = validator('anything', (value: unknown) => value !== null, { message: 'nothing' });
    expect(read.withValidation(validationPolicy(named))).type.toBe<typeof read>();
    expect(read.withValidation(validationPolicy(either))).type.toBe<typeof read>();
    expect(read.withValidation(validationPolicy(anything))).type.toBe<typeof read>();
  });

  it('must accept what the operation gives', () => {
    // @ts-expect-error Property 'guest' is missing in type 'User' but required in type 'Guest'
    read.withValidation(validationPolicy(isGuest));
    // @ts-expect-error Property 'guest' is missing in type 'User' but required in type 'Guest'
    read.withValidation(validationPolicy<User & Guest>(named, isGuest));
  });

  it('must accept what a fallback gives, too', () => {
    const withGuest = read.withFallbacks(fallbackChain(['guest', () => new Guest()]));
    expect(withGuest.withValidation(validationPolicy(either))).type.toBe<typeof withGuest>();
    // @ts-expect-error Property 'name' is missing in type 'Guest' but required in type 'User'
    withGuest.withValidation(validationPolicy(named));
  });

  it('are asked about the type that their question is about', () => {
    expect(validator('even', (n: number) => n % 2 === 0, { message: 'odd' }).validate).type.toBeCallableWith(
      1,
    );
    expect(
      validator('even', (n: number) => n % 2 === 0, { message: 'odd' }).validate,
    ).type.not.toBeCallableWith('1');
    // @ts-expect-error Type 'string' is not assignable to type 'boolean | PromiseLike<boolean>'
    validator('text', () => 'yes', { message: 'no' });
    // @ts-expect-error Property 'message' is missing
    validator('silent', () => true, {});
  });
});
