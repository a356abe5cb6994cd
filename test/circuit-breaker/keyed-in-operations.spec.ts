import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { asyncOperation, Resilient } from '../../lib/index.js';
import { rejection, rejects } from '../operation/support.js';
import { mistakeOf } from '../support/mistake-of.js';
import { setUp } from './support.js';

// Outside an application a name means a breaker of the instance alone, which is warned of.
let warn: jest.SpiedFunction<typeof process.emitWarning>;
beforeEach(() => {
  warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
});
afterEach(() => warn.mockRestore());

describe('the breaker of a method', () => {
  it('may be a name and a key, found for each call from its arguments and its instance', async () => {
    class Client {
      calls = 0;
      readonly region = 'eu';
      @Resilient({
        circuitBreaker: {
          name: 'payments',
          key(this: Client, host: string) {
            return `${this.region}/${host}`;
          },
        },
      })
      async call(host: string): Promise<string> {
        this.calls += 1;
        if (host === 'down') throw new Error('down');
        return host;
      }
    }
    const client = new Client();
    for (let call = 0; call < 5; call += 1) await expect(client.call('down')).rejects.toThrow('down');
    await expect(client.call('down')).rejects.toThrow("circuit breaker 'payments:eu/down' is open");
    expect(await client.call('up')).toBe('up');
    expect(client.calls).toBe(6);
    // Another instance has breakers of its own.
    await expect(new Client().call('down')).rejects.toThrow('down');
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it.each(['', ' ', undefined, 5])(
    'ends the call where the key is %p: nothing is called, retried or replaced',
    async (key) => {
      const keyOf = jest.fn((_tenant: string) => key as string);
      const called = jest.fn<() => void>();
      class Client {
        @Resilient({
          circuitBreaker: { name: 'payments', key: keyOf },
          retries: 3,
          fallback: async () => called(),
        })
        async call(_tenant: string): Promise<void> {
          called();
        }
      }
      const error = await rejection(new Client().call('acme'));
      expect(error).toMatchObject({ name: 'ConfigurationError', option: 'key' });
      expect(keyOf.mock.calls).toEqual([['acme']]);
      expect(called).not.toHaveBeenCalled();
    },
  );

  it('ends the call with what its function throws', async () => {
    const key = (): string => {
      throw new RangeError('no tenant');
    };
    class Client {
      @Resilient({ circuitBreaker: { name: 'payments', key }, retries: 3 })
      async call(): Promise<void> {}
    }
    await expect(new Client().call()).rejects.toThrow(new RangeError('no tenant'));
  });

  it.each([
    [{ name: 'payments' }, 'circuitBreaker'],
    [{ key: () => 'acme' }, 'circuitBreaker.name'],
    [{ name: ' ', key: () => 'acme' }, 'circuitBreaker.name'],
    [{ name: 'payments', key: 'acme' }, 'circuitBreaker'],
    [{ name: 'payments', key: () => 'acme', keys: 5 }, 'keys'],
  ])('cannot be %j', (circuitBreaker, option) => {
    const decorate = (): unknown => {
      class Client {
        @Resilient({ circuitBreaker } as object)
        async call(): Promise<void> {}
      }
      return Client;
    };
    expect(mistakeOf(decorate)).toMatchObject({ option, path: 'Client.call' });
  });

  it('may be that of one key in an operation', async () => {
    const { breaker, clock } = setUp();
    const operation = asyncOperation('charge', rejects(new Error('down')), { clock }).withCircuitBreaker(
      breaker.keyed('acme'),
    );
    await rejection(operation.run());
    await rejection(operation.run());
    expect((await rejection(operation.run())).cause).toMatchObject({ breakerName: 'payments:acme' });
  });
});
