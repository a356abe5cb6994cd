import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { CircuitBreaker, resilient, type ExecutionReport } from '../../lib/index.js';
import { block, moment, realUpstream, type RealUpstream } from './upstream.js';

jest.setTimeout(120_000);

const BLOCKED_MS = 400;
const EVERY_MS = 2_000;
const SECONDS = 20;

/** One way of calling the upstream, and what became of its calls. */
function counted(call: () => Promise<string>, timeoutMs: number, ignoreLocalStalls: boolean) {
  const figures = { calls: 0, openings: 0, refused: 0, timedOut: 0, stalled: 0, readLate: 0 };
  const breaker = new CircuitBreaker({ recoveryTimeout: 1, ignoreLocalStalls });
  breaker.onTransition(({ to }) => void (figures.openings += to === 'open' ? 1 : 0));
  const onReport = ({ status, metadata, lastAttempt }: ExecutionReport): void => {
    const isStalled = (lastAttempt?.localStall ?? 0) > 0;
    figures.calls += 1;
    figures.refused += metadata.circuit_breaker_open === true ? 1 : 0;
    figures.timedOut += status === 'timed_out' ? 1 : 0;
    figures.stalled += status === 'timed_out' && isStalled ? 1 : 0;
    figures.readLate += status === 'succeeded' && isStalled ? 1 : 0;
  };
  const run = resilient({ timeout: timeoutMs / 1_000, circuitBreaker: breaker, onReport }, call);
  return { figures, call: () => run().catch(() => undefined) };
}

/** Both ways side by side, some 200 calls a second each, while the loop is blocked for 400 ms every 2 s. */
async function compare(upstream: RealUpstream, timeoutMs: number) {
  const [usual, ignoring] = [false, true].map((ignores) => counted(upstream.call, timeoutMs, ignores)) as [
    ReturnType<typeof counted>,
    ReturnType<typeof counted>,
  ];
  const calls: Promise<unknown>[] = [];
  const startMs = performance.now();
  for (let blockMs = startMs + EVERY_MS; performance.now() < startMs + SECONDS * 1_000; await moment(10)) {
    for (let call = 0; call < 3; call += 1) calls.push(usual.call(), ignoring.call());
    if (performance.now() < blockMs) continue;
    block(BLOCKED_MS);
    blockMs += EVERY_MS;
  }
  await Promise.all(calls);
  const found = { usual: usual.figures, ignoring: ignoring.figures };
  process.stdout.write(`timeout ${timeoutMs} ms: ${JSON.stringify(found)}\n`);
  return found;
}

describe('ignoring local stalls, measured', () => {
  let healthy: RealUpstream;

  beforeAll(async () => {
    healthy = await realUpstream(20);
    for (let round = 0; round < 30; round += 1) await Promise.all(Array.from({ length: 10 }, healthy.call));
  });
  afterAll(() => healthy.close());

  it.each([100, 200, 300])(
    'keeps calls of %d ms to a healthy server from being refused',
    async (timeoutMs) => {
      const { usual, ignoring } = await compare(healthy, timeoutMs);
      expect(usual.timedOut).toBeGreaterThan(0);
      expect(ignoring.timedOut).toBeLessThan(usual.timedOut / 2);
      expect(ignoring.openings).toBeLessThanOrEqual(usual.openings);
      expect(ignoring.refused).toBeLessThanOrEqual(usual.refused);
      expect(ignoring.readLate).toBeGreaterThan(0);
    },
  );

  it('leaves a server that answers nobody to the breaker', async () => {
    const dead = await realUpstream(60_000);
    const { usual, ignoring } = await compare(dead, 200);
    await dead.close();
    expect([usual.openings > 0, ignoring.openings > 0]).toEqual([true, true]);
    expect(ignoring.refused).toBeGreaterThan(usual.refused / 2);
  });
});
