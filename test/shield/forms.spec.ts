import { describe, expect, it, jest } from '@jest/globals';
import * as relprim from '../../lib/index.js';
import { reportOf, resultOf, Shield } from '../../lib/index.js';
import { gives, listenersOf, rejects, thrown, Upstream } from '../operation/support.js';
import { outcome, shielded, TooSlow } from './support.js';

describe('shield.run(fn, ...args)', () => {
  it('passes the arguments and gives the value, of functions of any kind [S127, S128]', async () => {
    const scene = shielded();
    const { shield } = scene;
    expect(await shield.run(async (a: number, b: number) => a + b, 1, 2)).toBe(3);
    expect(await shield.run((text: string) => `${text}!`, 'up')).toBe('up!');
    expect(
      await shield.run(() => ({ then: (resolve: (value: string) => void) => resolve('thenable') })),
    ).toBe('thenable');
    expect(scene.clock.pendingTimers).toBe(0);
  });

  it('takes a function whose arguments are bound [S119, S122]', async () => {
    const { shield } = shielded();
    class Users {
      constructor(private readonly base: number) {}
      async read(id: number, more: number): Promise<number> {
        return this.base + id + more;
      }
    }
    const users = new Users(40);
    expect(await shield.run(users.read.bind(users, 1), 1)).toBe(42);
    expect(await shield.run(users.read.bind(users), 1, 1)).toBe(42);
  });

  it.each([[undefined], [null], ['name'], [{}], [Promise.resolve()]])('refuses %p at once', (fn) => {
    const { shield } = shielded();
    expect(thrown(() => shield.run(fn as unknown as () => void)).message).toContain('fn');
  });

  it('rejects with the error of a function that throws at once', async () => {
    const scene = shielded();
    const error = new RangeError('broken');
    const call = scene.shield.run(() => {
      throw error;
    });
    expect(await outcome(scene, call)).toBe(error);
    expect(reportOf(error)?.metadata).toMatchObject({
      shield_name: 'github',
      shield_gave_up: 'non_retryable',
    });
  });

  it('gives its account to resultOf, named by the function, or by the shield where that has no name', async () => {
    const { shield } = shielded();
    async function visit(): Promise<string> {
      return 'up';
    }
    const named = await resultOf(shield.run(visit));
    expect([named.value, named.report.operationName]).toEqual(['up', 'visit']);
    expect((await resultOf(shield.run(async () => 'up'))).report.operationName).toBe('github');
  });

  it('ends at once with the reason of the caller who goes away, and leaves nothing behind', async () => {
    const { shield, clock } = shielded();
    const abort = new AbortController();
    const call = resultOf(() => shield.run(() => new Promise(() => undefined)), { signal: abort.signal });
    call.catch(() => undefined);
    await clock.advance(1);
    abort.abort('gone');
    await expect(call).rejects.toBe('gone');
    expect([clock.pendingTimers, listenersOf(abort.signal)]).toEqual([0, 0]);
  });

  it('keeps no function that was run once', async () => {
    const { shield } = shielded();
    for (let call = 0; call < 1_000; call += 1) await shield.run(async () => call);
    expect(shield.snapshot().samples).toBe(32);
  });
});

describe('shield.protect(fn)', () => {
  it('is the same function otherwise: name, length and `this` [S112]', async () => {
    const { shield } = shielded();
    async function read(this: { base: number }, id: number, _more?: string): Promise<number> {
      return this.base + id;
    }
    const safe = shield.protect(read);
    expect([safe.name, safe.length]).toEqual(['read', 2]);
    expect(await safe.call({ base: 40 }, 2)).toBe(42);
    expect(() => new (safe as unknown as new () => object)()).toThrow(TypeError);
  });

  it('has one shield for all its calls, and for those of other functions [S104, S115]', async () => {
    const scene = shielded();
    const upstream = new Upstream(rejects(new TooSlow('slow')));
    const [one, other] = [scene.shield.protect(upstream.call), scene.shield.protect(async () => 'up')];
    await outcome(scene, one());
    expect(scene.shield.snapshot()).toMatchObject({ engaged: true, budget: 17 });
    await outcome(scene, other());
    expect(scene.shield.snapshot().budget).toBe(18);
  });

  it.each([[undefined], ['name'], [{}]])('refuses %p at once', (fn) => {
    expect(thrown(() => shielded().shield.protect(fn as never)).message).toContain('fn');
  });
});

describe('a shield', () => {
  it('is exported with all that belongs to it [S153]', () => {
    expect(Object.keys(relprim)).toEqual(
      expect.arrayContaining([
        'ConcurrencyLimit',
        'ConcurrencyLimitError',
        'InMemoryCache',
        'Shield',
        'Shielded',
        'ShieldLimitedError',
      ]),
    );
  });

  it('goes by the clock of the machine unless it is told otherwise', async () => {
    const shield = Shield.internal('github', { env: false });
    expect(await shield.run(async () => 'up')).toBe('up');
    expect(shield.snapshot().p50Seconds).toBeLessThan(1);
  });

  it('inside another one retries what that gave up, within the budget of each', async () => {
    const scene = shielded();
    const inner = Shield.internal('inner', { clock: scene.clock, random: () => 0, env: false });
    const upstream = new Upstream(rejects(new TooSlow('slow')));
    const error = await outcome(
      scene,
      scene.shield.run(() => inner.run(upstream.call)),
    );
    expect(upstream.calls).toHaveLength(4 + 4 + 4 + 2);
    expect([inner.snapshot().budget, scene.shield.snapshot().budget]).toEqual([0, 17]);
    expect(error.notes).toHaveLength(5);
    expect(scene.clock.pendingTimers).toBe(0);
  });

  it('does not sleep for a delay of zero, and does for less than a second [S124, S133]', async () => {
    const times: number[][] = [];
    for (const random of [0, 0.5]) {
      const scene = shielded({ profile: 'internal', random: () => random });
      const upstream = new Upstream(rejects(new TooSlow('slow')), gives('up'));
      const setTimer = jest.spyOn(scene.clock, 'setTimer');
      await outcome(scene, scene.shield.run(upstream.call));
      const waits = setTimer.mock.calls.map(([, delayMs]) => delayMs).filter((delayMs) => delayMs === 250);
      times.push([scene.clock.monotonicMs(), waits.length]);
    }
    // What passed without a sleep was the wait for admission.
    expect(times).toEqual([
      [expect.closeTo(14.285714, 6), 0],
      [250, 1],
    ]);
  });
});
