import { describe, expect, it } from '@jest/globals';
import type { ShieldProfileName } from '../../lib/index.js';
import { RetryBudget } from '../../lib/shield/retry-budget.js';
import { original, outcome, shielded, TooSlow } from './support.js';

function emptied(capacity: number, msForOne = Infinity): RetryBudget {
  const budget = new RetryBudget(capacity, msForOne);
  while (budget.take(0));
  return budget;
}

describe('the retry budget', () => {
  it('starts full, costs one unit a retry, and refuses when it is empty [S95, S96, S97]', () => {
    const budget = new RetryBudget(3, Infinity);
    expect(budget.left(0)).toBe(3);
    const took = [budget.take(0), budget.take(0), budget.take(0), budget.take(0)];
    expect(took).toEqual([true, true, true, false]);
    expect(budget.left(0)).toBe(0);
  });

  it('never holds more than its capacity [S98]', () => {
    const budget = new RetryBudget(5, Infinity);
    budget.take(0);
    budget.refund(3);
    expect(budget.left(0)).toBe(5);
  });

  it('gives nothing back for nothing [S99]', () => {
    const budget = emptied(5);
    budget.refund(0);
    budget.refund(-2);
    expect(budget.left(0)).toBe(0);
  });

  it('is even after five are taken and given back [S100]', () => {
    const budget = new RetryBudget(10, Infinity);
    for (let unit = 0; unit < 5; unit += 1) budget.take(0);
    budget.refund(5);
    expect(budget.left(0)).toBe(10);
  });

  it('lets five of ten takers win five units [S102]', async () => {
    const budget = new RetryBudget(5, Infinity);
    const took = await Promise.all(Array.from({ length: 10 }, async () => budget.take(0)));
    expect(took.filter((won) => won)).toHaveLength(5);
  });

  it('refills with time, and no further than its capacity', () => {
    const budget = emptied(10, 60_000);
    expect(budget.left(59_000)).toBeLessThan(1);
    expect(budget.take(61_000)).toBe(true);
    expect(budget.take(61_000)).toBe(false);
    expect(budget.left(10_000_000)).toBe(10);
  });

  it('gains nothing from a time at which it was full', () => {
    const budget = new RetryBudget(2, 1_000);
    for (const taken of [true, true, false]) expect(budget.take(1_000_000)).toBe(taken);
  });

  it('loses nothing when the time it is given goes back', () => {
    const budget = emptied(10, 1_000);
    expect(budget.left(5_000)).toBe(5);
    expect(budget.left(1_000)).toBe(5);
  });
});

/** Calls on a dependency that is dead: why each ended, how often it was tried, and what was left. */
async function deadCalls(profile: ShieldProfileName, calls: number): Promise<string[]> {
  const scene = original({ profile });
  const seen: string[] = [];
  for (let call = 0; call < calls; call += 1) {
    const error = await outcome(
      scene,
      scene.shield.run(async () => {
        throw new TooSlow('dead');
      }),
    );
    const [, reason, attempts] = /^shield: (.+) after (\d\/4) attempts/.exec(error.notes[0]) ?? [];
    seen.push(`${reason} ${attempts} ${scene.shield.snapshot().budget}`);
  }
  return seen;
}

describe('the budget of a dead dependency, as the original measured it', () => {
  it('api: six calls try four times, the seventh three times, then all once [S106]', async () => {
    const spent = [17, 14, 11, 8, 5, 2].map((left) => `attempts exhausted 4/4 ${left}`);
    expect(await deadCalls('api', 9)).toEqual([
      ...spent,
      'budget exhausted 3/4 0',
      'budget exhausted 1/4 0',
      'budget exhausted 1/4 0',
    ]);
  });

  it('internal: three calls try four times, the fourth twice, then all once', async () => {
    expect(await deadCalls('internal', 5)).toEqual([
      'attempts exhausted 4/4 7',
      'attempts exhausted 4/4 4',
      'attempts exhausted 4/4 1',
      'budget exhausted 2/4 0',
      'budget exhausted 1/4 0',
    ]);
  });

  it('slow: one call tries four times, the second three times, then all once', async () => {
    expect(await deadCalls('slow', 3)).toEqual([
      'attempts exhausted 4/4 2',
      'budget exhausted 3/4 0',
      'budget exhausted 1/4 0',
    ]);
  });
});

describe('the budget of a shield', () => {
  it('grows by one with a success that needed no retry [S103]', async () => {
    const scene = original();
    await outcome(
      scene,
      scene.shield.run(async () => Promise.reject(new TooSlow('slow'))),
    );
    expect(scene.shield.snapshot().budget).toBe(17);
    await outcome(
      scene,
      scene.shield.run(async () => 'up'),
    );
    expect(scene.shield.snapshot().budget).toBe(18);
  });

  it('is full again ten minutes after it was empty, without a success', async () => {
    const scene = shielded({ maxWait: 3_600 });
    for (let call = 0; call < 8; call += 1)
      await outcome(
        scene,
        scene.shield.run(async () => Promise.reject(new TooSlow('dead'))),
      );
    expect(scene.shield.snapshot().budget).toBeLessThan(4);
    await scene.clock.advance('10m');
    expect(scene.shield.snapshot().budget).toBe(20);
  });
});
