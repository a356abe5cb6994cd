import { describe, expect, it } from 'tstyche';
import { Resilient, type ExecutionReport, type ResilientOptions } from '../../../lib/index.js';

class Order {
  readonly id: string = '';
}
class Other {
  readonly other = 1;
}

describe('a fallback', () => {
  it('takes the place of the method: fewer and wider parameters, a narrower result', () => {
    class Payments {
      private readonly host: string = 'h';
      @Resilient({ fallback: 'fewer' })
      async one(order: Order, _amount: number): Promise<object> {
        return order;
      }
      @Resilient({ fallback: 'wider' })
      async two(order: Order): Promise<object> {
        return order;
      }
      @Resilient({ fallback: 'property' })
      async three(order: Order): Promise<object> {
        return order;
      }
      @Resilient({
        fallback(this: Payments, order: Order) {
          expect(this.host).type.toBe<string>();
          return order;
        },
      })
      async four(order: Order): Promise<object> {
        return order;
      }
      @Resilient({ fallback: 'createEmpty' })
      static async create(): Promise<Order> {
        return new Order();
      }
      static async createEmpty(): Promise<Order> {
        return new Order();
      }
      async fewer(): Promise<Order> {
        return new Order();
      }
      wider(order: object | string): object {
        return [order];
      }
      readonly property = async (order: Order): Promise<Order> => order;
    }
    void Payments;
  });

  it('is refused in one line when it cannot', () => {
    class Payments {
      // @ts-expect-error ResilientTypeError<"fallback 'nowhere' is not a public method of this class. For a private one write fallback(this: TheClass, ...args) { return this.nowhere(...args) }">
      @Resilient({ fallback: 'nowhere' })
      async one(): Promise<void> {}
      // @ts-expect-error ResilientTypeError<"fallback 'hidden' is not a public method of this class. For a private one write fallback(this: TheClass, ...args) { return this.hidden(...args) }">
      @Resilient({ fallback: 'hidden' })
      async two(): Promise<void> {}
      // @ts-expect-error ResilientTypeError<"fallback 'label' is not a method">
      @Resilient({ fallback: 'label' })
      async three(): Promise<void> {}
      // @ts-expect-error ResilientTypeError<"fallback 'byNumber' must accept the method's own parameters">
      @Resilient({ fallback: 'byNumber' })
      async four(_order: Order): Promise<void> {}
      // @ts-expect-error ResilientTypeError<"fallback 'toText' must resolve to what the method resolves to">
      @Resilient({ fallback: 'toText' })
      async five(): Promise<number> {
        return 1;
      }
      // @ts-expect-error ResilientTypeError<"the fallback function must accept the method's own parameters">
      @Resilient({ fallback: async (_order: number) => undefined })
      async six(_order: Order): Promise<void> {}
      // @ts-expect-error ResilientTypeError<"the fallback function must resolve to what the method resolves to">
      @Resilient({ fallback: async () => 'later' })
      async seven(): Promise<number> {
        return 1;
      }
      // @ts-expect-error ResilientTypeError<"the fallback's this is not this class">
      @Resilient({
        fallback(this: Other) {
          return undefined;
        },
      })
      async eight(): Promise<void> {}
      readonly label = 'payments';
      async byNumber(_order: number): Promise<void> {}
      async toText(): Promise<string> {
        await this.hidden();
        return '';
      }
      private async hidden(): Promise<void> {}
    }
    void Payments;
  });
});

describe('a selector', () => {
  it('is refused in one line when it does not fit the method', () => {
    class Client {
      // @ts-expect-error ResilientTypeError<"signal must accept the method's own parameters">
      @Resilient({ signal: (signal: AbortSignal) => signal })
      async one(_id: string, _signal: AbortSignal): Promise<void> {}
      // @ts-expect-error ResilientTypeError<"circuitBreaker must accept the method's own parameters">
      @Resilient({ circuitBreaker: (id: number) => `breaker of ${id}` })
      async two(_id: string): Promise<void> {}
      // @ts-expect-error ResilientTypeError<"this of signal is not this class">
      @Resilient({
        signal(this: Other) {
          return undefined;
        },
      })
      async three(): Promise<void> {}
      // @ts-expect-error ResilientTypeError<"this of circuitBreaker is not this class">
      @Resilient({
        circuitBreaker(this: Other) {
          return 'b';
        },
      })
      async four(): Promise<void> {}
    }
    void Client;
  });

  it('knows unknown parameters only, where their types are not written', () => {
    class Client {
      @Resilient({
        fallback: (id) => {
          expect(id).type.toBe<unknown>();
          return undefined;
        },
        signal: (id) => {
          expect(id).type.toBe<unknown>();
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
        onReport(this: Client, report) {
          expect(report).type.toBe<ExecutionReport>();
        },
      })
      async read(_id: string): Promise<void> {}
    }
    void Client;
  });
});

describe('an option', () => {
  it('must be spelled right, and have the right value', () => {
    class Client {
      // @ts-expect-error Did you mean to write 'retryOn'?
      @Resilient({ retry_on: [Error] })
      async one(): Promise<void> {}
      // @ts-expect-error Type '"10 sec"' is not assignable to type
      @Resilient({ timeout: '10 sec' })
      async two(): Promise<void> {}
    }
    void Client;
  });

  it('is checked when the application starts, where it was put together elsewhere', () => {
    const options: ResilientOptions = { fallback: 'later', retries: 2 };
    class Client {
      @Resilient(options)
      async read(): Promise<void> {}
    }
    void Client;
  });
});
