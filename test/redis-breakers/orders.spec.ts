import { describe, expect, it } from '@jest/globals';
import { BROKEN, AT_ONCE } from './fake-redis.js';
import { INTERVAL_MS, RECOVERY_MS } from './world.js';
import { changesOf, KEY, openAll, pass, worldOf } from './scenes.js';

describe('an order of an operator', () => {
  it('to reset closes the breaker for all, and it stays closed', async () => {
    const [world, [a, b, c]] = await worldOf(3);
    await openAll(world);
    c.breaker.reset('the bank is back');
    await pass(world, 10);
    expect([a, b, c].map(({ breaker }) => breaker.state)).toEqual(['closed', 'closed', 'closed']);
    expect([a, b, c].map(changesOf)).toEqual([
      ['open to closed by fleet'],
      ['open to closed by fleet'],
      ['open to closed by operator'],
    ]);
  });

  it('to reset is told until the others have heard it', async () => {
    const [world, [a, b]] = await worldOf(2);
    await openAll(world);
    world.fates = [BROKEN];
    b.breaker.reset();
    await pass(world, 0.6);
    expect([a.breaker.state, b.breaker.state]).toEqual(['open', 'closed']);
    world.fates = [AT_ONCE];
    await pass(world, 2);
    expect([changesOf(a), changesOf(b)]).toEqual([
      ['open to closed by fleet'],
      ['open to closed by operator'],
    ]);
  });

  it('to reset counts, too, where a bad probe had opened it anew before it came', async () => {
    const [world, [a, b]] = await worldOf(2);
    await openAll(world);
    await world.call(a, true);
    await world.clock.advance(`${RECOVERY_MS}ms`);
    await world.call(a, false);
    const { epoch } = world.redis.fleet(KEY);
    // Heard by the server, and not yet by the other one.
    for (let waits = 0; world.redis.fleet(KEY).epoch === epoch; waits += 1) {
      expect(waits).toBeLessThan(INTERVAL_MS);
      await world.clock.advance('1ms');
    }
    b.breaker.reset();
    await pass(world, 4);
    expect([a, b].map(({ breaker }) => breaker.state)).toEqual(['closed', 'closed']);
    expect(changesOf(b)).toEqual(['open to closed by operator']);
  });

  it('to reset does not close what has opened since, though its answer was lost and it is told again', async () => {
    const [world, [a, b, c]] = await worldOf(3);
    await openAll(world);
    // The server hears it, and the answer is lost.
    world.fates = [{ thereMs: 0, backMs: undefined, brokenMs: 5 }];
    c.breaker.reset();
    await world.clock.advance('12ms');
    expect(world.redis.fleet(KEY).openUntilMs).toBeUndefined();
    c.isCut = true;
    world.fates = [AT_ONCE];
    await pass(world, 1);
    for (const member of [a, b]) for (const _ of [1, 2]) await world.call(member, false);
    await pass(world, 1);
    const { epoch } = world.redis.fleet(KEY);
    c.isCut = false;
    await pass(world, 6);
    expect(world.redis.fleet(KEY)).toMatchObject({ epoch });
    expect([a, b, c].map(({ breaker }) => breaker.state)).toEqual(['open', 'open', 'open']);
    expect(changesOf(c)).toEqual(['open to closed by operator', 'closed to open by fleet']);
  });

  it('to reset a breaker that was held lets go of it: it goes with the others again', async () => {
    const [world, [a, b, c]] = await worldOf(3);
    c.breaker.forceClosed('we need it');
    await openAll(world, [a, b]);
    c.breaker.reset();
    await pass(world, 2);
    expect([a, b, c].map(({ breaker }) => breaker.state)).toEqual(['open', 'open', 'open']);
    // Once more, it is an order like any other.
    c.breaker.reset();
    await pass(world, 2);
    expect([a, b, c].map(({ breaker }) => breaker.state)).toEqual(['closed', 'closed', 'closed']);
  });

  it('to reset, given out of reach, is told when the others are back, unless the breaker has moved since', async () => {
    const [world, [a, b, c]] = await worldOf(3);
    await openAll(world);
    b.isCut = c.isCut = true;
    await pass(world, 2);
    b.breaker.reset();
    c.breaker.reset();
    for (const _ of [1, 2]) await world.call(c, false);
    c.isCut = false;
    await pass(world, 1.5);
    expect([a.breaker.state, c.breaker.state]).toEqual(['open', 'open']);
    b.isCut = false;
    await pass(world, 4);
    expect([a, b, c].map(({ breaker }) => breaker.state)).toEqual(['closed', 'closed', 'closed']);
  });

  it('to force holds here alone, whatever the others come to, and leaves them alone', async () => {
    const [world, [a, b, c]] = await worldOf(3);
    c.breaker.forceOpen('maintenance');
    await pass(world, 4);
    expect([a, b].map(({ breaker }) => breaker.state)).toEqual(['closed', 'closed']);
    await openAll(world, [a, b]);
    a.breaker.reset();
    await pass(world, 4);
    expect([a, b, c].map(({ breaker }) => breaker.state)).toEqual(['closed', 'closed', 'open']);
    expect(c.breaker.snapshot().forced).toBe('open');
  });
});
