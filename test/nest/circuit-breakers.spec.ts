import { describe, expect, it } from '@jest/globals';
import { Inject, Injectable, Module, Scope } from '@nestjs/common';
import {
  CircuitBreaker,
  CircuitBreakerOpenError,
  CircuitBreakerRegistry,
  Resilient,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { getCircuitBreakerToken, InjectCircuitBreaker, RESILIENCE_CLOCK } from '../../nest-module/index.js';
import { build, start } from './support.js';

class Down extends Error {}

@Injectable()
class PaymentsClient {
  calls = 0;

  @Resilient({ circuitBreaker: 'payments' })
  async charge(): Promise<void> {
    this.calls += 1;
    throw new Down();
  }
}

@Injectable()
class RefundsClient extends PaymentsClient {
  @Resilient({ circuitBreaker: 'payments' })
  async refund(): Promise<string> {
    this.calls += 1;
    return 'refunded';
  }
}

@Injectable()
class Dashboard {
  @InjectCircuitBreaker('ledger')
  readonly ledger!: CircuitBreaker;

  constructor(@InjectCircuitBreaker('payments') readonly payments: CircuitBreaker) {}
}

const circuitBreakers = [{ name: 'payments', failureThreshold: 2, recoveryTimeout: 30 }, { name: 'ledger' }];

async function fail(client: PaymentsClient, times: number): Promise<void> {
  for (let i = 0; i < times; i += 1) await expect(client.charge()).rejects.toBeInstanceOf(Down);
}

describe('a circuit breaker of the application', () => {
  it('is shared by all methods that name it, and injected by its name', async () => {
    @Module({ providers: [RefundsClient, Dashboard] })
    class FeatureModule {}
    const app = await start({ imports: [FeatureModule], providers: [PaymentsClient] }, { circuitBreakers });
    const { payments, ledger } = app.get(Dashboard);
    expect([payments.name, payments.failureThreshold, ledger.name]).toEqual(['payments', 2, 'ledger']);

    await fail(app.get(PaymentsClient), 1);
    await fail(app.get(RefundsClient), 1);
    expect([payments.state, ledger.state]).toEqual(['open', 'closed']);
    await expect(app.get(RefundsClient).refund()).rejects.toBeInstanceOf(CircuitBreakerOpenError);
    expect([app.get(PaymentsClient).calls, app.get(RefundsClient).calls]).toEqual([1, 1]);
  });

  it('is one for all instances of a request-scoped class', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class RequestClient extends PaymentsClient {}
    const app = await start({ providers: [RequestClient, Dashboard] }, { circuitBreakers });
    await fail(await app.resolve(RequestClient), 1);
    await fail(await app.resolve(RequestClient), 1);
    expect(app.get(Dashboard).payments.state).toBe('open');
  });

  it('is in the registry, under its name', async () => {
    const app = await start({ providers: [Dashboard] }, { circuitBreakers });
    const registry = app.get(CircuitBreakerRegistry);
    expect(registry.list().map(({ name }) => name)).toEqual(['payments', 'ledger']);
    expect(registry.get('payments')).toBe(app.get(Dashboard).payments);
    expect(app.get(getCircuitBreakerToken('ledger'))).toBe(app.get(Dashboard).ledger);
  });

  it('may be made by the application itself, and then goes by the clock of the application', async () => {
    const clock = new FakeClock();
    const own = new CircuitBreaker({ name: 'payments', failureThreshold: 1, recoveryTimeout: 10 });
    const app = await start(
      { providers: [RefundsClient, Dashboard] },
      { circuitBreakers: [own, { name: 'ledger' }] },
      (builder) => builder.overrideProvider(RESILIENCE_CLOCK).useValue(clock),
    );
    expect(app.get(Dashboard).payments).toBe(own);
    await fail(app.get(RefundsClient), 1);
    expect(own.snapshot()).toMatchObject({
      state: 'open',
      retryAfterSeconds: 10,
      openedAt: new Date(clock.wallMs()),
    });
    await clock.advance('10s');
    expect(await app.get(RefundsClient).refund()).toBe('refunded');
    expect(own.state).toBe('closed');
  });

  it('is replaced by overrideProvider, also for the methods that name it', async () => {
    const fake = new CircuitBreaker({ name: 'always open', failureThreshold: 1 });
    const app = await start({ providers: [PaymentsClient, Dashboard] }, { circuitBreakers }, (builder) =>
      builder.overrideProvider(getCircuitBreakerToken('payments')).useValue(fake),
    );
    await fail(app.get(PaymentsClient), 1);
    expect(fake.state).toBe('open');
    await expect(app.get(PaymentsClient).charge()).rejects.toMatchObject({ breakerName: 'always open' });
    expect(app.get(Dashboard).payments).toBe(fake);
  });

  it('belongs to one application', async () => {
    const first = await start({ providers: [PaymentsClient, Dashboard] }, { circuitBreakers });
    const second = await start({ providers: [PaymentsClient, Dashboard] }, { circuitBreakers });
    await fail(first.get(PaymentsClient), 2);
    expect(first.get(Dashboard).payments.state).toBe('open');
    expect(second.get(Dashboard).payments.snapshot()).toMatchObject({ state: 'closed', failureCount: 0 });
  });

  it('is found for each call where the decorator has a function', async () => {
    @Injectable()
    class HostClient {
      @Resilient({ circuitBreaker: (host: string) => host })
      async call(_host: string): Promise<void> {
        throw new Down();
      }
    }
    const app = await start({ providers: [HostClient, Dashboard] }, { circuitBreakers });
    await expect(app.get(HostClient).call('payments')).rejects.toBeInstanceOf(Down);
    const { payments, ledger } = app.get(Dashboard);
    expect([payments.snapshot().failureCount, ledger.snapshot().failureCount]).toEqual([1, 0]);
    await expect(app.get(HostClient).call('ledgers')).rejects.toThrow(
      "circuitBreaker 'ledgers' is not registered; did you mean 'ledger'?",
    );
  });

  it('that nobody registered is named by Nest where it is injected', async () => {
    @Injectable()
    class Lost {
      constructor(@InjectCircuitBreaker('paymants') readonly breaker: CircuitBreaker) {}
    }
    await expect(build({ providers: [Lost] }, { circuitBreakers })).rejects.toThrow(
      'relprim/circuit-breaker:paymants',
    );
  });

  it('keeps a name of its own', async () => {
    const twice = [
      { name: 'payments', failureThreshold: 1 },
      { name: 'payments', failureThreshold: 9 },
    ];
    await expect(build({}, { circuitBreakers: twice })).rejects.toThrow(
      "ResilienceModule: circuitBreakers[1].name 'payments' is given twice; give each breaker a name of its own",
    );
  });

  it('may not share its name with another breaker that a decorator gives', async () => {
    @Injectable()
    class Clashing {
      @Resilient({ circuitBreaker: new CircuitBreaker({ name: 'payments' }) })
      async call(): Promise<void> {}
    }
    const app = await build({ providers: [Clashing] }, { circuitBreakers });
    await expect(app.init()).rejects.toThrow(/Clashing\.call: circuitBreaker .*'payments'/);
  });

  it('may be given to a decorator as the very instance that is registered', async () => {
    const own = new CircuitBreaker({ name: 'payments', failureThreshold: 1 });
    @Injectable()
    class Sharing {
      constructor(@Inject(CircuitBreakerRegistry) readonly registry: CircuitBreakerRegistry) {}

      @Resilient({ circuitBreaker: own })
      async call(): Promise<void> {
        throw new Down();
      }
    }
    const app = await start({ providers: [Sharing] }, { circuitBreakers: [own] });
    await expect(app.get(Sharing).call()).rejects.toBeInstanceOf(Down);
    expect(app.get(Sharing).registry.get('payments').state).toBe('open');
  });
});
