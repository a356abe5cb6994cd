import { describe, expect, it } from 'tstyche';
import {
  CircuitBreaker,
  httpCircuitBreaker,
  httpPolicy,
  Resilient,
  resilient,
  type OperationResult,
  type PolicyOptions,
} from '../../../lib/index.js';
import { ResilienceModule } from '../../../nest-module/index.js';

const breaker = new CircuitBreaker({ name: 'payments' });

describe('the standard policy of HTTP', () => {
  it('is what a decorator takes, whole or spread', () => {
    class Client {
      @Resilient(httpPolicy({ circuitBreaker: 'payments' }))
      async find(id: string): Promise<string> {
        return id;
      }
      @Resilient(httpPolicy({ circuitBreaker: breaker, method: 'POST', idempotencyKey: true, timeout: '2s' }))
      async charge(id: string): Promise<string> {
        return id;
      }
      @Resilient({ ...httpPolicy({ circuitBreaker: false }), fallback: 'later' })
      async spread(id: string): Promise<string> {
        return id;
      }
      @Resilient({
        ...httpPolicy({ circuitBreaker: 'payments' }),
        validate: (text: string) => text !== '',
        signal: (_id: string, caller?: AbortSignal) => caller,
        throws: 'execution-error',
      })
      async more(id: string, _caller?: AbortSignal): Promise<string> {
        return id;
      }
      async later(id: string): Promise<string> {
        return id;
      }
    }
    expect<Client['find']>().type.toBe<(id: string) => Promise<string>>();
  });

  it('leaves the checks of a decorator as they are', () => {
    class Client {
      // @ts-expect-error fallback 'latr' is not a public method of this class
      @Resilient({ ...httpPolicy({ circuitBreaker: 'payments' }), fallback: 'latr' })
      async find(): Promise<string> {
        return '';
      }
      // @ts-expect-error the method must return a Promise or an Observable
      @Resilient(httpPolicy({ circuitBreaker: 'payments' }))
      sync(): string {
        return '';
      }
    }
    void Client;
  });

  it('is what resilient() takes, with a breaker itself or none', () => {
    const read = async (id: number): Promise<string> => String(id);
    const call = resilient(httpPolicy({ circuitBreaker: breaker }), read);
    expect(call).type.toBeCallableWith(1);
    expect(call(1)).type.toBe<Promise<OperationResult<string>>>();
    resilient({ ...httpPolicy({ circuitBreaker: false }), fallback: async (id) => id }, read);
    // @ts-expect-error Type '"payments"' is not assignable to type 'false | CircuitBreaker
    resilient(httpPolicy({ circuitBreaker: 'payments' }), read);
  });

  it('is a policy like others, for a module too', () => {
    expect(httpPolicy({ circuitBreaker: 'payments' })).type.toBeAssignableTo<PolicyOptions>();
    expect(httpPolicy({ circuitBreaker: 'payments' }).circuitBreaker).type.toBe<'payments'>();
    ResilienceModule.forRoot({
      circuitBreakers: [httpCircuitBreaker('payments', { recoveryTimeout: '1m' })],
      defaults: httpPolicy({ circuitBreaker: false }),
      policies: { http: httpPolicy({ circuitBreaker: 'payments' }) },
    });
    expect(new CircuitBreaker(httpCircuitBreaker('payments'))).type.toBe<CircuitBreaker>();
  });

  it('asks for a decision, and for nothing else', () => {
    // @ts-expect-error Property 'circuitBreaker' is missing
    httpPolicy({});
    // @ts-expect-error Expected 1 arguments, but got 0
    httpPolicy();
    // @ts-expect-error Type 'undefined' is not assignable
    httpPolicy({ circuitBreaker: undefined });
    // @ts-expect-error Type 'true' is not assignable
    httpPolicy({ circuitBreaker: true });
    // @ts-expect-error Type '"get"' is not assignable to type
    httpPolicy({ circuitBreaker: false, method: 'get' });
    // @ts-expect-error 'fallback' does not exist in type
    httpPolicy({ circuitBreaker: false, fallback: 'later' });
    // @ts-expect-error Type 'string' is not assignable to type 'boolean | undefined'
    httpPolicy({ circuitBreaker: false, idempotencyKey: 'o-17' });
    // @ts-expect-error 'name' does not exist in type
    httpCircuitBreaker('payments', { name: 'other' });
  });
});
