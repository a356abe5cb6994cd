import { describe, expect, it } from 'tstyche';
import { CircuitBreaker, httpPolicy, Resilient } from '../../../lib/index.js';

const breaker = new CircuitBreaker({ name: 'payments' });

describe('the standard policy of HTTP', () => {
  it('is what a decorator takes, whole or spread', () => {
    class Client {
      @Resilient(httpPolicy({ circuitBreaker: 'payments' }))
      async find(id: string): Promise<string> {
        return id;
      }
      @Resilient(httpPolicy({ circuitBreaker: breaker, method: 'PATCH', retries: 0 }))
      async change(id: string): Promise<string> {
        return id;
      }
      @Resilient({ ...httpPolicy({ circuitBreaker: false }), fallback: 'later' })
      async spread(id: string): Promise<string> {
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
});
