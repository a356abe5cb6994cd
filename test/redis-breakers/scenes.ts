import { expect } from '@jest/globals';
import { changeText } from './support.js';
import { INTERVAL_MS, RECOVERY_MS, World, type Member, type Numbers } from './world.js';

export const KEY = 'relprim:circuit-breaker:payments';

/** Tests take as many as they have asked for. */
type Members = [Member, Member, Member];

/** Processes that have heard of each other, on clocks that are an hour apart. */
export async function worldOf(size: number, numbers: Partial<Numbers> = {}): Promise<[World, Members]> {
  const skewsMs = Array.from({ length: size }, (_none, at) => at * 3_600_000 - 1_800_000);
  const usual = { limit: 1, leaseMs: 1_000, quorum: 2, failureRate: undefined, skewsMs };
  const world = new World({ ...usual, ...numbers });
  await world.clock.advance(`${2 * INTERVAL_MS}ms`);
  return [world, world.members as Members];
}

export const pass = (world: World, intervals: number): Promise<void> =>
  world.clock.advance(`${intervals * INTERVAL_MS}ms`);

/** Two of them fail; they are open then, and so are all others that go with them. */
export async function openAll(world: World, members: readonly Member[] = world.members): Promise<void> {
  for (const member of members.slice(0, 2)) for (const _ of [1, 2]) await world.call(member, false);
  await pass(world, 2);
  for (const { breaker } of members) expect(breaker.snapshot().openedBy).toBe('fleet');
  for (const { transitions } of world.members) transitions.length = 0;
}

/** One of them finds the upstream well, and all that hear it close. */
export async function closeBy(world: World, member: Member): Promise<void> {
  await world.call(member, true);
  await world.clock.advance(`${RECOVERY_MS}ms`);
  expect(await world.call(member, true)).toBe(true);
  await pass(world, 2);
}

export const changesOf = ({ transitions }: Member): string[] => transitions.map(changeText);
