import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { childProcesses, type Ended } from '../support/child-processes.js';
import { freePort, RedisServer } from '../redis/redis-server.js';
import { delay, describeWithRedis, freshKey, until } from '../redis/support.js';
import { ControlRoom, type Change } from './control-room.js';

const INTERVAL_MS = 250;
/** Four processes and a test on a machine that has other things to do. */
const SLACK_MS = 250;
const NAMES = ['a', 'b', 'c', 'd'];

describeWithRedis('four processes that share a circuit breaker', () => {
  const { runModule } = childProcesses('redis-breakers');
  let server: RedisServer;
  let room: ControlRoom;
  beforeAll(async () => {
    server = await RedisServer.start();
    room = await ControlRoom.open();
  });
  beforeEach(() => room.reset());
  afterAll(async () => {
    await room.close();
    await server.stop();
  });

  /** Starts them; they have heard of each other then. */
  async function start({ leaseMs = 5_000, cut = '' } = {}): Promise<Promise<Ended>[]> {
    const shared = { redis: server.url, control: room.url, breaker: freshKey(), leaseMs };
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    const ends = NAMES.map((name) => {
      const upstream = name === cut ? nowhere : room.url;
      const args = [JSON.stringify({ ...shared, upstream, name })];
      return runModule('test/redis-breakers/children/replica.ts', { args });
    });
    await until(() => NAMES.every((name) => room.is(name, { sharing: 'shared', replicas: 4 })), 20_000);
    return ends;
  }

  async function end(ends: readonly Promise<Ended>[]): Promise<Map<string, readonly Change[]>> {
    room.isOver = true;
    const said = new Map<string, readonly Change[]>();
    for (const { code, stdout, stderr } of await Promise.all(ends)) {
      expect(stderr).toBe('');
      if (code !== 0) continue;
      const { name, changes, states } = JSON.parse(stdout);
      expect(states).toEqual(['shared']);
      said.set(name, changes);
    }
    return said;
  }

  const areAll = (breaker: string): boolean => NAMES.every((name) => room.is(name, { breaker }));

  it('open for all within two intervals, probe one at a time, and close for all', async () => {
    const ends = await start();
    // Two of them see failures, and only those.
    let isWell = false;
    let goodProbes = 0;
    room.answer = async ({ by, state }) => {
      if (state === 'half_open') {
        await delay(200);
        // The first one finds the upstream still unwell.
        if (room.probes.length < 2) return undefined;
        goodProbes += 1;
        isWell = true;
        return 'fine';
      }
      return isWell || by === 'c' || by === 'd' ? 'fine' : undefined;
    };
    await until(() => areAll('open'));
    await until(() => goodProbes > 0 && areAll('closed'), 10_000);
    const said = await end(ends);
    const opened = NAMES.map((name) => said.get(name)?.find(({ to }) => to === 'open') as Change);
    const own = opened.filter(({ by }) => by === 'call').map(({ atMs }) => atMs);
    const quorumMs = Math.max(...own);
    const lastMs = Math.max(...opened.map(({ atMs }) => atMs));
    expect(own).toHaveLength(2);
    expect(opened.slice(2)).toMatchObject([
      { by: 'fleet', openedBy: 'fleet' },
      { by: 'fleet', openedBy: 'fleet' },
    ]);
    expect(lastMs - quorumMs).toBeLessThan(2 * INTERVAL_MS + SLACK_MS);
    expect([room.probes.length, room.mostProbing, goodProbes]).toEqual([2, 1, 1]);
  });

  it('open nobody else when one of them is cut from the upstream', async () => {
    const ends = await start({ cut: 'd' });
    await until(() => room.is('d', { breaker: 'open' }));
    await delay(1_500);
    expect(NAMES.map((name) => room.sayings.get(name)?.breaker).slice(0, 3)).toEqual([
      'closed',
      'closed',
      'closed',
    ]);
    const said = await end(ends);
    expect(NAMES.slice(0, 3).map((name) => said.get(name))).toEqual([[], [], []]);
    const cut = said.get('d') ?? [];
    expect(cut.map(({ by }) => by).filter((by) => by !== 'call')).toEqual([]);
    expect(cut[0]).toMatchObject({ to: 'open', openedBy: 'consecutive_failures' });
  });

  it('let another one probe, after the lease, when the one that probes is killed', async () => {
    const leaseMs = 1_000;
    const ends = await start({ leaseMs });
    const atMs: number[] = [];
    room.answer = async ({ state, by }) => {
      if (state !== 'half_open') return atMs.length > 1 ? 'fine' : undefined;
      atMs.push(performance.now());
      if (atMs.length === 1) return 'die';
      expect(by).not.toBe(room.probes[0]?.by);
      return 'fine';
    };
    const others = (): string[] => NAMES.filter((name) => name !== room.probes[0]?.by);
    await until(() => atMs.length === 2, 10_000);
    await until(() => others().every((name) => room.is(name, { breaker: 'closed', replicas: 3 })));
    const said = await end(ends);
    expect([...said.keys()].sort()).toEqual(others());
    const [first = NaN, second = NaN] = atMs;
    // It was given the lease a little before it probed.
    expect(second - first).toBeGreaterThan(leaseMs - 2 * INTERVAL_MS);
    expect(second - first).toBeLessThan(leaseMs + 2 * INTERVAL_MS + SLACK_MS);
    expect(room.probes).toHaveLength(2);
  });

  it.each([
    ['ioredis', true],
    ['redis', true],
    ['ioredis', false],
  ])('are held by nothing when their client is closed: %s, stopped: %s', async (kind, stops) => {
    const args = [JSON.stringify({ url: server.url, kind, stops })];
    const ended = await runModule('test/redis-breakers/children/leaver.ts', { args });
    const state = stops ? 'alone' : 'shared';
    expect(ended).toEqual({ code: 0, stdout: `${state}, in time: true\n`, stderr: '' });
  });
});
