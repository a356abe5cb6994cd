import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LOST, type Fate } from './fake-redis.js';
import { changeText } from './support.js';
import { INTERVAL_MS, LONGEST_MS, World, type Member, type Numbers } from './world.js';

/** `RELPRIM_SLOW=1` tries more of them, each time others; a failure prints the seed. */
const isSlow = process.env['RELPRIM_SLOW'] === '1';
const runs = (few: number) => (isSlow ? { numRuns: few * 20 } : { numRuns: few, seed: 20260112 });

/** All that can happen to a breaker that is shared. */
const LEGAL = [
  'closed to open by call',
  'closed to open by fleet',
  'half_open to closed by call',
  'half_open to closed by fleet',
  'half_open to open by call',
  'half_open to open by fleet',
  'open to closed by fleet',
  'open to half_open by call',
  ...['closed', 'half_open', 'open'].flatMap((from) => [
    `${from} to closed by operator`,
    `${from} to open by operator`,
  ]),
].sort();

const HOUR_MS = 3_600_000;
const numbers: fc.Arbitrary<Numbers> = fc.record({
  limit: fc.constantFrom(1, 1, 2),
  leaseMs: fc.constantFrom(150, 400, 1_000),
  quorum: fc.constantFrom(1, 2, 2),
  failureRate: fc.constantFrom(undefined, 0.5),
  isGrowing: fc.boolean(),
  skewsMs: fc.array(fc.integer({ min: -HOUR_MS, max: HOUR_MS }), { minLength: 2, maxLength: 4 }),
});

const quick = fc.record({ thereMs: fc.nat(5), backMs: fc.nat(5) });
const slow = fc.record({ thereMs: fc.nat(90), backMs: fc.nat(90) });
const late = fc.record({ thereMs: fc.nat(400), backMs: fc.nat(400), againMs: fc.nat(400) });
const half = fc.record({ thereMs: fc.nat(150), backMs: fc.constant(undefined) });
const fate: fc.Arbitrary<Fate> = fc.oneof(
  { weight: 10, arbitrary: quick },
  { weight: 3, arbitrary: slow },
  { weight: 2, arbitrary: late },
  { weight: 1, arbitrary: half },
  { weight: 1, arbitrary: fc.constant(LOST) },
);
const fates = fc.oneof(
  fc.array(quick, { minLength: 1, maxLength: 5 }),
  fc.array(fate, { minLength: 7, maxLength: 60 }),
);

const who = fc.nat(3);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('call' as const), who, isGood: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('fail' as const), who }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('begin' as const), who }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('settle' as const), at: fc.nat(5), isGood: fc.boolean() }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1, 30, 120, 360) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cut' as const), who, isCut: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('order' as const),
      who,
      order: fc.constantFrom('open', 'open', 'closed', 'reset', 'reset', 'reset'),
    }),
  },
);
/** What happens to the server: it loses everything, or its clock is set back. */
const ofServer = fc.oneof(
  fc.record({ kind: fc.constant('loss' as const) }),
  fc.record({ kind: fc.constant('set' as const), ms: fc.constantFrom(-40, -HOUR_MS) }),
);
const anyStep = fc.oneof({ weight: 40, arbitrary: step }, { weight: 1, arbitrary: ofServer });
type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never;

async function take(world: World, one: Step): Promise<void> {
  const at = (index: number): Member => world.members[index % world.members.length] as Member;
  if (one.kind === 'call') await world.call(at(one.who), one.isGood);
  else if (one.kind === 'fail') for (const _ of [1, 2]) await world.call(at(one.who), false);
  else if (one.kind === 'begin') await world.begin(at(one.who));
  else if (one.kind === 'wait') await world.clock.advance(`${one.ms}ms`);
  else if (one.kind === 'cut') at(one.who).isCut = one.isCut;
  else if (one.kind === 'order') obey(at(one.who), one.order);
  else if (one.kind === 'loss') world.redis.loseAll();
  else if (one.kind === 'set') world.redis.setClock(one.ms);
  else {
    const call = world.calls[one.at];
    if (call !== undefined) await world.settle(call, one.isGood);
  }
}

function obey({ breaker }: Member, order: string): void {
  if (order === 'open') breaker.forceOpen('maintenance');
  else if (order === 'closed') breaker.forceClosed();
  else breaker.reset();
  expect(breaker.state).toBe(order === 'open' ? 'open' : 'closed');
}

/** The upstream is well again, the network too, and calls come; those that hang go on hanging. */
async function findTheirWayBack(world: World): Promise<void> {
  world.fates = [{ thereMs: 1, backMs: 1 }];
  for (const member of world.members) {
    member.isCut = false;
    if (member.breaker.snapshot().forced !== null) member.breaker.reset();
  }
  const isBack = (): boolean => world.members.every(({ breaker }) => breaker.state === 'closed');
  for (let waits = 0; !isBack(); waits += 1) {
    // The longest lease, a recovery time, and some intervals to tell of it.
    expect(waits * 50).toBeLessThan(3 * (1_000 + LONGEST_MS + 4 * INTERVAL_MS));
    for (const member of world.members) await world.call(member, true);
    await world.clock.advance('50ms');
  }
}

function checkLegal({ members }: World, seen: Map<string, number>): void {
  for (const { transitions } of members) {
    let state = 'closed';
    let isHeld = false;
    for (const transition of transitions) {
      const change = changeText(transition);
      expect(LEGAL).toContain(change);
      expect(transition.from).toBe(state);
      // Nobody but an operator moves what an operator holds.
      if (isHeld) expect(transition.by).toBe('operator');
      isHeld = transition.forced;
      state = transition.to;
      seen.set(change, (seen.get(change) ?? 0) + 1);
    }
  }
}

describe('shared circuit breakers whose messages are late, lost, doubled and overtaken, on clocks that are hours apart', () => {
  it('keep the limit of probes, change as they may, let old results be, and find their way back', async () => {
    const seen = new Map<string, number>();
    const probes = { all: 0, atLimit: 0 };
    const property = fc.asyncProperty(
      numbers,
      fates,
      fc.array(anyStep, { minLength: 20, maxLength: 120 }),
      async (of, messages, steps) => {
        const world = new World(of);
        await world.clock.advance('30ms');
        world.fates = messages;
        for (const one of steps) await take(world, one);
        await findTheirWayBack(world);
        checkLegal(world, seen);
        probes.all += world.probes;
        if (world.mostProbes === of.limit) probes.atLimit += 1;
        await world.stop();
        await world.clock.advance('1s');
        expect(world.clock.pendingTimers).toBe(0);
      },
    );
    await fc.assert(property, runs(300));
    // A test that hardly ever moves the breakers would prove nothing.
    expect([...seen.keys()].sort()).toEqual(LEGAL);
    expect(Math.min(...seen.values())).toBeGreaterThan(2);
    expect(probes.atLimit).toBeGreaterThan(50);
  }, 600_000);

  it('behave as if they were not shared while nobody is heard', async () => {
    let changes = 0;
    const property = fc.asyncProperty(
      numbers,
      fc.array(step, { minLength: 20, maxLength: 80 }),
      async (of, steps) => {
        const [skewMs = 0] = of.skewsMs;
        const world = new World({ ...of, skewsMs: [skewMs] }, true);
        const unshared = new World({ ...of, skewsMs: [skewMs] }, true);
        void unshared.members[0]?.shared.stop();
        for (const one of steps) {
          for (const each of [world, unshared]) if (one.kind !== 'cut') await take(each, one);
          const [a, b] = [world, unshared].map(({ members: [member] }) => member as Member) as [
            Member,
            Member,
          ];
          expect(a.breaker.snapshot()).toEqual({
            ...b.breaker.snapshot(),
            shared: a.breaker.snapshot().shared,
          });
          expect(a.transitions).toEqual(b.transitions);
        }
        changes += world.members[0]!.transitions.length;
        await world.stop();
      },
    );
    await fc.assert(property, runs(150));
    expect(changes).toBeGreaterThan(100);
  }, 600_000);
});
