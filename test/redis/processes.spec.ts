import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { childProcesses } from '../support/child-processes.js';
import { RedisServer } from './redis-server.js';
import { delay, describeWithRedis, freshKey, until } from './support.js';
import { WorkPlace } from './work-place.js';

const LEASE_MS = 400;

interface Outcome {
  readonly key: string;
  readonly value?: string;
  readonly role?: string;
  readonly kept?: boolean;
  readonly calledMs: number;
  readonly doneMs?: number;
  readonly settledMs: number;
}

interface Said {
  readonly outcomes: readonly Outcome[];
  readonly told: readonly object[];
}

interface Orders {
  readonly name: string;
  readonly rounds: readonly (readonly string[])[];
  readonly leaseMs?: number;
  readonly wake?: 'push' | 'poll';
  readonly dies?: string;
  readonly clockSkewMs?: number;
}

describeWithRedis('processes that share a Redis', () => {
  const { runModule } = childProcesses('redis');
  let server: RedisServer;
  let work: WorkPlace;
  beforeAll(async () => {
    server = await RedisServer.start();
    work = await WorkPlace.open();
  });
  afterAll(async () => {
    await work.close();
    await server.stop();
  });

  /** Runs a process to its end. One that dies has no exit code and says nothing. */
  async function start(orders: Orders): Promise<Said & { readonly code: unknown }> {
    const shared = { redis: server.url, upstream: work.url, leaseMs: LEASE_MS };
    const args = [JSON.stringify({ ...shared, ...orders })];
    const { code, stdout, stderr } = await runModule('test/redis/children/caller.ts', { args });
    expect(stderr).toBe('');
    const said = stdout === '' ? { outcomes: [], told: [] } : (JSON.parse(stdout) as Said);
    return { code, ...said };
  }

  const executions = () => work.executions.map(({ by, key }) => ({ by, key }));

  it.each([2, 4])('execute once for two hundred calls in %i of them', async (count) => {
    work.reset(count);
    work.answer = () => delay(100, 'value');
    const keys = Array<string>(200 / count).fill(freshKey());
    const said = await Promise.all(
      Array.from({ length: count }, (_, index) => start({ name: `process ${index}`, rounds: [keys] })),
    );
    const outcomes = said.flatMap((each) => each.outcomes);
    expect(outcomes).toHaveLength(200);
    expect(new Set(outcomes.map(({ value }) => value))).toEqual(new Set(['value']));
    expect(outcomes.filter(({ role }) => role === 'executed')).toHaveLength(1);
    expect(work.executions).toHaveLength(1);
    expect(said.flatMap(({ told }) => told)).toEqual([]);
  });

  it.each(['claimed', 'running', 'before store'])(
    'block a key no longer than its lease after its owner died: %s',
    async (dies) => {
      work.reset(1);
      work.answer = ({ by }) => Promise.resolve(`value of ${by}`);
      const key = freshKey();
      const dead = await start({ name: 'first', rounds: [[key]], dies });
      expect(dead).toEqual({ code: null, outcomes: [], told: [] });
      const before = dies === 'claimed' ? [] : [{ by: 'first', key }];
      expect(executions()).toEqual(before);
      const { outcomes, told } = await start({ name: 'second', rounds: [[key]] });
      expect(outcomes).toMatchObject([{ value: 'value of second', role: 'executed', kept: true }]);
      expect(told).toEqual([]);
      expect(executions()).toEqual([...before, { by: 'second', key }]);
      // How long the second process takes to start is not the key's doing.
      const [{ calledMs, settledMs } = { calledMs: 0, settledMs: Infinity }] = outcomes;
      expect(settledMs - calledMs).toBeLessThan(LEASE_MS + 1_000);
    },
  );

  it('let one who already waits execute when the lease of a dead owner is over', async () => {
    work.reset(1);
    const key = freshKey();
    let pid = 0;
    work.answer = (execution) => {
      if (execution.by === 'second') return Promise.resolve('value');
      ({ pid } = execution);
      return new Promise(() => undefined);
    };
    const dying = start({ name: 'first', rounds: [[key]] });
    await until(() => pid > 0);
    const waiting = start({ name: 'second', rounds: [[key]] });
    // Long enough for it to wait, whose owner is alive for longer than a lease.
    await delay(LEASE_MS * 2);
    expect(executions()).toEqual([{ by: 'first', key }]);
    process.kill(pid, 'SIGKILL');
    const diedMs = performance.now();
    expect((await dying).code).toBe(null);
    expect((await waiting).outcomes).toMatchObject([{ value: 'value', role: 'executed' }]);
    const takenMs = (work.executions[1]?.atMs ?? 0) - diedMs;
    expect(takenMs).toBeGreaterThan(LEASE_MS / 2);
    expect(takenMs).toBeLessThan(LEASE_MS + 150);
  });

  it('lose no outcome once it is stored', async () => {
    work.reset(1);
    work.answer = ({ by }) => Promise.resolve(`value of ${by}`);
    const key = freshKey();
    const dead = await start({ name: 'first', rounds: [[key]], dies: 'after store' });
    expect(dead).toEqual({ code: null, outcomes: [], told: [] });
    const { outcomes } = await start({ name: 'second', rounds: [[key]] });
    expect(outcomes).toMatchObject([{ value: 'value of first', role: 'replayed' }]);
    expect(executions()).toEqual([{ by: 'first', key }]);
  });

  it('let an owner that slept past its lease overwrite nothing', async () => {
    work.reset(1);
    const key = freshKey();
    let pid = 0;
    let wakeUp = (): void => undefined;
    const asleep = new Promise<void>((resolve) => (wakeUp = resolve));
    work.answer = async ({ by, pid: of }) => {
      if (by === 'first') await ((pid = of), asleep);
      return `value of ${by}`;
    };
    const first = start({ name: 'first', rounds: [[key]] });
    await until(() => pid > 0);
    process.kill(pid, 'SIGSTOP');
    const second = await start({ name: 'second', rounds: [[key]] });
    process.kill(pid, 'SIGCONT');
    wakeUp();
    const late = await first;
    expect(second.outcomes).toMatchObject([{ value: 'value of second', role: 'executed', kept: true }]);
    expect(late.outcomes).toMatchObject([{ value: 'value of first', role: 'executed', kept: false }]);
    expect(late.told).toEqual([{ eventType: 'idempotency.not_kept', reason: 'lost' }]);
    const third = await start({ name: 'third', rounds: [[key]] });
    expect(third.outcomes).toMatchObject([{ value: 'value of second', role: 'replayed' }]);
    expect(executions()).toEqual([
      { by: 'first', key },
      { by: 'second', key },
    ]);
  });

  it('care for no clock but that of the server', async () => {
    work.reset(3);
    // Longer than two leases, so that an owner whose clock counted would have lost the key.
    work.answer = ({ by }) => delay(LEASE_MS * 2.5, `value of ${by}`);
    const keys = [freshKey(), freshKey(), freshKey()];
    const hourMs = 3_600_000;
    const skewed = (name: string, clockSkewMs: number) => start({ name, rounds: [keys, keys], clockSkewMs });
    const said = await Promise.all([skewed('early', -hourMs), skewed('late', hourMs), skewed('right', 0)]);
    expect(work.executions).toHaveLength(3);
    for (const key of keys) {
      const outcomes = said.flatMap((each) => each.outcomes.filter((outcome) => outcome.key === key));
      const roles = outcomes.map(({ role }) => role).sort();
      expect(roles).toEqual(['executed', 'joined', 'joined', 'replayed', 'replayed', 'replayed']);
      expect(new Set(outcomes.map(({ value }) => value)).size).toBe(1);
    }
    expect(said.flatMap(({ told }) => told)).toEqual([]);
  });

  it.each(['push', 'poll'] as const)('wake those who wait in another one soon: %s', async (wake) => {
    work.reset(2);
    work.answer = () => delay(40, 'value');
    // The first round makes the connections. In some others one process may come too late to wait.
    const rounds = Array.from({ length: 56 }, () => [freshKey(), freshKey(), freshKey(), freshKey()]);
    const said = await Promise.all(
      ['one', 'other'].map((name) => start({ name, rounds, wake, leaseMs: 10_000 })),
    );
    const outcomes = said.flatMap((each) => each.outcomes.slice(4));
    const done = new Map(outcomes.map(({ key, doneMs }) => [doneMs === undefined ? '' : key, doneMs ?? 0]));
    const delays = outcomes
      .filter(({ role }) => role === 'joined')
      .map(({ key, settledMs }) => settledMs - (done.get(key) ?? 0))
      .sort((one, other) => one - other);
    expect(delays.length).toBeGreaterThanOrEqual(200);
    expect(delays[Math.floor(delays.length * 0.99)]).toBeLessThan(100);
  });
});
