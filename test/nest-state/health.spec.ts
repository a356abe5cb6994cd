import { describe, expect, it } from '@jest/globals';
import { CircuitBreakerRegistry, ConfigurationError } from '../../lib/index.js';
import { CircuitBreakerHealthIndicator, type CircuitBreakerHealthOptions } from '../../nest-module/index.js';
import { NestHost } from '../../nest-module/nest-host.js';
import { start } from '../nest/support.js';
import { thrown } from '../operation/support.js';
import { scene } from './support.js';

async function healthScene() {
  const made = await scene();
  const indicator = made.app.get(CircuitBreakerHealthIndicator);
  const registry = made.app.get(CircuitBreakerRegistry);
  return { ...made, indicator, breaker: registry.get('payments'), ledger: registry.get('ledger') };
}

describe('the health of a circuit breaker', () => {
  it('is up while it is closed, down while it is open, and up again while it looks for recovery', async () => {
    const { clock, client, indicator } = await healthScene();
    const read = (options?: CircuitBreakerHealthOptions) => indicator.isHealthy('payments', options);
    expect(read()).toEqual({ payments: { status: 'up', state: 'closed' } });
    await client.fails(2);
    await clock.advance(10);
    expect(read()).toEqual({ payments: { status: 'down', state: 'open', retry_after_seconds: 20 } });
    await clock.advance(20);
    // B014: a check that were down until somebody calls would keep everybody away who could call.
    expect(read()).toEqual({ payments: { status: 'up', state: 'open', probe_due: true } });
    expect(read({ halfOpen: 'down' })).toEqual({
      payments: { status: 'down', state: 'open', probe_due: true },
    });
    client.answer = () => new Promise(() => {});
    void client.charge();
    expect(read()).toEqual({ payments: { status: 'up', state: 'half_open' } });
    expect(read({ halfOpen: 'down' })).toEqual({ payments: { status: 'down', state: 'half_open' } });
  });

  it('tells forced states apart, and keeps the reason to itself', async () => {
    const { clock, indicator, breaker } = await healthScene();
    breaker.forceOpen('a secret of the operators');
    await clock.advance('1h');
    expect(indicator.isHealthy('payments', { halfOpen: 'up' })).toEqual({
      payments: { status: 'down', state: 'forced_open' },
    });
    breaker.forceClosed('another secret');
    expect(indicator.isHealthy('payments')).toEqual({ payments: { status: 'up', state: 'forced_closed' } });
    breaker.reset();
    expect(indicator.isHealthy('payments')).toEqual({ payments: { status: 'up', state: 'closed' } });
  });

  it('may be read a thousand times, and the probe is still to be had', async () => {
    const { clock, client, indicator, breaker } = await healthScene();
    await client.fails(2);
    await clock.advance(30);
    // B054
    for (let look = 0; look < 1_000; look += 1) indicator.isHealthy();
    expect(breaker.snapshot()).toMatchObject({ state: 'open', probeDue: true });
    client.answer = () => 'receipt';
    expect(await client.charge()).toBe('receipt');
    expect(clock.pendingTimers).toBe(0);
  });

  it('is read of several, or of all, each under its name', async () => {
    const { indicator, breaker, ledger } = await healthScene();
    breaker.forceOpen('maintenance');
    const both = {
      payments: { status: 'down', state: 'forced_open' },
      ledger: { status: 'up', state: 'closed' },
    };
    expect(indicator.isHealthy()).toEqual(both);
    expect(indicator.isHealthy(['ledger', 'payments'])).toEqual(both);
    expect(indicator.isHealthy(['ledger'])).toEqual({ ledger: both.ledger });
    expect(ledger.state).toBe('closed');
  });

  it('may stand under one key, and is then down when one of them is', async () => {
    const { indicator, breaker } = await healthScene();
    const closed = { status: 'up', state: 'closed' };
    expect(indicator.isHealthy('ledger', { key: 'ledger_breaker' })).toEqual({ ledger_breaker: closed });
    expect(indicator.isHealthy(undefined, { key: 'upstreams' })).toEqual({
      upstreams: { status: 'up', circuit_breakers: { payments: closed, ledger: closed } },
    });
    breaker.forceOpen('maintenance');
    expect(indicator.isHealthy(['payments', 'ledger'], { key: 'upstreams' })).toEqual({
      upstreams: {
        status: 'down',
        circuit_breakers: { payments: { status: 'down', state: 'forced_open' }, ledger: closed },
      },
    });
    expect(indicator.isHealthy(['ledger'], { key: 'upstreams' })).toEqual({
      upstreams: { status: 'up', circuit_breakers: { ledger: closed } },
    });
  });

  it('is asked for by a name that there is, and the nearest is named', async () => {
    const { indicator } = await healthScene();
    const error = thrown(() => indicator.isHealthy('payment'));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toBe("circuitBreaker 'payment' is not registered; did you mean 'payments'?");
    expect(thrown(() => indicator.isHealthy(['ledger', 'payment']))).toMatchObject({
      cure: "did you mean 'payments'?",
    });
    for (const names of [[], null, 5, {}, [5], ''])
      expect(thrown(() => indicator.isHealthy(names as never)).option).toBe('names');
  });

  it.each([
    [{ halfOpen: 'degraded' }, 'halfOpen'],
    [{ halfopen: 'up' }, 'halfopen'],
    [{ key: '' }, 'key'],
    [null, 'options'],
    ['payments', 'options'],
  ])('has no options such as %j', async (options, option) => {
    const { indicator } = await healthScene();
    expect(thrown(() => indicator.isHealthy('payments', options as never)).option).toBe(option);
  });

  it('does not count calls', async () => {
    const app = await start({});
    expect(app.get(CircuitBreakerHealthIndicator).isHealthy()).toEqual({});
    expect(app.get(NestHost).observers).toHaveLength(0);
  });
});
