import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { MisuseError, reportOf, Resilient } from '../../lib/index.js';
import { rejectionOf, World } from './support.js';

const reason = new Error('the user went away');

function forEver(): Promise<never> {
  return new Promise<never>(() => undefined);
}

describe('the signal of a decorated method', () => {
  it('may be found among the arguments', async () => {
    class Client {
      @Resilient({
        retries: 3,
        timeout: '5s',
        fallback: () => 'never',
        signal: (_id: string, signal?: AbortSignal) => signal,
      })
      read(_id: string, _signal?: AbortSignal): Promise<string> {
        return forEver();
      }
    }
    const world = new World();
    const caller = new AbortController();
    const rejection = rejectionOf(world.adopt(new Client()).read('a', caller.signal));
    caller.abort(reason);
    expect(await rejection).toBe(reason);
    expect(reportOf(reason)).toMatchObject({
      operationName: 'Client.read',
      status: 'cancelled',
      attemptCount: 1,
    });
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0);
    expect(world.clock.pendingTimers).toBe(0);
  });

  it('may be found on the instance [R242]', async () => {
    class Request {
      readonly caller = new AbortController();
      @Resilient({
        signal(this: Request) {
          return this.caller.signal;
        },
      })
      read(): Promise<string> {
        return forEver();
      }
    }
    const [one, other] = [new Request(), new Request()];
    const [rejection, pending] = [rejectionOf(one.read()), rejectionOf(other.read())];
    one.caller.abort(reason);
    expect(await rejection).toBe(reason);
    expect(getEventListeners(other.caller.signal, 'abort')).toHaveLength(1);
    other.caller.abort();
    expect(await pending).toMatchObject({ name: 'AbortError' });
  });

  it('may be one signal for all calls', async () => {
    const application = new AbortController();
    class Client {
      @Resilient({ signal: application.signal })
      read(): Promise<string> {
        return forEver();
      }
    }
    const rejections = [new Client(), new Client()].map((client) => rejectionOf(client.read()));
    application.abort(reason);
    expect(await Promise.all(rejections)).toEqual([reason, reason]);
    expect(getEventListeners(application.signal, 'abort')).toHaveLength(0);
  });

  it('that is aborted beforehand keeps the method from being called', async () => {
    let calls = 0;
    class Client {
      @Resilient({ signal: (signal: AbortSignal) => signal })
      async read(_signal: AbortSignal): Promise<void> {
        calls += 1;
      }
    }
    expect(await rejectionOf(new Client().read(AbortSignal.abort(reason)))).toBe(reason);
    expect(calls).toBe(0);
  });

  it('may be missing for a call', async () => {
    class Client {
      @Resilient({ signal: (signal?: AbortSignal) => signal })
      async read(_signal?: AbortSignal): Promise<string> {
        return 'read';
      }
    }
    expect(await new Client().read()).toBe('read');
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['an object', {}],
    ['a controller', new AbortController()],
  ])(
    'must be a signal: %s ends the call before the method, without retry or fallback',
    async (_what, found) => {
      let calls = 0;
      class Client {
        @Resilient({ signal: () => found as AbortSignal, retries: 2, fallback: () => 'fallback' })
        async read(): Promise<string> {
          calls += 1;
          return 'read';
        }
      }
      const error = (await rejectionOf(new Client().read())) as Error;
      expect(error).toBeInstanceOf(MisuseError);
      expect(error.message).toBe('Client.read: signal must find an AbortSignal or undefined');
      expect(calls).toBe(0);
    },
  );

  it('that cannot be found because the selector throws ends the call with what it threw', async () => {
    const broken = new RangeError('no request');
    class Client {
      @Resilient({
        retries: 2,
        fallback: () => 'fallback',
        signal: () => {
          throw broken;
        },
      })
      async read(): Promise<string> {
        return 'read';
      }
    }
    expect(await rejectionOf(new Client().read())).toBe(broken);
  });
});
