import { describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import {
  CircuitBreaker,
  CircuitBreakerRegistry,
  InMemoryEventSink,
  type EventSink,
} from '../../lib/index.js';
import { ResilienceModule, ResilienceState } from '../../nest-module/index.js';
import { breakerEvents, scene } from './support.js';

const payments = [{ name: 'payments' }];

describe('what an operator does to a circuit breaker', () => {
  it('is an event for the sinks of the application, with the reason', async () => {
    const sink = new InMemoryEventSink();
    const { clock, app } = await scene({}, { eventSinks: [sink] });
    const breaker = app.get(CircuitBreakerRegistry).get('payments');
    await clock.advance(5);
    breaker.forceOpen('the bank is migrating');
    breaker.forceClosed();
    breaker.reset('the bank is back');
    const common = { operation_name: 'circuit_breaker:payments', timestamp: '2026-01-01T00:00:05.000Z' };
    const payload = { breaker_name: 'payments', failure_count: 0 };
    expect(sink.events().map((event) => event.toJSON())).toEqual([
      {
        ...common,
        event_type: 'circuit_breaker.opened',
        payload: {
          ...payload,
          from_state: 'closed',
          to_state: 'open',
          opened_by: 'operator',
          forced: true,
          reason: 'the bank is migrating',
        },
        call_id: '',
      },
      {
        ...common,
        event_type: 'circuit_breaker.closed',
        payload: { ...payload, from_state: 'open', to_state: 'closed', forced: true, reason: null },
        call_id: '',
      },
      {
        ...common,
        event_type: 'circuit_breaker.closed',
        payload: {
          ...payload,
          from_state: 'closed',
          to_state: 'closed',
          forced: false,
          reason: 'the bank is back',
        },
        call_id: '',
      },
    ]);
  });

  it('is told also where the breaker was open already', async () => {
    const sink = new InMemoryEventSink();
    const { state, client } = await scene({}, { eventSinks: [sink] });
    await client.fails(2);
    state.forceOpen('payments', 'leave it so');
    expect(breakerEvents(sink).map(({ operationName, payload }) => [operationName, payload])).toEqual([
      [
        'PaymentsClient.charge',
        {
          breaker_name: 'payments',
          from_state: 'closed',
          to_state: 'open',
          failure_count: 2,
          opened_by: 'consecutive_failures',
        },
      ],
      [
        'circuit_breaker:payments',
        {
          breaker_name: 'payments',
          from_state: 'open',
          to_state: 'open',
          failure_count: 2,
          opened_by: 'operator',
          forced: true,
          reason: 'leave it so',
        },
      ],
    ]);
  });

  it('is told once, and what calls do to it is told once, with the call', async () => {
    const sink = new InMemoryEventSink();
    const { clock, state, client } = await scene({}, { eventSinks: [sink] });
    await client.fails(2);
    await clock.advance(30);
    client.answer = () => 'receipt';
    await client.charge();
    state.reset('payments', 'to be sure');
    expect(breakerEvents(sink).map(({ eventType, operationName }) => [eventType, operationName])).toEqual([
      ['circuit_breaker.opened', 'PaymentsClient.charge'],
      ['circuit_breaker.half_opened', 'PaymentsClient.charge'],
      ['circuit_breaker.closed', 'PaymentsClient.charge'],
      ['circuit_breaker.closed', 'circuit_breaker:payments'],
    ]);
  });

  it('is told of the breakers of features, and of those that are registered later', async () => {
    const sink = new InMemoryEventSink();
    const feature = ResilienceModule.forFeature({ circuitBreakers: [{ name: 'mail' }] });
    const { app } = await scene({ imports: [feature] }, { eventSinks: [sink] });
    const registry = app.get(CircuitBreakerRegistry);
    registry.create({ name: 'late' });
    for (const name of ['mail', 'late']) registry.get(name).forceOpen('maintenance');
    expect(sink.events().map(({ operationName }) => operationName)).toEqual([
      'circuit_breaker:mail',
      'circuit_breaker:late',
    ]);
  });

  it('is not told any more when the application has closed', async () => {
    const sink = new InMemoryEventSink();
    const own = new CircuitBreaker({ name: 'own' });
    const first = await scene({}, { eventSinks: [sink], circuitBreakers: [own, ...payments] });
    const second = await scene({}, { eventSinks: [sink], circuitBreakers: [own, ...payments] });
    own.reset('both are told');
    await first.app.close();
    own.reset('one is told');
    await second.app.close();
    own.reset('nobody is told');
    expect(sink.events().map(({ payload }) => (payload as { reason?: string }).reason)).toEqual([
      'both are told',
      'both are told',
      'one is told',
    ]);
  });

  it('needs no sinks', async () => {
    const { app, state } = await scene();
    state.forceOpen('payments', 'maintenance');
    expect(app.get(CircuitBreakerRegistry).get('payments').state).toBe('open');
  });

  it('does not meet the errors of sinks, whatever their rule', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    class BrokenSink implements EventSink {
      emit(): void {
        throw new RangeError('the disk is full');
      }
    }
    for (const sinkErrors of ['isolate', 'propagate'] as const) {
      warn.mockReset();
      const { clock, app } = await scene({}, { eventSinks: [new BrokenSink()], sinkErrors });
      app.get(ResilienceState).forceOpen('payments', 'maintenance');
      await clock.advance(0);
      expect(app.get(CircuitBreakerRegistry).get('payments').state).toBe('open');
      expect(warn.mock.calls.map(([message]) => message)).toEqual([
        sinkErrors === 'isolate'
          ? 'event sink BrokenSink failed with RangeError: 1 event(s) lost so far'
          : 'an event sink failed with RangeError on a change of circuit_breaker:payments',
      ]);
    }
    warn.mockRestore();
  });
});
