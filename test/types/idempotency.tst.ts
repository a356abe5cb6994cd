import { describe, expect, it } from 'tstyche';
import {
  asyncOperation,
  IdempotencyPolicy,
  idempotencyPolicy,
  InMemoryIdempotencyStore,
  resilient,
  type Claim,
  type IdempotencyMetadata,
  type IdempotencyStore,
  type OperationResult,
} from '../../lib/index.js';

interface Order {
  readonly id: string;
}
declare function charge(order: Order, currency?: string): Promise<number>;

describe('the key of resilient()', () => {
  it('is found by a function that knows the arguments', () => {
    const run = resilient(
      {
        idempotencyKey: (order, currency) => {
          expect(order).type.toBe<Order>();
          expect(currency).type.toBe<string | undefined>();
          return order.id;
        },
        idempotencyStore: new InMemoryIdempotencyStore({ maxEntries: 10 }),
        idempotencyTtl: '1h',
      },
      charge,
    );
    expect(run).type.toBe<
      (this: unknown, order: Order, currency?: string) => Promise<OperationResult<number>>
    >();
  });

  it('must be a text, and found from what the function takes', () => {
    expect(resilient).type.not.toBeCallableWith({ idempotencyKey: () => 7 }, charge);
    expect(resilient).type.not.toBeCallableWith({ idempotencyKey: async () => 'a' }, charge);
    expect(resilient).type.not.toBeCallableWith({ idempotencyKey: (id: number) => `${id}` }, charge);
    const byNumber = idempotencyPolicy((id: number) => `${id}`);
    expect(resilient).type.not.toBeCallableWith({ idempotency: byNumber }, charge);
    expect(resilient).type.toBeCallableWith(
      { idempotency: idempotencyPolicy(({ id }: Order) => id) },
      charge,
    );
  });
});

describe('withIdempotency()', () => {
  it('takes policies whose key the arguments give, and keeps the types of the operation', () => {
    const operation = asyncOperation('charge', charge);
    const keyed = operation.withIdempotency(idempotencyPolicy((order: Order) => order.id));
    expect(keyed).type.toBe<typeof operation>();
    expect(operation.withIdempotency).type.not.toBeCallableWith(idempotencyPolicy((id: number) => `${id}`));
    expect(operation.withIdempotency).type.not.toBeCallableWith(false);
  });
});

describe('an IdempotencyPolicy', () => {
  it('has a fingerprint with the parameters of its key', () => {
    const policy = new IdempotencyPolicy({
      key: (order: Order) => order.id,
      fingerprint: (order: Order) => JSON.stringify(order),
      onInFlight: 'reject',
      onStoreError: 'run',
      copy: false,
    });
    expect(policy).type.toBe<IdempotencyPolicy<(order: Order) => string>>();
    expect(IdempotencyPolicy).type.not.toBeConstructableWith({ key: () => 'a', onInFlight: 'wait' });
    expect(IdempotencyPolicy).type.not.toBeConstructableWith({ ttl: '1h' });
  });
});

describe('the types of stores and reports', () => {
  it('tell a claim by its state', () => {
    expect<Claim['state']>().type.toBe<'owned' | 'done' | 'in_flight'>();
    expect<IdempotencyStore['claim']>().type.toBeAssignableFrom<() => Promise<Claim>>();
    expect<IdempotencyMetadata['idempotency_status']>().type.toBe<
      'executed' | 'joined' | 'replayed' | null
    >();
  });
});
