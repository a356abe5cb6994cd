import { describe, expect, it } from '@jest/globals';
import { IdempotencyPolicy, InMemoryIdempotencyStore } from '../../lib/index.js';
import { keyedPlan } from '../../lib/operation/keyed/keyed-plan.js';
import type { Plan } from '../../lib/operation/plan.js';
import { FakeClock } from '../../lib/testing/index.js';
import { heldBytes, MEGABYTE } from '../operation/memory.js';
import { gives } from '../operation/support.js';
import { ELSEWHERE } from './remote-store.js';
import { keyed } from './support.js';

/** How many keys of a store this process is busy with. */
function flightsOf(store: InMemoryIdempotencyStore): number {
  const policy = new IdempotencyPolicy({ key: () => 'k', store });
  return keyedPlan('any', policy, {} as Plan).spaceFor(undefined).flights.size;
}

/** How many outcomes are in it, expired ones too. */
function entriesOf(store: InMemoryIdempotencyStore): number {
  return (store as unknown as { entries: Map<string, unknown> }).entries.size;
}

describe('a hundred thousand keys', () => {
  it('are in flight no longer than their calls [R172]', async () => {
    // B176
    const store = new InMemoryIdempotencyStore({ maxEntries: 1 });
    const { run, clock } = keyed(gives(1), { store, ttl: '1ms' });
    for (let round = 0; round < 100; round += 1) {
      const calls = Array.from({ length: 1_000 }, (_, key) => run(`${round} ${key}`));
      if (round === 0) expect(flightsOf(store)).toBe(1_000);
      await Promise.all(calls);
    }
    expect([flightsOf(store), store.entryCount(), clock.pendingTimers]).toEqual([0, 1, 0]);
  });
});

/** Works with so many keys, one after the other, and keeps what comes of each. */
function fill(store: InMemoryIdempotencyStore, clock: FakeClock, from: number, to: number): void {
  for (let key = from; key < to; key += 1) {
    const claim = store.claim(`key ${key}`, { fingerprint: undefined, clock, waits: true });
    if (claim.state !== 'owned') throw new Error(`key ${key} is known`);
    void claim.complete({ value: { key }, report: ELSEWHERE }, 60);
  }
}

describe('a million keys', () => {
  it('take no more memory than the most that are kept, and no timer', async () => {
    const store = new InMemoryIdempotencyStore({ maxEntries: 10_000 });
    const clock = new FakeClock();
    fill(store, clock, 0, 100_000);
    const before = await heldBytes();
    fill(store, clock, 100_000, 1_000_000);
    expect((await heldBytes()) - before).toBeLessThan(2 * MEGABYTE);
    expect([store.entryCount(), store.evictedCount, clock.pendingTimers]).toEqual([10_000, 990_000, 0]);
  }, 60_000);

  it('take no more memory than those that have not expired, where more could be kept', async () => {
    const store = new InMemoryIdempotencyStore({ maxEntries: 1_000_000 });
    const clock = new FakeClock();
    let most = 0;
    for (let second = 0; second < 1_000; second += 1) {
      fill(store, clock, second * 100, (second + 1) * 100);
      most = Math.max(most, entriesOf(store));
      await clock.advance('1s');
    }
    // 60 s of 100 keys each are alive at a time.
    expect(most).toBeLessThan(2 * 60 * 100);
    expect([store.entryCount(), store.evictedCount]).toEqual([59 * 100, 0]);
  });

  it('cost hardly more each where many are kept than where few are', () => {
    const cost = (maxEntries: number): number => {
      const store = new InMemoryIdempotencyStore({ maxEntries });
      const clock = new FakeClock();
      fill(store, clock, 0, 2 * maxEntries);
      const start = process.cpuUsage();
      fill(store, clock, 2 * maxEntries, 2 * maxEntries + 30_000);
      const { user, system } = process.cpuUsage(start);
      return user + system;
    };
    // The least of several: whatever else the machine does only adds to it.
    const least = (maxEntries: number) => Math.min(...[1, 2, 3].map(() => cost(maxEntries)));
    least(100);
    expect(least(20_000) / least(100)).toBeLessThan(8);
  }, 60_000);
});
