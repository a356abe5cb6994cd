import { describe, expect, it } from '@jest/globals';
import {
  ConfigurationError,
  resilient,
  Resilient,
  type ResilientFunctionOptions,
  type ResilientOptions,
} from '../../lib/index.js';
import type { DecoratedMethod } from '../../lib/decorator/decorated-method.js';
import { MethodExecutor } from '../../lib/decorator/method-executor.js';
import { decoratedMethodsOf } from '../../lib/decorator/registry.js';
import { StandaloneHost } from '../../lib/operation/standalone-host.js';
import { noWait, rejectionOf } from './support.js';

describe('rules between options', () => {
  it.each<[ResilientOptions, string]>([
    [
      { retryOn: [Error] },
      'Client.read: retryOn is given without retries; add retries, or leave retryOn out',
    ],
    [{ backoff: noWait }, 'Client.read: backoff is given without retries; add retries, or leave backoff out'],
    [
      { fallbackOn: [Error] },
      'Client.read: fallbackOn is given without fallback; add fallback, or leave fallbackOn out',
    ],
  ])('%p reject the first call before the method runs, and every later one', async (options, message) => {
    let calls = 0;
    class Client {
      @Resilient(options)
      async read(): Promise<void> {
        calls += 1;
      }
    }
    const client = new Client();
    for (let call = 0; call < 2; call += 1) {
      const error = await rejectionOf(client.read());
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error).toMatchObject({ message, path: 'Client.read' });
    }
    expect(calls).toBe(0);
  });

  it.each<[ResilientFunctionOptions<() => unknown>, string]>([
    [{ retryOn: [Error] }, 'read: retryOn is given without retries; add retries, or leave retryOn out'],
    [
      { fallbackOn: [Error] },
      'read: fallbackOn is given without fallback; add fallback, or leave fallbackOn out',
    ],
  ])('%p keep resilient() from making a function', (options, message) => {
    expect(() => resilient({ name: 'read', ...options }, () => 1)).toThrow(message);
  });

  it('do not mind what is switched off', async () => {
    class Client {
      @Resilient({ retries: 0, retryOn: [Error], backoff: noWait, fallback: false, fallbackOn: [Error] })
      async read(): Promise<string> {
        return 'read';
      }
    }
    expect(await new Client().read()).toBe('read');
  });
});

describe('the name of a fallback', () => {
  const decorated = (fallback: string) => {
    class Client {
      calls = 0;
      @Resilient({ fallback })
      async read(): Promise<string> {
        this.calls += 1;
        return 'read';
      }
      async readCache(): Promise<string> {
        return 'cached';
      }
      readonly value = 1;
    }
    return new Client();
  };

  it.each([
    ['readCashe', "Client.read: fallback 'readCashe' is no method of this class; did you mean 'readCache'?"],
    [
      'somethingElse',
      "Client.read: fallback 'somethingElse' is no method of this class; add the method, or give a function",
    ],
    ['value', "Client.read: fallback 'value' is no method of this class"],
    ['read', "Client.read: fallback leads back to 'read'; end it with a method that needs no fallback"],
  ])('%s rejects the first call before the method runs', async (fallback, message) => {
    const client = decorated(fallback);
    const error = (await rejectionOf(client.read())) as Error;
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain(message);
    expect(client.calls).toBe(0);
  });

  it('must not lead round in a circle through other methods', async () => {
    class Client {
      @Resilient({ fallback: 'two' })
      async one(): Promise<string> {
        throw new Error('one');
      }
      @Resilient({ fallback: 'three' })
      async two(): Promise<string> {
        throw new Error('two');
      }
      @Resilient({ fallback: 'two' })
      async three(): Promise<string> {
        throw new Error('three');
      }
    }
    expect(await rejectionOf(new Client().one())).toMatchObject({
      path: 'Client.one',
      problem: "leads back to 'two'",
    });
    expect(await rejectionOf(new Client().three())).toMatchObject({
      path: 'Client.three',
      problem: "leads back to 'three'",
    });
  });

  it('means nothing to resilient(), which has no class to look in', () => {
    const options = { name: 'read', fallback: 'readCache' as never };
    expect(() => resilient(options, () => 1)).toThrow(
      'read: fallback is a name; give the function itself; only methods of a class go by name',
    );
  });

  it('is not looked for on a prototype, whose instances may have it as a property of their own', () => {
    class Client {
      readonly later = async (): Promise<string> => 'later';
      @Resilient({ fallback: 'later' })
      async read(): Promise<string> {
        return 'read';
      }
    }
    const [method] = decoratedMethodsOf(Client.prototype);
    const executor = new MethodExecutor(new StandaloneHost());
    expect(executor.planFor(method as DecoratedMethod, Client.prototype).name).toBe('Client.read');
  });

  it('cannot be found by a method that was taken off its object, which is said at once', async () => {
    const { read } = decorated('readCache');
    expect(await rejectionOf(read())).toMatchObject({ option: 'fallback', path: 'Client.read' });
  });
});
