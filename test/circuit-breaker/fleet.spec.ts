import { describe, expect, it, jest } from '@jest/globals';
import { CircuitBreaker, type CircuitBreakerOptions } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { play, statesOf, withRules } from './scenes.js';
import { beginCall, refusedCall, setUp, setUpProbeDue } from './support.js';

/** What a breaker sees of the processes that it shares its state with, in a test's hands. */
function shared(options: CircuitBreakerOptions = {}) {
  const scene = setUp(options);
  const fleet = { leaseMs: 0, wanted: 0 };
  scene.breaker.join({
    leaseRestMs: () => fleet.leaseMs,
    wantProbe: () => void (fleet.wanted += 1),
  });
  return { ...scene, fleet };
}

describe('a breaker that its fleet has opened', () => {
  it('is open for as long as they say, and tells so', async () => {
    const { clock, breaker, fleet } = shared();
    const told = jest.fn();
    breaker.onTransition(told);
    await clock.advance(1);
    breaker.openByFleet(7_000, 2);
    expect(told.mock.calls).toEqual([
      [expect.objectContaining({ from: 'closed', to: 'open', by: 'fleet', openedBy: 'fleet' })],
    ]);
    expect(breaker.snapshot()).toMatchObject({
      state: 'open',
      openedBy: 'fleet',
      openedAt: new Date('2026-01-01T00:00:01Z'),
      recoveryTimeoutSeconds: 7,
      retryAfterSeconds: 7,
      probeDue: false,
      shared: true,
    });
    expect(breaker.toJSON()).toMatchObject({ opened_by: 'fleet', failed_probes: 2 });
    const { error } = await refusedCall(breaker);
    expect(error).toMatchObject({ state: 'open', reason: 'fleet', retryAfterSeconds: 7 });
    expect(fleet.wanted).toBe(1);
  });

  it('keeps what it knew of an opening of its own, and when that was', async () => {
    const { clock, breaker } = shared();
    const told = jest.fn();
    await play(breaker, 'FF');
    breaker.onTransition(told);
    await clock.advance(2);
    breaker.openByFleet(20_000, 0);
    expect(told).not.toHaveBeenCalled();
    expect(breaker.snapshot()).toMatchObject({ openedBy: 'fleet', retryAfterSeconds: 20 });
    const { details } = (await refusedCall(breaker)).error;
    expect(details).toMatchObject({
      openedBy: 'fleet',
      openedAt: new Date('2026-01-01T00:00:00Z'),
      failures: 2,
    });
  });

  it('waits for its turn to probe, however long that takes', async () => {
    const { clock, breaker, fleet } = shared();
    breaker.openByFleet(7_000, 0);
    await clock.advance('1h');
    expect(breaker.snapshot()).toMatchObject({ state: 'open', probeDue: false, retryAfterSeconds: null });
    const { error, calls } = await refusedCall(breaker);
    expect(calls).toBe(0);
    expect(error).toMatchObject({ state: 'half_open', reason: 'probes_busy', retryAfterSeconds: null });
    expect(fleet.wanted).toBe(1);
    fleet.leaseMs = 500;
    expect(breaker.snapshot().probeDue).toBe(true);
    expect(await statesOf(breaker, 'S')).toBe('c');
  });

  it('probes one call at a time, whatever its own limit is', async () => {
    const { clock, breaker, fleet } = shared({ probes: { concurrent: 5, successes: 2 } });
    breaker.openByFleet(1_000, 0);
    await clock.advance(1);
    fleet.leaseMs = 5_000;
    const probe = beginCall(breaker);
    expect(breaker.snapshot()).toMatchObject({ probesInFlight: 1, retryAfterSeconds: null });
    expect((await refusedCall(breaker)).calls).toBe(0);
    probe.resolve('up');
    await probe.outcome;
    expect(await statesOf(breaker, 'S')).toBe('c');
  });

  it('probes with all calls that come, where it has no limit of its own', async () => {
    const { clock, breaker, fleet } = shared({ probes: { concurrent: Infinity, successes: 3 } });
    breaker.openByFleet(1_000, 0);
    await clock.advance(1);
    fleet.leaseMs = 5_000;
    expect(await statesOf(breaker, 'SSS')).toBe('hhc');
    breaker.openByFleet(1_000, 0);
    await clock.advance(1);
    for (let probe = 0; probe < 3; probe += 1) beginCall(breaker);
    expect(breaker.snapshot()).toMatchObject({ state: 'half_open', probesInFlight: 3 });
  });

  it('gives its probe no more time than it has been lent', async () => {
    const { clock, breaker, fleet } = shared({ probes: { lease: '8s' } });
    breaker.openByFleet(1_000, 0);
    await clock.advance(1);
    fleet.leaseMs = 3_000;
    beginCall(breaker);
    expect(breaker.isProbing).toBe(true);
    await clock.advance(3);
    expect(breaker.isProbing).toBe(true);
    await clock.advance('1ms');
    expect(breaker.isProbing).toBe(false);
  });

  it.each(['S', 'F'])('learns nothing from a probe that ends when its turn is over: %s', async (end) => {
    const { clock, breaker, fleet } = shared();
    breaker.openByFleet(1_000, 0);
    await clock.advance(1);
    fleet.leaseMs = 5_000;
    const probe = beginCall(breaker);
    fleet.leaseMs = 0;
    if (end === 'S') probe.resolve('up');
    else probe.reject(new Error('down'));
    await Promise.allSettled([probe.outcome]);
    expect(breaker.snapshot()).toMatchObject({
      state: 'half_open',
      probesInFlight: 0,
      retryAfterSeconds: null,
    });
  });

  it('begins each further time of theirs anew', async () => {
    const { clock, breaker } = shared();
    breaker.openByFleet(7_000, 0);
    await clock.advance(4);
    breaker.openByFleet(9_000, 1);
    expect(breaker.snapshot()).toMatchObject({ retryAfterSeconds: 9, recoveryTimeoutSeconds: 9 });
  });

  it('stays as an operator wants it, and asks for no probe', async () => {
    const { breaker, fleet } = shared();
    breaker.forceClosed('an important night');
    breaker.openByFleet(7_000, 0);
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', openedBy: null });
    expect(breaker.isFleetOpen).toBe(false);
    breaker.openByFleet(7_000, 0);
    breaker.forceOpen('migration');
    expect(breaker.isFleetOpen).toBe(false);
    breaker.closeByFleet();
    expect(breaker.snapshot()).toMatchObject({ state: 'open', openedBy: 'operator' });
    await refusedCall(breaker);
    expect(fleet.wanted).toBe(0);
  });

  it('stays as an operator wanted it before a restart', () => {
    const opened = { state: 'open', opened_at: '2026-01-01T00:00:00Z', opened_by: 'fleet' } as const;
    const held = { forced: 'open', forced_reason: 'migration' } as const;
    const json = { version: 1, name: 'payments', failed_probes: 0, ...opened, ...held } as const;
    const breaker = CircuitBreaker.restore(json, { clock: new FakeClock() });
    breaker.closeByFleet();
    expect(breaker.snapshot()).toMatchObject({ state: 'open', forced: 'open' });
  });

  it('is nobody’s but its own when an operator has reset it', async () => {
    const { clock, breaker } = shared();
    breaker.openByFleet(7_000, 0);
    expect([breaker.isFleetOpen, breaker.isForced]).toEqual([true, false]);
    breaker.reset();
    expect([breaker.isFleetOpen, breaker.isForced]).toEqual([false, false]);
    await play(breaker, 'FF');
    await clock.advance(10);
    expect(breaker.snapshot().probeDue).toBe(true);
    breaker.forceOpen('migration');
    expect(breaker.isForced).toBe(true);
  });
});

describe('a breaker that its fleet closes', () => {
  it('is closed, tells so, and begins to count anew', async () => {
    const { clock, breaker } = shared();
    await play(breaker, 'F');
    breaker.openByFleet(7_000, 3);
    await clock.advance(2);
    const told = jest.fn();
    breaker.onTransition(told);
    breaker.closeByFleet();
    expect(told.mock.calls).toEqual([
      [expect.objectContaining({ from: 'open', to: 'closed', by: 'fleet', openedBy: null })],
    ]);
    expect(breaker.snapshot()).toMatchObject({
      state: 'closed',
      failureCount: 0,
      recoveryTimeoutSeconds: 10,
    });
    expect(breaker.isFleetOpen).toBe(false);
    expect(breaker.toJSON().failed_probes).toBe(0);
  });

  it('does not close what it has opened by itself', async () => {
    const { breaker } = shared();
    await play(breaker, 'FF');
    breaker.closeByFleet();
    expect(breaker.snapshot()).toMatchObject({ state: 'open', openedBy: 'consecutive_failures' });
  });

  it('closes what they had opened before they were out of reach', () => {
    const { breaker } = shared();
    breaker.openByFleet(7_000, 0);
    breaker.join(undefined);
    expect(breaker.snapshot()).toMatchObject({ state: 'open', openedBy: 'fleet', shared: false });
    breaker.closeByFleet();
    expect(breaker.state).toBe('closed');
  });

  it('changes nothing, and tells nothing, where it is closed', () => {
    const { breaker } = shared();
    const told = jest.fn();
    breaker.onTransition(told);
    breaker.closeByFleet();
    expect(breaker.state).toBe('closed');
    expect(told).not.toHaveBeenCalled();
  });

  it('waits for its budget all the same, and then needs no probe', async () => {
    const { clock, breaker } = shared({ budget: { limit: 10, per: '60s' } });
    await play(breaker, 'F');
    breaker.openByFleet(7_000, 3);
    breaker.spend(10);
    breaker.closeByFleet();
    expect(breaker.snapshot()).toMatchObject({
      state: 'open',
      openedBy: 'budget',
      failureCount: 0,
      retryAfterSeconds: 61,
    });
    expect(breaker.isFleetOpen).toBe(false);
    expect(breaker.toJSON()).toMatchObject({ state: 'open', opened_by: 'budget', failed_probes: 0 });
    await clock.advance(61);
    beginCall(breaker);
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', probesInFlight: 0 });
  });
});

describe('a breaker out of reach of its fleet', () => {
  it('probes by itself when the time they gave it is over', async () => {
    const { clock, breaker } = shared();
    breaker.openByFleet(7_000, 0);
    breaker.join(undefined);
    await clock.advance('6999ms');
    await play(breaker, 'R');
    await clock.advance('1ms');
    expect(await statesOf(breaker, 'S')).toBe('c');
  });

  it('decides for itself until it is back, and then goes on with what they decided', () => {
    const { breaker } = shared();
    const others = { leaseRestMs: () => 0, wantProbe: () => undefined };
    breaker.openByFleet(7_000, 0);
    breaker.join(others);
    expect(breaker.isFleetOpen).toBe(true);
    breaker.join(undefined);
    expect(breaker.isFleetOpen).toBe(false);
  });

  it('says that it is not shared, which one that never was does not', () => {
    expect(setUp().breaker.snapshot().shared).toBeNull();
    const { breaker } = shared();
    expect(breaker.snapshot().shared).toBe(true);
    breaker.join(undefined);
    expect(breaker.snapshot().shared).toBe(false);
  });
});

describe('the word of a breaker to its fleet', () => {
  it('is of its settings alone while nothing has happened', () => {
    expect(setUp().breaker.word()).toEqual({
      votesOpen: false,
      calls: 0,
      failures: 0,
      failureRate: 0,
      minimumCalls: 0,
      openForMs: undefined,
      failedProbes: 0,
      recovery: { initialMs: 10_000, factor: 1, maxMs: 10_000, jitter: 0 },
      chance: 0,
      leaseMs: 10_000,
      concurrentProbes: 1,
    });
  });

  it('has what its window has counted, beside any other rule', async () => {
    const { breaker } = withRules({
      failureThreshold: 9,
      failureRate: 0.75,
      minimumCalls: 20,
      window: 20,
      probes: { lease: '3s', concurrent: Infinity },
    });
    await play(breaker, 'FFSFSSF');
    expect(breaker.word()).toMatchObject({
      votesOpen: false,
      calls: 7,
      failures: 4,
      failureRate: 0.75,
      minimumCalls: 20,
      leaseMs: 3_000,
      concurrentProbes: 1_000_000,
    });
  });

  it('is a vote for open while it has opened it by itself', async () => {
    const { clock, breaker } = await setUpProbeDue();
    expect(breaker.word()).toMatchObject({ votesOpen: true, openForMs: undefined });
    await play(breaker, 'F');
    expect(breaker.word()).toMatchObject({ votesOpen: true, failedProbes: 1 });
    await clock.advance(10);
    beginCall(breaker);
    expect([breaker.state, breaker.word().votesOpen]).toEqual(['half_open', true]);
  });

  it('is no vote where an operator, the budget or they have opened it', () => {
    const forced = shared().breaker;
    forced.forceOpen('migration');
    const poor = shared({ budget: { limit: 1, per: '60s' } }).breaker;
    poor.spend(1);
    const led = shared().breaker;
    led.openByFleet(7_000, 0);
    led.join(undefined);
    for (const breaker of [forced, poor, led]) {
      expect([breaker.state, breaker.word().votesOpen]).toEqual(['open', false]);
    }
  });

  it('says what is left of the time that they have opened it for, and no less than nothing', async () => {
    const { clock, breaker } = shared();
    breaker.openByFleet(7_000, 4);
    await clock.advance(3);
    expect(breaker.word()).toMatchObject({ openForMs: 4_000, failedProbes: 4 });
    await clock.advance(30);
    expect(breaker.word().openForMs).toBe(0);
    breaker.closeByFleet();
    expect(breaker.word().openForMs).toBeUndefined();
  });

  it('draws where in the jitter the next recovery time is to be', () => {
    const recoveryTimeout = { initial: 10, max: 60, jitter: 0.5 };
    const { breaker } = shared({ recoveryTimeout, random: () => 0.25 });
    expect(breaker.word()).toMatchObject({
      chance: 0.25,
      recovery: { initialMs: 10_000, factor: 2, maxMs: 60_000, jitter: 0.5 },
    });
  });
});
