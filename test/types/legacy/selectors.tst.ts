import { describe, expect, it } from 'tstyche';
import { CircuitBreaker, Resilient } from '../../../lib/index.js';

declare const breaker: CircuitBreaker;
class Other {
  readonly other = 1;
}

describe('a selector', () => {
  it('may take the parameters of the method, fewer of them, or the instance', () => {
    class Client {
      readonly breakerName: string = 'b';
      private readonly caller = new AbortController();
      @Resilient({
        signal: (_id: string, signal?: AbortSignal) => signal,
        circuitBreaker: (id: string) => `breaker of ${id}`,
      })
      async read(_id: string, _signal?: AbortSignal): Promise<void> {}
      @Resilient({
        signal(this: Client) {
          return this.caller.signal;
        },
        circuitBreaker(this: Client, id: string) {
          return id === '' ? this.breakerName : breaker;
        },
      })
      async write(_id: string): Promise<void> {}
      @Resilient({ signal: new AbortController().signal, circuitBreaker: breaker })
      async fixed(): Promise<void> {}
      @Resilient({ circuitBreaker: 'payments' })
      async named(): Promise<void> {}
      @Resilient({ circuitBreaker: false })
      async none(): Promise<void> {}
    }
    void Client;
  });

  it('must accept the parameters of the method', () => {
    class Client {
      // @ts-expect-error ResilientTypeError<"signal must accept the method's own parameters">
      @Resilient({ signal: (signal: AbortSignal) => signal })
      async read(_id: string, _signal: AbortSignal): Promise<void> {}
      // @ts-expect-error ResilientTypeError<"circuitBreaker must accept the method's own parameters">
      @Resilient({ circuitBreaker: (id: number) => `breaker of ${id}` })
      async write(_id: string): Promise<void> {}
      // @ts-expect-error ResilientTypeError<"circuitBreaker must accept the method's own parameters">
      @Resilient({ circuitBreaker: (_id: string, shard: number) => `breaker of ${shard}` })
      async more(_id: string): Promise<void> {}
    }
    void Client;
  });

  it('must be meant for this class', () => {
    class Client {
      // @ts-expect-error ResilientTypeError<"this of signal is not this class">
      @Resilient({
        signal(this: Other) {
          return undefined;
        },
      })
      async read(): Promise<void> {}
      // @ts-expect-error ResilientTypeError<"this of circuitBreaker is not this class">
      @Resilient({
        circuitBreaker(this: Other) {
          return 'b';
        },
      })
      async write(): Promise<void> {}
    }
    void Client;
  });

  it('must find what it is for', () => {
    class Client {
      // @ts-expect-error Type 'string' is not assignable to type 'AbortSignal'
      @Resilient({ signal: () => 'signal' })
      async read(): Promise<void> {}
      // @ts-expect-error Type 'number' is not assignable to type 'string | CircuitBreaker'
      @Resilient({ circuitBreaker: () => 1 })
      async write(): Promise<void> {}
    }
    void Client;
  });

  it('has no knowledge of parameters without their types: they are unknown, not any', () => {
    class Client {
      @Resilient({
        signal: (id, signal) => {
          expect(id).type.toBe<unknown>();
          expect(signal).type.toBe<unknown>();
          return undefined;
        },
        circuitBreaker(id) {
          expect(id).type.toBe<unknown>();
          return 'b';
        },
        validate: (value) => {
          expect(value).type.toBe<unknown>();
          return true;
        },
        retries: 1,
        retryOn: (error) => {
          expect(error).type.toBe<unknown>();
          return true;
        },
      })
      async read(_id: string, _signal: AbortSignal): Promise<number> {
        return 1;
      }
    }
    void Client;
  });
});
