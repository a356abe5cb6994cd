import { describe, it } from 'tstyche';
import { idempotencyPolicy, InMemoryIdempotencyStore, Resilient } from '../../../lib/index.js';

interface Order {
  readonly id: string;
}
class Other {
  readonly other = 1;
}

describe('the key of a decorated method', () => {
  it('may be found from its parameters, fewer of them, or its instance', () => {
    class Client {
      readonly tenant: string = '';
      @Resilient({ idempotencyKey: (order: Order) => `charge:${order.id}` })
      async charge(_order: Order, _currency?: string): Promise<void> {}
      @Resilient({
        idempotencyKey(this: Client, order: Order) {
          return `${this.tenant}:${order.id}`;
        },
        idempotencyStore: new InMemoryIdempotencyStore(),
        idempotencyTtl: '1h',
      })
      async inCurrency(_order: Order): Promise<void> {}
      @Resilient({ idempotency: idempotencyPolicy((order: Order) => order.id) })
      policy(order: Order): Promise<void> {
        return this.inCurrency(order);
      }
      @Resilient({ idempotencyKey: (id: string) => id })
      static async made(_id: string): Promise<void> {}
    }
    void Client;
  });

  it('must be found by something that accepts the parameters of the method', () => {
    class Client {
      // @ts-expect-error ResilientTypeError<"idempotencyKey must accept the method's own parameters">
      @Resilient({ idempotencyKey: (id: number) => `charge:${id}` })
      async charge(_id: string): Promise<void> {}
      // @ts-expect-error ResilientTypeError<"idempotencyKey must accept the method's own parameters">
      @Resilient({ idempotencyKey: (_id: string, currency: string) => currency })
      async more(_id: string): Promise<void> {}
    }
    void Client;
  });

  it('must be meant for this class', () => {
    class Client {
      // @ts-expect-error ResilientTypeError<"this of idempotencyKey is not this class">
      @Resilient({
        idempotencyKey(this: Other, id: string) {
          return `${this.other}:${id}`;
        },
      })
      async charge(_id: string): Promise<void> {}
    }
    void Client;
  });

  it('must be a text, found at once', () => {
    class Client {
      // @ts-expect-error Type 'number' is not assignable to type 'string'
      @Resilient({ idempotencyKey: () => 7 })
      async number(): Promise<void> {}
      // @ts-expect-error Type 'Promise<string>' is not assignable to type 'string'
      @Resilient({ idempotencyKey: async () => 'a' })
      async later(): Promise<void> {}
    }
    void Client;
  });
});
