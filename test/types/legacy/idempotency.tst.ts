import { describe, expect, it } from 'tstyche';
import {
  IdempotencyPolicy,
  idempotencyPolicy,
  InMemoryIdempotencyStore,
  Resilient,
  type Duration,
  type IdempotencyStore,
} from '../../../lib/index.js';

interface Order {
  readonly id: string;
}
class Other {
  readonly other = 1;
}
declare const store: IdempotencyStore;
declare const ttl: Duration;

describe('the key of a decorated method', () => {
  it('may be found from its parameters, fewer of them, or its instance', () => {
    class Client {
      readonly tenant: string = '';
      @Resilient({ idempotencyKey: (order: Order) => `charge:${order.id}` })
      async charge(_order: Order): Promise<void> {}
      @Resilient({
        idempotencyKey(this: Client, order: Order, currency?: string) {
          return `${this.tenant}:${order.id}:${currency ?? ''}`;
        },
        idempotencyStore: store,
        idempotencyTtl: '1h',
      })
      async inCurrency(_order: Order, _currency?: string): Promise<void> {}
      @Resilient({ idempotencyKey: () => 'one for all', idempotencyTtl: ttl, idempotencyStore: undefined })
      async once(): Promise<void> {}
      @Resilient({ idempotency: new IdempotencyPolicy({ key: (order: Order) => order.id }) })
      async policy(_order: Order): Promise<void> {}
      @Resilient({ idempotency: idempotencyPolicy((order: Order) => order.id, { ttl: '5m' }) })
      async short(_order: Order): Promise<void> {}
      @Resilient({ idempotency: false })
      async off(): Promise<void> {}
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
      // @ts-expect-error ResilientTypeError<"idempotencyKey must accept the method's own parameters">
      @Resilient({ retries: 1, idempotencyKey: (order: Order) => order.id, idempotencyTtl: '1h' })
      async text(_id: string): Promise<void> {}
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
      // @ts-expect-error Type 'undefined' is not assignable to type 'string'
      @Resilient({ idempotencyKey: (order: { id?: string }) => order.id })
      async missing(_order: { id?: string }): Promise<void> {}
      // @ts-expect-error Type 'Promise<string>' is not assignable to type 'string'
      @Resilient({ idempotencyKey: async () => 'a' })
      async later(): Promise<void> {}
      // @ts-expect-error Type 'string' is not assignable to type
      @Resilient({ idempotencyKey: 'a' })
      async fixed(): Promise<void> {}
    }
    void Client;
  });

  it('has no knowledge of parameters without their types: they are unknown, not any', () => {
    class Client {
      @Resilient({
        idempotencyKey: (id) => {
          expect(id).type.toBe<unknown>();
          return 'k';
        },
      })
      async charge(_id: string): Promise<void> {}
    }
    void Client;
  });

  it('comes with a store and a time to live that are such', () => {
    class Client {
      // @ts-expect-error Property 'claim' is missing in type 'Map<any, any>' but required in type 'IdempotencyStore'
      @Resilient({ idempotencyKey: () => 'k', idempotencyStore: new Map() })
      async map(): Promise<void> {}
      // @ts-expect-error Type '"1 hour"' is not assignable to type
      @Resilient({ idempotencyKey: () => 'k', idempotencyTtl: '1 hour' })
      async hour(): Promise<void> {}
      // @ts-expect-error Type 'true' is not assignable to type
      @Resilient({ idempotency: true })
      async on(): Promise<void> {}
    }
    expect<IdempotencyStore>().type.toBeAssignableFrom<InMemoryIdempotencyStore>();
    void Client;
  });
});
