import { describe, expect, it } from '@jest/globals';
import type { AnyEvent, EventSink } from '../../lib/index.js';
import { scene } from './support.js';

describe('the snapshot of an application', () => {
  it('is everything at one moment, and survives JSON', async () => {
    const { clock, state, client } = await scene();
    await clock.advance(90);
    await client.charge();
    const snapshot = state.snapshot();
    expect(snapshot).toEqual({
      version: 1,
      at: '2026-01-01T00:01:30.000Z',
      started_at: '2026-01-01T00:00:00.000Z',
      uptime_seconds: 90,
      counted_since: '2026-01-01T00:00:00.000Z',
      circuit_breakers: state.circuitBreakers(),
      shields: [],
      concurrency_limits: [],
      operations: state.operations(),
      calls: 1,
      notable_executions: [],
      executions: [
        {
          call_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          operation_name: 'PaymentsClient.charge',
          status: 'succeeded',
          started_at: '2026-01-01T00:01:30.000Z',
          duration_seconds: 0,
          attempt_count: 1,
          retry_count: 0,
          fallback_used: false,
          circuit_breaker_open: false,
          error_type: null,
        },
      ],
      circuit_breaker_changes: [],
      event_sinks: null,
    });
    expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot);
  });

  it('keeps its durations when the wall clock is set', async () => {
    const { clock, state } = await scene();
    await clock.advance(10);
    clock.stepWall('1h', 'back');
    expect(state.snapshot()).toMatchObject({
      at: '2025-12-31T23:00:10.000Z',
      started_at: '2026-01-01T00:00:00.000Z',
      uptime_seconds: 10,
    });
  });

  it('has the latest hundred calls and changes, newest first', async () => {
    const { clock, state, client } = await scene();
    for (let call = 0; call < 101; call += 1) {
      await clock.advance(1);
      await client.charge();
      state.reset('ledger', `number ${call}`);
    }
    const { executions, circuit_breaker_changes: changes } = state.snapshot();
    expect([executions.length, changes.length]).toEqual([100, 100]);
    expect([executions[0], executions.at(-1)]).toMatchObject([
      { started_at: '2026-01-01T00:01:41.000Z' },
      { started_at: '2026-01-01T00:00:02.000Z' },
    ]);
    expect([changes[0]?.reason, changes.at(-1)?.reason]).toEqual(['number 100', 'number 1']);
    expect(state.operation('PaymentsClient.charge').counts.calls).toBe(101);
  });

  it('says of a refused call that it was, and of a failed one its type', async () => {
    const { state, client } = await scene();
    await client.fails(3);
    expect(state.snapshot().executions).toMatchObject([
      { status: 'failed', circuit_breaker_open: true, error_type: 'CircuitBreakerOpenError' },
      { status: 'failed', circuit_breaker_open: false, error_type: 'Down' },
      { status: 'failed', circuit_breaker_open: false, error_type: 'Down' },
    ]);
  });

  it('keeps the latest hundred calls that did not simply succeed, however many others come after them', async () => {
    const { state, client } = await scene();
    await client.fails(1);
    client.answer = () => 'receipt';
    for (let call = 0; call < 101; call += 1) await client.charge();
    const { calls, executions, notable_executions: notable } = state.snapshot();
    expect([calls, executions.length]).toEqual([102, 100]);
    expect(notable).toMatchObject([{ status: 'failed', error_type: 'Down' }]);
    const report = state.execution(notable[0]?.call_id ?? '');
    expect(report?.explain()).toMatch(/^PaymentsClient.charge failed after 0 s, 1 attempt\n#1 failed/);
    const latest = executions[0]?.call_id ?? '';
    expect(state.execution(latest)?.toJSON()).toMatchObject({ call_id: latest, status: 'succeeded' });
    expect(state.execution('of nobody')).toBeUndefined();
  });

  it('says how many events the sinks have lost', async () => {
    const told: AnyEvent[] = [];
    const slow: EventSink = {
      emit: (event) => {
        told.push(event);
        return new Promise<void>(() => {});
      },
    };
    const { state, client } = await scene({}, { eventSinks: [slow] });
    expect(state.snapshot().event_sinks).toEqual({ dropped: 0 });
    for (let call = 0; call < 260; call += 1) await client.charge();
    expect(told).toHaveLength(1);
    // Four events for each call, of which a thousand wait.
    expect(state.snapshot().event_sinks).toEqual({ dropped: 260 * 4 - 1_000 });
  });
});
