import { describe, expect, it } from 'tstyche';
import {
  ConcurrencyLimit,
  InMemoryCache,
  resilient,
  Shield,
  type ShieldCache,
  type ShieldProfileName,
  type ShieldSnapshot,
} from '../../lib/index.js';

class User {
  readonly name: string = '';
}
declare function readUser(id: string, signal?: AbortSignal): Promise<User>;
declare const shield: Shield;

describe('a shield', () => {
  it('is what the factories and the constructor give [S154]', () => {
    expect(Shield.api('github')).type.toBe<Shield>();
    expect(Shield.internal('db', { maxRate: 5, maxWait: '2s' })).type.toBe<Shield>();
    expect(Shield.slow('llm', { whenLimited: 'reject' })).type.toBe<Shield>();
    expect(new Shield('any', { profile: 'slow' })).type.toBe<Shield>();
    expect(shield.profile).type.toBe<ShieldProfileName>();
    expect(shield.snapshot()).type.toBe<ShieldSnapshot>();
  });

  it('must have a name, and options that there are [S117]', () => {
    expect(Shield.api).type.not.toBeCallableWith();
    expect(Shield.api).type.not.toBeCallableWith('github', { retries: 3 });
    expect(Shield.api).type.not.toBeCallableWith('github', { profile: 'slow' });
    expect(Shield.api).type.not.toBeCallableWith('github', { maxRate: '5' });
    expect(Shield.api).type.not.toBeCallableWith('github', { maxWait: '5 seconds' });
    expect(Shield.api).type.not.toBeCallableWith('github', { whenLimited: 'drop' });
    expect(Shield.api).type.not.toBeCallableWith('github', { timeoutErrors: 42 });
    expect(Shield).type.not.toBeConstructableWith('github', { profile: 'fast' });
  });

  it('takes errors by class, name, code or question', () => {
    expect(Shield.api).type.toBeCallableWith('github', { timeoutErrors: RangeError });
    expect(Shield.api).type.toBeCallableWith('github', {
      timeoutErrors: [RangeError, 'ECONNRESET', (error: unknown) => error === 42],
    });
  });

  it('runs a function with its arguments, and gives its value', () => {
    expect(shield.run(readUser, 'a')).type.toBe<Promise<User>>();
    expect(shield.run(() => 42)).type.toBe<Promise<number>>();
    expect(shield.run).type.not.toBeCallableWith(readUser, 42);
    expect(shield.run).type.not.toBeCallableWith(readUser);
    expect(shield.run).type.not.toBeCallableWith('readUser');
  });

  it('protects a function, which stays what it is [S154]', () => {
    expect(shield.protect(readUser)).type.toBe<typeof readUser>();
    expect(shield.protect).type.not.toBeCallableWith(() => 42);
  });

  it('is reconfigured with its own options; false takes away', () => {
    expect(shield.reconfigure).type.toBeCallableWith({
      maxRate: false,
      cache: false,
      maxWait: 5,
      profile: 'slow',
    });
    expect(shield.reconfigure).type.not.toBeCallableWith({ profile: false });
    expect(shield.reconfigure).type.not.toBeCallableWith({ env: true });
  });
});

describe('a cache of a shield', () => {
  it('is anything with get and set', () => {
    expect<Map<string, unknown>>().type.toBeAssignableTo<ShieldCache>();
    expect<InMemoryCache>().type.toBeAssignableTo<ShieldCache>();
    expect<{
      get<T>(key: string): Promise<T | undefined>;
      set<T>(key: string, value: T, ttl?: number): Promise<T>;
    }>().type.toBeAssignableTo<ShieldCache>();
    expect<{
      get<T>(key: string): Promise<T | undefined>;
      get<T>(keys: string[]): Promise<(T | undefined)[]>;
      set(key: string, value: unknown, ttl?: number): Promise<boolean>;
    }>().type.toBeAssignableTo<ShieldCache>();
    expect<{ get(key: string): unknown }>().type.not.toBeAssignableTo<ShieldCache>();
    expect<Map<number, string>>().type.not.toBeAssignableTo<ShieldCache>();
  });
});

describe('a concurrency limit', () => {
  it('must say how many, and runs a function with its arguments', () => {
    expect(ConcurrencyLimit).type.not.toBeConstructableWith({});
    expect(ConcurrencyLimit).type.not.toBeConstructableWith({ maxConcurrent: 5, queue: 5 });
    const limit = new ConcurrencyLimit({ maxConcurrent: 5, queue: { size: 10, maxWait: '2s' } });
    expect(limit.run(readUser, 'a')).type.toBe<Promise<User>>();
    expect(limit.run).type.not.toBeCallableWith(readUser, 42);
    const { signal } = new AbortController();
    expect(limit.runWith({ signal }, readUser, 'a')).type.toBe<Promise<User>>();
  });

  it('is an option: a number of one’s own, a limit, or a name', () => {
    expect(resilient).type.toBeCallableWith({ maxConcurrent: 5 }, readUser);
    expect(resilient).type.toBeCallableWith({ concurrencyLimit: 'pool' }, readUser);
    expect(resilient).type.toBeCallableWith(
      { concurrencyLimit: new ConcurrencyLimit({ maxConcurrent: 5 }) },
      readUser,
    );
    expect(resilient).type.not.toBeCallableWith({ concurrencyLimit: 5 }, readUser);
    expect(resilient).type.not.toBeCallableWith({ maxConcurrent: '5' }, readUser);
  });
});
