import { describe, it } from 'tstyche';
import { Resilient } from '../../../lib/index.js';

describe('a breaker for each key', () => {
  it('is a name, and a key that is found from the parameters of the method or the instance', () => {
    class Client {
      readonly region: string = 'eu';
      @Resilient({ circuitBreaker: { name: 'payments', key: (host: string) => host } })
      async read(_host: string, _fresh?: boolean): Promise<void> {}
      @Resilient({
        circuitBreaker: {
          name: 'payments',
          key(this: Client, host: string) {
            return `${this.region}/${host}`;
          },
        },
      })
      async write(_host: string): Promise<void> {}
      @Resilient({ circuitBreaker: { name: 'payments', key: () => 'all' }, timeout: '2s', retries: 2 })
      async none(): Promise<void> {}
    }
    void Client;
  });

  it('must have both, and no more', () => {
    class Client {
      // @ts-expect-error Type '{ name: string; }' is not assignable to type
      @Resilient({ circuitBreaker: { name: 'payments' } })
      async one(_host: string): Promise<void> {}
      // @ts-expect-error Type '{ key: (host: string) => string; }' is not assignable to type
      @Resilient({ circuitBreaker: { key: (host: string) => host } })
      async two(_host: string): Promise<void> {}
      // @ts-expect-error Type 'string' is not assignable to type
      @Resilient({ circuitBreaker: { name: 'payments', key: 'host' } })
      async three(_host: string): Promise<void> {}
      // @ts-expect-error Type 'number' is not assignable to type 'string'
      @Resilient({ circuitBreaker: { name: 'payments', key: () => 5 } })
      async four(_host: string): Promise<void> {}
      // @ts-expect-error 'more' does not exist in type
      @Resilient({ circuitBreaker: { name: 'payments', key: (host: string) => host, more: 5 } })
      async five(_host: string): Promise<void> {}
    }
    void Client;
  });
});
