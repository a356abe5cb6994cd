import { describe, expect, it } from '@jest/globals';
import { CircuitBreakerOpenError } from '../../lib/index.js';
import { gives, rejects, scene, Upstream } from '../operation/support.js';
import { play, takes, withRules } from './scenes.js';
import { beginCall, refusedCall, setUpProbeDue } from './support.js';

const nothing = {
  failures: 0,
  calls: null,
  failureRate: null,
  slowCalls: null,
  slowCallRate: null,
  spent: null,
  limit: null,
  probesInFlight: 0,
};
const openedAt = new Date('2026-01-01T00:00:00Z');

describe('a refusal', () => {
  it('names failures in a row, and how many there were', async () => {
    const { breaker } = withRules({ failureThreshold: 2 });
    await play(breaker, 'FF');
    const { error } = await refusedCall(breaker);
    expect(error).toBeInstanceOf(CircuitBreakerOpenError);
    expect(error).toMatchObject({ reason: 'consecutive_failures', retryAfterSeconds: 10 });
    expect(error.details).toEqual({ ...nothing, openedBy: 'consecutive_failures', openedAt, failures: 2 });
  });

  it('names the failure rate, and what was in the window', async () => {
    const { breaker } = withRules({ failureRate: 0.5, window: 4 });
    await play(breaker, 'SSFF');
    const { error } = await refusedCall(breaker);
    expect(error.reason).toBe('failure_rate');
    expect(error.details).toEqual({
      ...nothing,
      openedBy: 'failure_rate',
      openedAt,
      failures: 2,
      calls: 4,
      failureRate: 0.5,
    });
  });

  it('names slow calls, and how many there were', async () => {
    const rules = withRules({ slowCallSeconds: 1, slowCallRate: 0.5, window: 2 });
    await takes(rules, 2);
    await takes(rules, 1);
    const { error } = await refusedCall(rules.breaker);
    expect(error.reason).toBe('slow_call_rate');
    expect(error.details).toEqual({
      ...nothing,
      openedBy: 'slow_call_rate',
      openedAt: new Date('2026-01-01T00:00:03Z'),
      calls: 2,
      failureRate: 0,
      slowCalls: 1,
      slowCallRate: 0.5,
    });
  });

  it('names the budget, and what was spent of it', async () => {
    const { breaker } = withRules({ budget: { limit: 10, per: '60s' } });
    breaker.spend(12);
    const { error } = await refusedCall(breaker);
    expect(error).toMatchObject({ reason: 'budget', retryAfterSeconds: 61 });
    expect(error.details).toEqual({ ...nothing, openedBy: 'budget', openedAt, spent: 12, limit: 10 });
  });

  it('names a probe that failed', async () => {
    const { breaker } = await setUpProbeDue();
    await play(breaker, 'F');
    const { error } = await refusedCall(breaker);
    expect(error).toMatchObject({ reason: 'probe_failed', state: 'open', retryAfterSeconds: 10 });
    expect(error.details).toMatchObject({
      openedBy: 'probe_failed',
      openedAt: new Date('2026-01-01T00:00:10Z'),
    });
  });

  it('names probes that run, and what had opened the breaker before', async () => {
    const { breaker } = await setUpProbeDue({ probes: { concurrent: 2 } });
    beginCall(breaker);
    beginCall(breaker);
    const { error } = await refusedCall(breaker);
    expect(error).toMatchObject({ reason: 'probes_busy', state: 'half_open', retryAfterSeconds: null });
    expect(error.details).toEqual({
      ...nothing,
      openedBy: 'consecutive_failures',
      openedAt,
      failures: 2,
      probesInFlight: 2,
    });
  });

  it.each(['', 'FF'])('names the operator who holds it, whatever was before (%j)', async (before) => {
    const { breaker } = withRules({ failureThreshold: 2 });
    await play(breaker, before);
    breaker.forceOpen('migration');
    const { error } = await refusedCall(breaker);
    expect(error).toMatchObject({ reason: 'operator', state: 'open', retryAfterSeconds: null });
    expect(error.message).toBe(
      "circuit breaker 'payments' is forced open; no call passes until an operator lets go of it",
    );
    expect(error.details).toMatchObject({ openedBy: 'operator', openedAt, failures: before.length });
  });

  it('keeps its numbers when the breaker goes on, and nobody can change them', async () => {
    const { clock, breaker } = withRules({ failureThreshold: 2 });
    await play(breaker, 'FF');
    const { error } = await refusedCall(breaker);
    const told = error.details;
    told.openedAt.setTime(0);
    await clock.advance(10);
    await play(breaker, 'SF');
    expect(error.details).toEqual({ ...nothing, openedBy: 'consecutive_failures', openedAt, failures: 2 });
  });

  it('may be made by hand, as tests do: its numbers are not known', () => {
    const open = new CircuitBreakerOpenError('payments', 'open', 5);
    expect([open.reason, new CircuitBreakerOpenError('payments', 'half_open', null).reason]).toEqual([
      'consecutive_failures',
      'probes_busy',
    ]);
    expect(open.details).toEqual({ ...nothing, failures: null, openedBy: null, openedAt: null });
  });
});

describe('the account of a refused call', () => {
  it('has the reason in its metadata, of the attempt and of the report', async () => {
    const { clock, breaker } = withRules({ failureRate: 0.5, window: 2 });
    await play(breaker, 'FF');
    const upstream = new Upstream(gives('never'));
    const { failure } = scene(upstream.call, { circuitBreaker: breaker }, clock);
    const { report } = await failure();
    expect(report.metadata).toMatchObject({
      circuit_breaker_open: true,
      circuit_breaker_reason: 'failure_rate',
    });
    expect(report.attempts[0]?.metadata).toMatchObject({ circuit_breaker_reason: 'failure_rate' });
    expect(upstream.calls).toEqual([]);
  });

  it('has no reason where nothing was refused', async () => {
    const { clock, breaker } = withRules({ failureThreshold: 9 });
    const { failure } = scene(rejects(new Error('down')), { circuitBreaker: breaker }, clock);
    expect((await failure()).report.metadata).not.toHaveProperty('circuit_breaker_reason');
  });

  it('has the reason in the event of the refusal, and the rule in the event of the opening', async () => {
    const { clock, breaker } = withRules({ failureRate: 0.5, window: 2 });
    const { failure, sink } = scene(rejects(new Error('down')), { circuitBreaker: breaker }, clock);
    for (let call = 0; call < 3; call += 1) await failure();
    const payloads = sink.events().filter(({ eventType }) => eventType.startsWith('circuit_breaker.'));
    expect(payloads.map(({ eventType, payload }) => [eventType, payload])).toEqual([
      [
        'circuit_breaker.opened',
        {
          breaker_name: 'payments',
          from_state: 'closed',
          to_state: 'open',
          failure_count: 2,
          opened_by: 'failure_rate',
        },
      ],
      [
        'circuit_breaker.rejected',
        {
          attempt_number: 1,
          breaker_name: 'payments',
          state: 'open',
          reason: 'failure_rate',
          retry_after_seconds: 10,
        },
      ],
    ]);
  });

  it('has the budget in both, though the call that spent it succeeded', async () => {
    const { clock, breaker } = withRules({
      budget: { limit: 10, per: '60s', cost: (value: number) => value },
    });
    const { run, failure, sink } = scene(gives(10), { circuitBreaker: breaker }, clock);
    await run();
    await failure();
    const of = (type: string) => sink.events().find(({ eventType }) => eventType === type)?.payload;
    expect(of('circuit_breaker.opened')).toMatchObject({ opened_by: 'budget', failure_count: 0 });
    expect(of('circuit_breaker.rejected')).toMatchObject({ reason: 'budget', retry_after_seconds: 61 });
  });
});
