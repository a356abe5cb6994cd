import { describe, expect, it } from '@jest/globals';
import { CircuitBreaker, type CircuitBreakerOptions, type SavedCircuitBreaker } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { mistakeOf } from '../support/mistake-of.js';
import { play, statesOf } from './scenes.js';
import { beginCall, failCalls, refusedCall, setUp } from './support.js';

const OPTIONS = { failureThreshold: 2, recoveryTimeout: 10 };

const saved: SavedCircuitBreaker = {
  version: 1,
  name: 'payments',
  state: 'open',
  opened_at: '2026-01-01T00:00:00.000Z',
  opened_by: 'consecutive_failures',
  failed_probes: 0,
  forced: null,
  forced_reason: null,
};

/** A process that starts when so much has passed since the other one wrote. */
function restart(json: unknown, secondsLater: number, options: CircuitBreakerOptions = OPTIONS) {
  const startAt = new Date(Date.parse('2026-01-01T00:00:00Z') + secondsLater * 1_000);
  const clock = new FakeClock({ startAt });
  const text = JSON.stringify(json);
  return { clock, breaker: CircuitBreaker.restore(JSON.parse(text), { ...options, clock }) };
}

describe('a breaker that is written down', () => {
  it('says that it is closed, and nothing of what it has counted', async () => {
    const { breaker } = setUp();
    await failCalls(breaker, 1);
    const closed = { ...saved, state: 'closed', opened_at: null, opened_by: null };
    expect(breaker.toJSON()).toEqual(closed);
    const { breaker: restored } = restart(breaker, 1);
    expect(restored.snapshot()).toMatchObject({ name: 'payments', state: 'closed', failureCount: 0 });
    expect(await statesOf(restored, 'FF')).toBe('co');
  });

  it('says since when it is open, and why', async () => {
    const { clock, breaker } = setUp();
    await clock.advance('1500ms');
    await failCalls(breaker, 2);
    expect(JSON.parse(JSON.stringify(breaker))).toEqual({ ...saved, opened_at: '2026-01-01T00:00:01.500Z' });
  });

  it('stays open for the rest of its time, to the moment', async () => {
    const { clock, breaker } = restart(saved, 4);
    expect(breaker.snapshot()).toMatchObject({
      state: 'open',
      openedAt: new Date('2026-01-01T00:00:00Z'),
      openedBy: 'consecutive_failures',
      failureCount: 0,
      retryAfterSeconds: 6,
      probeDue: false,
    });
    await clock.advance('5999ms');
    await play(breaker, 'R');
    await clock.advance('1ms');
    expect(await statesOf(breaker, 'S')).toBe('c');
  });

  it('has a probe due where its time has passed meanwhile, and none before a call comes', () => {
    const { breaker } = restart(saved, 3_600);
    expect(breaker.snapshot()).toMatchObject({ state: 'open', probeDue: true, retryAfterSeconds: 0 });
  });

  it('is not open for longer because the wall clock was set back', async () => {
    const { clock, breaker } = restart(saved, -3_600);
    expect(breaker.snapshot()).toMatchObject({ state: 'open', retryAfterSeconds: 10 });
    clock.stepWall('2h');
    expect(breaker.snapshot().retryAfterSeconds).toBe(10);
    clock.stepWall('5h', 'back');
    await clock.advance(10);
    expect(breaker.snapshot().probeDue).toBe(true);
  });

  it('that was half-open is open, and its probe is due at once', async () => {
    const { clock, breaker } = setUp();
    await failCalls(breaker, 2);
    await clock.advance(10);
    beginCall(breaker);
    expect(breaker.toJSON()).toEqual({ ...saved, state: 'half_open' });
    const restored = restart(breaker, 1).breaker;
    expect(restored.snapshot()).toMatchObject({ state: 'open', probeDue: true, probesInFlight: 0 });
    beginCall(restored);
    expect((await refusedCall(restored)).error.reason).toBe('probes_busy');
  });

  it('that was half-open still owes its probe, though the budget had opened it', () => {
    const json = { ...saved, state: 'half_open', opened_by: 'budget' };
    const { clock, breaker } = restart(json, 1, { ...OPTIONS, budget: { limit: 10, per: '60s' } });
    expect(breaker.admit(clock)).toBeDefined();
    expect(breaker.state).toBe('half_open');
  });

  it('owes its probe also where the budget was used up half-open, until an operator holds it', async () => {
    const { clock, breaker } = setUp({ budget: { limit: 10, per: '60s' } });
    await failCalls(breaker, 2);
    await clock.advance(10);
    beginCall(breaker);
    breaker.spend(10);
    expect(breaker.toJSON()).toMatchObject({ state: 'half_open', opened_by: 'budget', forced: null });
    breaker.forceOpen('migration');
    expect(breaker.toJSON()).toMatchObject({ state: 'open', opened_by: 'operator', forced: 'open' });
  });

  it('owes no probe once it has closed', async () => {
    const { clock, breaker } = setUp();
    await failCalls(breaker, 2);
    await clock.advance(10);
    expect(await statesOf(breaker, 'S')).toBe('c');
    expect(breaker.toJSON()).toEqual({ ...saved, state: 'closed', opened_at: null, opened_by: null });
  });

  it.each([1, 2])('is there at once, however many probes had failed: a factor of %p', (factor) => {
    const options = { ...OPTIONS, recoveryTimeout: { initial: 1, factor, max: 60 } };
    const { breaker } = restart({ ...saved, failed_probes: Number.MAX_SAFE_INTEGER }, 0, options);
    expect(breaker.snapshot().recoveryTimeoutSeconds).toBe(factor === 1 ? 1 : 60);
  });

  it('goes on with the growing time that it had reached', async () => {
    const recoveryTimeout = { initial: 1, max: 60 };
    const { clock, breaker } = setUp({ recoveryTimeout });
    await failCalls(breaker, 2);
    for (const seconds of [1, 2]) {
      await clock.advance(seconds);
      await play(breaker, 'F');
    }
    expect(breaker.toJSON()).toMatchObject({ failed_probes: 2, opened_by: 'probe_failed' });
    const restored = restart(breaker, 4, { ...OPTIONS, recoveryTimeout });
    expect(restored.breaker.snapshot()).toMatchObject({ retryAfterSeconds: 3, recoveryTimeoutSeconds: 4 });
    await restored.clock.advance(3);
    await play(restored.breaker, 'F');
    expect(restored.breaker.snapshot().retryAfterSeconds).toBe(8);
  });

  it.each(['open', 'closed'] as const)('is held %s by the operator who held it', async (forced) => {
    const { breaker } = setUp();
    if (forced === 'open') breaker.forceOpen('migration');
    else breaker.forceClosed('migration');
    const json = breaker.toJSON();
    expect(json).toMatchObject({ state: forced, forced, forced_reason: 'migration' });
    const { clock, breaker: restored } = restart(json, 7_200);
    await clock.advance('24h');
    expect(restored.snapshot()).toMatchObject({
      state: forced,
      forced,
      forcedReason: 'migration',
      probeDue: false,
    });
    expect(await statesOf(restored, forced === 'open' ? 'RRR' : 'FFF')).toBe(
      forced === 'open' ? 'ooo' : 'ccc',
    );
    restored.reset();
    expect(restored.snapshot()).toMatchObject({ state: 'closed', forced: null, forcedReason: null });
  });

  it('writes the same again, whatever it was restored from', () => {
    const written: SavedCircuitBreaker[] = [
      saved,
      { ...saved, state: 'closed', opened_at: null, opened_by: null },
      { ...saved, opened_by: 'probe_failed', failed_probes: 3 },
      { ...saved, opened_by: 'operator', forced: 'open', forced_reason: 'migration' },
      { ...saved, state: 'closed', opened_at: null, opened_by: null, forced: 'closed' },
    ];
    for (const json of written) expect(restart(json, 1).breaker.toJSON()).toEqual(json);
  });

  it('may be given another name', () => {
    expect(restart(saved, 1, { ...OPTIONS, name: 'ledger' }).breaker.name).toBe('ledger');
  });

  it('says in a refusal what is still known', async () => {
    const { error } = await refusedCall(restart(saved, 4).breaker);
    expect(error).toMatchObject({ reason: 'consecutive_failures', retryAfterSeconds: 6 });
    expect(error.details).toEqual({
      openedBy: 'consecutive_failures',
      openedAt: new Date('2026-01-01T00:00:00Z'),
      failures: null,
      calls: null,
      failureRate: null,
      slowCalls: null,
      slowCallRate: null,
      spent: null,
      limit: null,
      probesInFlight: 0,
    });
  });
});

describe('what no breaker has written', () => {
  it.each([
    ['nothing', null, 'circuitBreaker'],
    ['a text', '{}', 'circuitBreaker'],
    ['a list', [], 'circuitBreaker'],
    ['another version', { ...saved, version: 2 }, 'version'],
    ['an unknown entry', { ...saved, more: 1 }, 'more'],
    ['a blank name', { ...saved, name: ' ' }, 'name'],
    ['an unknown state', { ...saved, state: 'ajar' }, 'state'],
    ['no moment', { ...saved, opened_at: null }, 'opened_at'],
    ['a moment that is none', { ...saved, opened_at: 'yesterday' }, 'opened_at'],
    ['a moment as a number', { ...saved, opened_at: 5 }, 'opened_at'],
    ['an unknown rule', { ...saved, opened_by: 'mood' }, 'opened_by'],
    ['no rule', { ...saved, opened_by: null }, 'opened_by'],
    ['a rule of all objects', { ...saved, opened_by: 'toString' }, 'opened_by'],
    ['half a probe', { ...saved, failed_probes: 1.5 }, 'failed_probes'],
    ['no count of probes', { ...saved, failed_probes: undefined }, 'failed_probes'],
    ['an operator who holds another state', { ...saved, forced: 'closed' }, 'forced'],
    ['an operator who holds it half-open', { ...saved, state: 'half_open', forced: 'half_open' }, 'forced'],
    ['a reason that is none', { ...saved, forced_reason: 5 }, 'forced_reason'],
  ])('is refused: %s', (_, json, option) => {
    expect(mistakeOf(() => restart(json, 1)).option).toBe(option);
  });

  it.each([
    ['version', { ...saved, version: 2 }, 'give what toJSON() of this version wrote'],
    ['state', { ...saved, state: 'ajar' }, "give 'closed', 'open' or 'half_open'"],
    ['forced', { ...saved, forced: 'closed' }, 'give null, or the state that an operator holds it in'],
    ['opened_at', { ...saved, opened_at: 'yesterday' }, 'give a date in ISO 8601'],
    [
      'opened_by',
      { ...saved, opened_by: 'mood' },
      'give one of consecutive_failures, failure_rate, slow_call_rate, budget, probe_failed, operator, fleet',
    ],
  ])('is refused with what to do about it: %s', (_, json, cure) => {
    expect(mistakeOf(() => restart(json, 1)).cure).toBe(cure);
  });
});
