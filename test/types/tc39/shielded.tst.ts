import { describe, expect, it } from 'tstyche';
import { Shield, Shielded, type ExecutionReport } from '../../../lib/index.js';

const github = Shield.api('github');

class User {
  readonly name: string = '';
}

describe('@Shielded', () => {
  it('has these forms, and leaves the type of the method as it is [S154]', () => {
    class Client {
      readonly own = new AbortController().signal;

      @Shielded()
      async bare(): Promise<User> {
        return new User();
      }
      @Shielded(github)
      async shared(id: string): Promise<User> {
        void id;
        return new User();
      }
      @Shielded('github')
      async named(): Promise<void> {}
      @Shielded.internal()
      async internal(): Promise<void> {}
      @Shielded.api('github')
      async api(): Promise<void> {}
      @Shielded.slow({ maxRate: 1, fallback: () => 'stand-in' })
      async slow(): Promise<string> {
        return 'up';
      }
      @Shielded.slow('llm', { maxRate: 1 }, { deadline: '5m', name: 'llm.ask' })
      static async all(): Promise<void> {}
      @Shielded(github, {
        name: 'users.read',
        deadline: '5s',
        circuitBreaker: 'github',
        maxConcurrent: 5,
        signal: (_id: string, signal?: AbortSignal) => signal,
        validate: (user: User) => user.name !== '',
        throws: 'execution-error',
        onReport: (report: ExecutionReport) => report.explain(),
      })
      async beside(_id: string, _signal?: AbortSignal): Promise<User> {
        return new User();
      }
    }
    expect<Client['bare']>().type.toBe<() => Promise<User>>();
    expect<Client['shared']>().type.toBe<(id: string) => Promise<User>>();
    expect<Client['beside']>().type.toBe<(_id: string, _signal?: AbortSignal) => Promise<User>>();
  });

  it('must stand on a method that gives a promise', () => {
    class Client {
      // @ts-expect-error ResilientTypeError<"the method must return a Promise or an Observable: make it async">
      @Shielded()
      read(): number {
        return 1;
      }
      // @ts-expect-error ResilientTypeError<"the method must return a Promise or an Observable: make it async">
      @Shielded.api('github')
      nothing(): void {}
      // @ts-expect-error ResilientTypeError<"the decorator goes on a method, not on a field, getter, setter or class">
      @Shielded(github)
      field = async (): Promise<number> => 1;
    }
    // @ts-expect-error ResilientTypeError<"the decorator goes on a method, not on a field, getter, setter or class">
    @Shielded()
    class Whole {}
    void [Client, Whole];
  });

  it('has a signal that takes the arguments of the method', () => {
    class Client {
      // @ts-expect-error signal must accept the method's own parameters
      @Shielded(github, { signal: (_id: number) => undefined })
      async read(_id: string): Promise<void> {}
    }
    void Client;
  });

  it('takes no option that its shield has itself', () => {
    expect(Shielded).type.not.toBeCallableWith(github, { retries: 3 });
    expect(Shielded).type.not.toBeCallableWith(github, { timeout: '1s' });
    expect(Shielded).type.not.toBeCallableWith(github, { fallback: () => 1 });
    expect(Shielded).type.not.toBeCallableWith(github, { idempotencyKey: () => 'k' });
    expect(Shielded).type.not.toBeCallableWith(github, { use: 'policy' });
    expect(Shielded).type.not.toBeCallableWith(42);
    expect(Shielded).type.not.toBeCallableWith({ maxRate: 5 });
    expect(Shielded.api).type.not.toBeCallableWith('github', { profile: 'slow' });
    expect(Shielded.api).type.not.toBeCallableWith('github', { retries: 3 });
  });
});
