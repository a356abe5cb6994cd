import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { LEAVE, SYNC } from '../../lib/adapters/redis/breaker-scripts.js';
import { RedisServer } from '../redis/redis-server.js';
import { describeWithRedis } from '../redis/support.js';
import { FleetTwin, messageOf } from './fleet-twin.js';

const isSlow = process.env['RELPRIM_SLOW'] === '1';
const RUNS = isSlow ? { numRuns: 5_000 } : { numRuns: 200, seed: 20260111 };
const TIMEOUT_MS = isSlow ? 1_800_000 : 60_000;

/** The script with a time that the test gives, as two more arguments. */
const source = (SYNC as unknown as { source: string }).source;
const TIMED = source.replace("redis.call('TIME')", '{ARGV[22], ARGV[23]}');

type Step =
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'leave'; readonly replica: string }
  | { readonly kind: 'flush' }
  | {
      readonly kind: 'sync';
      readonly args: readonly (string | number)[];
      readonly back: number;
      readonly late: boolean;
    };

const replica = fc.constantFrom('a', 'b', 'c-1');
const sync = fc
  .record({
    replica,
    wordMs: fc.constantFrom(200, 400),
    /** How much older than the present one the epoch is that it goes by. */
    back: fc.constantFrom(0, 0, 0, 0, 0, 0, 1, 2, -1),
    vote: fc.constantFrom(0, 0, 1),
    counts: fc.constantFrom([0, 0], [5, 2], [5, 5], [20, 1], [10, 4], [3, 0]),
    quorum: fc.constantFrom(1, 2, 2, 3),
    failureRate: fc.constantFrom(0, 0.4, 0.5, 1),
    minimumCalls: fc.constantFrom(1, 10, 20),
    recovery: fc.constantFrom([1, 1, 1, 0], [100, 1, 100, 0], [150, 2, 700, 0], [40, 1.5, 100, 0.5]),
    chance: fc.constantFrom(0, 0.25, 0.999),
    known: fc.constantFrom([0, -1], [1, -1], [2, 0], [1, 90], [0, 400]),
    wants: fc.constantFrom(0, 1, 1),
    leaseMs: fc.constantFrom(50, 300),
    concurrent: fc.constantFrom(1, 1, 2, 1_000_000),
    outcome: fc.constantFrom('', '', '', 'good', 'good', 'bad', 'bad', 'unused', 'reset'),
    late: fc.constantFrom(false, false, false, false, false, true),
  })
  .map(({ replica, wordMs, back, vote, counts, late, ...rest }): Step => {
    const { quorum, failureRate, minimumCalls, recovery, chance, known } = rest;
    const { wants, leaseMs, concurrent, outcome } = rest;
    const head = [
      replica,
      wordMs,
      0,
      vote,
      ...counts,
      quorum,
      failureRate,
      minimumCalls,
      ...recovery,
      chance,
    ];
    return { kind: 'sync', args: [...head, ...known, wants, leaseMs, concurrent, outcome], back, late };
  });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: sync },
  {
    weight: 3,
    arbitrary: fc.constantFrom(0, 1, 49, 50, 51, 100, 101, 401).map((ms): Step => ({ kind: 'wait', ms })),
  },
  { weight: 1, arbitrary: replica.map((who): Step => ({ kind: 'leave', replica: who })) },
  // The server's clock is set, and the server loses everything.
  { weight: 1, arbitrary: fc.constantFrom(-1, -60, -3_600_000).map((ms): Step => ({ kind: 'wait', ms })) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'flush' }) },
);

describeWithRedis('the scripts of shared circuit breakers', () => {
  let server: RedisServer;
  let client: Redis;
  beforeAll(async () => {
    server = await RedisServer.start();
    client = new Redis(server.url);
  });
  afterAll(async () => {
    client.disconnect();
    await server.stop();
  });

  it('take the time of the server, and no other', () => {
    expect(source.split("redis.call('TIME')")).toHaveLength(2);
    expect(TIMED).not.toContain('TIME');
  });

  it(
    'answer any sequence of messages as their naive twin does',
    async () => {
      let runs = 0;
      const seen = { opened: 0, closed: 0, lent: 0, waiting: 0 };
      const property = fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 150 }), async (steps) => {
        const key = `twin ${(runs += 1)}`;
        let twin = new FleetTwin();
        let nowMs = 1_800_000_000_123;
        let number = 0;
        let known = 0;
        let wasOpen = false;
        for (const one of steps) {
          if (one.kind === 'wait') nowMs += one.ms;
          else if (one.kind === 'flush') {
            // What the replicas know stays as it was, but for the place where they keep it.
            known = Math.max(known, twin.epoch);
            twin = new FleetTwin();
            wasOpen = false;
            await client.del(key);
          } else if (one.kind === 'leave') {
            twin.leave(one.replica);
            await LEAVE.run(client, key, [one.replica]);
          } else {
            number += 1;
            const args = [...one.args, one.late ? Math.max(1, number - 3) : number].map(String);
            known = Math.max(known, twin.epoch);
            args[2] = String(Math.max(0, known - one.back));
            const time = [Math.floor(nowMs / 1_000), (nowMs % 1_000) * 1_000 + 7].map(String);
            const answered = await client.eval(TIMED, 1, key, ...args, ...time);
            expect(answered).toEqual(twin.sync(nowMs, messageOf(args)));
            const [, wait = 0, lease = 0, , , waiting = 0] = answered as number[];
            if (wait >= 0 && !wasOpen) seen.opened += 1;
            if (wait < 0 && wasOpen) seen.closed += 1;
            if (lease > 0) seen.lent += 1;
            if (waiting > 0) seen.waiting += 1;
            wasOpen = wait >= 0;
          }
        }
        if (wasOpen) expect(Number(await client.hget(key, 'u'))).toBe(twin.openUntilMs);
      });
      await fc.assert(property, RUNS);
      // A test that hardly ever opens or closes would prove nothing.
      for (const times of Object.values(seen)) expect(times).toBeGreaterThan(50);
    },
    TIMEOUT_MS,
  );
});
