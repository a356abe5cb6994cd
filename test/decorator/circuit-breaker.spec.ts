import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CircuitBreaker, CircuitBreakerOpenError, MisuseError, Resilient } from '../../lib/index.js';
import { rejectionOf, World } from './support.js';

const down = new Error('down');
let warnings: ReturnType<typeof jest.spyOn>;

beforeEach(() => {
  warnings = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
});
afterEach(() => {
  warnings.mockRestore();
});

/** Calls until the breaker refuses; gives how many calls got through. */
async function callsUntilRefused(call: () => Promise<unknown>): Promise<number> {
  for (let calls = 0; calls < 100; calls += 1) {
    if ((await rejectionOf(call())) instanceof CircuitBreakerOpenError) return calls;
  }
  throw new Error('the breaker never refused');
}

describe('a circuit breaker given by name outside an application', () => {
  class Payments {
    @Resilient({ circuitBreaker: 'payments' })
    async charge(): Promise<never> {
      throw down;
    }
    @Resilient({ circuitBreaker: 'payments' })
    async refund(): Promise<string> {
      return 'refunded';
    }
    @Resilient({ circuitBreaker: 'mail' })
    async notify(): Promise<string> {
      return 'sent';
    }
  }

  it('belongs to the instance and is shared by its methods, with default settings', async () => {
    const world = new World();
    const [one, other] = [world.adopt(new Payments()), world.adopt(new Payments())];
    expect(await callsUntilRefused(() => one.charge())).toBe(5);
    expect(await rejectionOf(one.refund())).toMatchObject({ breakerName: 'payments', retryAfterSeconds: 30 });
    expect(await one.notify()).toBe('sent');
    expect(await other.refund()).toBe('refunded');
    expect(await rejectionOf(other.charge())).toBe(down);
    await world.clock.advance('30s');
    expect(await one.refund()).toBe('refunded');
  });

  it('belongs to the class for static methods', async () => {
    class Api {
      @Resilient({ circuitBreaker: 'api' })
      static async fetch(): Promise<never> {
        throw down;
      }
    }
    class OtherApi extends Api {}
    expect(await callsUntilRefused(() => Api.fetch())).toBe(5);
    expect(await rejectionOf(OtherApi.fetch())).toBe(down);
  });

  it('is one warning for each name, with the cure', async () => {
    const world = new World();
    for (let instances = 0; instances < 3; instances += 1) {
      const payments = world.adopt(new Payments());
      await payments.refund();
      await payments.refund();
      await payments.notify();
    }
    const because =
      'is given by name outside an application, so each instance has one of its own with default settings; ' +
      'import ResilienceModule, or give a CircuitBreaker';
    expect(warnings.mock.calls).toEqual([
      [`circuit breaker 'payments' ${because}`, { code: 'RELPRIM' }],
      [`circuit breaker 'mail' ${because}`, { code: 'RELPRIM' }],
    ]);
  });
});

describe('a circuit breaker given as an object', () => {
  it('is shared by everything that it was given to, without a warning', async () => {
    const circuitBreaker = new CircuitBreaker({ name: 'shared', failureThreshold: 2 });
    class Payments {
      @Resilient({ circuitBreaker })
      async charge(): Promise<never> {
        throw down;
      }
    }
    class Refunds {
      @Resilient({ circuitBreaker })
      async refund(): Promise<string> {
        return 'refunded';
      }
    }
    expect(await callsUntilRefused(() => new Payments().charge())).toBe(2);
    expect(await rejectionOf(new Refunds().refund())).toBeInstanceOf(CircuitBreakerOpenError);
    expect(circuitBreaker.snapshot().state).toBe('open');
    expect(warnings).not.toHaveBeenCalled();
  });
});

describe('a circuit breaker found by a function', () => {
  class HostClient {
    constructor(
      private readonly breakerName: string,
      private readonly breakers = new Map<string, CircuitBreaker>(),
    ) {}

    @Resilient({
      circuitBreaker(this: HostClient) {
        return this.breakerName;
      },
    })
    async byName(): Promise<never> {
      throw down;
    }

    @Resilient({
      circuitBreaker(this: HostClient, tenant: string) {
        let breaker = this.breakers.get(tenant);
        if (breaker === undefined) {
          breaker = new CircuitBreaker({ name: tenant, failureThreshold: 1 });
          this.breakers.set(tenant, breaker);
        }
        return breaker;
      },
    })
    async byTenant(_tenant: string): Promise<never> {
      throw down;
    }
  }

  it('may differ from instance to instance, by name [R242]', async () => {
    const client = new HostClient('host-a');
    expect(await callsUntilRefused(() => client.byName())).toBe(5);
    expect(await rejectionOf(client.byName())).toMatchObject({ breakerName: 'host-a' });
    expect(await rejectionOf(new HostClient('host-b').byName())).toBe(down);
  });

  it('may differ from call to call, by the arguments [R242]', async () => {
    const client = new HostClient('h');
    expect(await callsUntilRefused(() => client.byTenant('red'))).toBe(1);
    expect(await rejectionOf(client.byTenant('red'))).toMatchObject({ breakerName: 'red' });
    expect(await rejectionOf(client.byTenant('blue'))).toBe(down);
  });

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['an object that is no breaker', { name: 'x' }],
    ['a promise of one', Promise.resolve(new CircuitBreaker())],
  ])('must be found: %s ends the call before the method, without retry or fallback', async (_what, found) => {
    let calls = 0;
    class Client {
      @Resilient({ circuitBreaker: () => found as CircuitBreaker, retries: 2, fallback: () => 'fallback' })
      async read(): Promise<string> {
        calls += 1;
        return 'read';
      }
    }
    const error = (await rejectionOf(new Client().read())) as Error;
    expect(error).toBeInstanceOf(MisuseError);
    expect(error.message).toBe('Client.read: circuitBreaker must find a CircuitBreaker or the name of one');
    expect(calls).toBe(0);
  });

  it('that throws ends the call with what it threw', async () => {
    const broken = new RangeError('no such tenant');
    class Client {
      @Resilient({
        retries: 2,
        fallback: () => 'fallback',
        circuitBreaker: () => {
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
