import { describe, expect, it } from '@jest/globals';
import {
  CircuitBreaker,
  CircuitBreakerOpenError,
  CircuitBreakerRegistry,
  ConfigurationError,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { getCircuitBreakerToken, ResilienceState } from '../../nest-module/index.js';
import { start } from '../nest/support.js';
import { thrown } from '../operation/support.js';
import { circuitBreakers, onClock, PaymentsClient, scene } from './support.js';

const untouched = {
  name: 'payments',
  state: 'closed',
  forced: null,
  forced_reason: null,
  failure_count: 0,
  failure_threshold: 2,
  calls: null,
  failure_rate: null,
  slow_calls: null,
  slow_call_rate: null,
  budget: null,
  opened_at: null,
  opened_by: null,
  recovery_timeout_seconds: 30,
  half_open_probe_in_flight: false,
  probes_in_flight: 0,
  shared: null,
  probe_due: false,
  retry_after_seconds: 0,
  last_change: null,
};

describe('the circuit breakers in the state of an application', () => {
  it('are those of the registry, as JSON', async () => {
    const { state } = await scene();
    expect(state.circuitBreakers()).toEqual([
      untouched,
      { ...untouched, name: 'ledger', failure_threshold: 5 },
    ]);
    expect(state.circuitBreaker('payments')).toEqual(untouched);
  });

  it('say what they went through, and what is next', async () => {
    const { clock, state, client } = await scene();
    await clock.advance(5);
    await client.fails(2);
    const change = {
      breaker_name: 'payments',
      from_state: 'closed',
      to_state: 'open',
      failure_count: 2,
      opened_by: 'consecutive_failures',
      by: 'call',
      forced: false,
      reason: null,
      at: '2026-01-01T00:00:05.000Z',
    };
    const opened = {
      ...untouched,
      state: 'open',
      failure_count: 2,
      opened_at: '2026-01-01T00:00:05.000Z',
      opened_by: 'consecutive_failures',
      last_change: change,
    };
    await clock.advance(10);
    expect(state.circuitBreaker('payments')).toEqual({ ...opened, retry_after_seconds: 20 });
    await clock.advance(20);
    expect(state.circuitBreaker('payments')).toEqual({ ...opened, probe_due: true });
    client.answer = () => new Promise(() => {});
    void client.charge();
    expect(state.circuitBreaker('payments')).toMatchObject({
      state: 'half_open',
      half_open_probe_in_flight: true,
      retry_after_seconds: null,
      last_change: { from_state: 'open', to_state: 'half_open', at: '2026-01-01T00:00:35.000Z' },
    });
  });

  it('lose no probe to those who look', async () => {
    const { clock, state, client } = await scene();
    await client.fails(2);
    await clock.advance(30);
    // B054
    for (let look = 0; look < 1_000; look += 1) state.snapshot();
    client.answer = () => 'receipt';
    expect(await client.charge()).toBe('receipt');
    expect(state.circuitBreaker('payments').state).toBe('closed');
  });

  it('go by the name under which they are registered', async () => {
    const fake = new CircuitBreaker({ name: 'a fake', failureThreshold: 2 });
    const app = await start({ providers: [PaymentsClient] }, { circuitBreakers }, (builder) =>
      builder.overrideProvider(getCircuitBreakerToken('payments')).useValue(fake),
    );
    const state = app.get(ResilienceState);
    expect(state.circuitBreakers().map(({ name }) => name)).toEqual(['payments', 'ledger']);
    expect(state.forceOpen('payments', 'maintenance')).toMatchObject({
      name: 'payments',
      forced: 'open',
      last_change: { breaker_name: 'a fake', to_state: 'open' },
    });
    expect(fake.state).toBe('open');
  });
});

describe('an operator of the state of an application', () => {
  it('forces a circuit breaker open, forces it closed and resets it, and sees at once what came of it', async () => {
    const { clock, state, client } = await scene();
    await client.fails(1);
    await clock.advance(1);
    const change = {
      breaker_name: 'payments',
      from_state: 'closed',
      to_state: 'open',
      failure_count: 1,
      opened_by: 'operator',
      by: 'operator',
      forced: true,
      reason: 'the bank is migrating',
      at: '2026-01-01T00:00:01.000Z',
    };
    expect(state.forceOpen('payments', 'the bank is migrating')).toEqual({
      ...untouched,
      state: 'open',
      forced: 'open',
      forced_reason: 'the bank is migrating',
      failure_count: 1,
      opened_at: '2026-01-01T00:00:01.000Z',
      opened_by: 'operator',
      retry_after_seconds: null,
      last_change: change,
    });
    await clock.advance('1h');
    await expect(client.charge()).rejects.toBeInstanceOf(CircuitBreakerOpenError);
    expect(state.forceClosed('payments', 'try it')).toMatchObject({ state: 'closed', forced: 'closed' });
    await client.fails(9);
    expect(state.circuitBreaker('payments')).toMatchObject({ state: 'closed', forced_reason: 'try it' });
    expect(state.reset('payments', 'all is well')).toMatchObject({
      ...untouched,
      last_change: { forced: false },
    });
    expect(state.snapshot().circuit_breaker_changes.map(({ reason }) => reason)).toEqual([
      'all is well',
      'try it',
      'the bank is migrating',
    ]);
  });

  it('gives a reason each time, or nothing happens', async () => {
    const { state } = await scene();
    for (const operate of ['forceOpen', 'forceClosed', 'reset'] as const) {
      for (const reason of [undefined, '', '  ', null, 5]) {
        const error = thrown(() => state[operate]('payments', reason as string));
        expect(error).toBeInstanceOf(ConfigurationError);
        expect(error.option).toBe('reason');
      }
    }
    expect(state.circuitBreaker('payments')).toEqual(untouched);
  });

  it('is told the nearest name when there is none of that name', async () => {
    const { state } = await scene();
    const message = "circuitBreaker 'paymets' is not registered; did you mean 'payments'?";
    for (const ask of [
      () => state.circuitBreaker('paymets'),
      () => state.forceOpen('paymets', 'maintenance'),
      () => state.forceClosed('paymets', 'maintenance'),
      () => state.reset('paymets', 'maintenance'),
    ])
      expect(thrown(ask).message).toBe(message);
    for (const name of [undefined, null, '', 5])
      expect(thrown(() => state.circuitBreaker(name as string))).toMatchObject({ option: 'name' });
  });

  it('leaves the breakers of other applications alone', async () => {
    const [one, other] = [await scene(), await scene()];
    one.state.forceOpen('payments', 'maintenance');
    expect(other.state.snapshot()).toMatchObject({
      circuit_breakers: [untouched, { name: 'ledger' }],
      circuit_breaker_changes: [],
    });
  });

  it('reaches the very breakers that calls go through, also on a clock of a test', async () => {
    const clock = new FakeClock();
    const app = await start({ providers: [PaymentsClient] }, { circuitBreakers }, onClock(clock));
    app.get(CircuitBreakerRegistry).get('payments').forceOpen('set up by the test');
    expect(app.get(ResilienceState).circuitBreaker('payments')).toMatchObject({
      forced_reason: 'set up by the test',
      opened_at: '2026-01-01T00:00:00.000Z',
    });
  });
});
