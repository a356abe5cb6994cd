import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CircuitBreaker, resilient, type ExecutionReport } from '../../lib/index.js';
import { block, moment, realUpstream, type RealUpstream } from './upstream.js';

const CALLS = 5;
const BLOCKED_MS = 400;

/** Calls to a real server, with a timeout of 200 ms, while the event loop is blocked for 400 ms. */
function scene(upstream: RealUpstream, ignoreLocalStalls: boolean) {
  const breaker = new CircuitBreaker({ failureThreshold: CALLS, recoveryTimeout: 60, ignoreLocalStalls });
  const reports: ExecutionReport[] = [];
  const onReport = (report: ExecutionReport): void => void reports.push(report);
  const call = resilient({ timeout: 0.2, circuitBreaker: breaker, onReport }, upstream.call);
  const begin = () => Promise.allSettled(Array.from({ length: CALLS }, () => call()));
  const statuses = () => [...new Set(reports.map(({ status }) => status))];
  const shortestStall = () => Math.min(...reports.map(({ lastAttempt }) => lastAttempt?.localStall ?? 0));
  return { breaker, begin, statuses, shortestStall };
}

describe('in real time, with the event loop blocked for 400 ms', () => {
  let upstream: RealUpstream;

  const start = async (latencyMs: number): Promise<void> => {
    upstream = await realUpstream(latencyMs);
    await Promise.all(Array.from({ length: CALLS }, upstream.call));
  };
  afterEach(() => upstream.close());

  describe('a server that answers in 20 ms', () => {
    beforeEach(() => start(20));

    it('has its breaker opened by timeouts of our own making, each of which says so', async () => {
      const { breaker, begin, statuses, shortestStall } = scene(upstream, false);
      const ended = begin();
      await moment();
      block(BLOCKED_MS);
      await ended;
      expect(statuses()).toEqual(['timed_out']);
      expect(breaker.state).toBe('open');
      expect(shortestStall()).toBeGreaterThan(0.15);
    });

    it('has its answers read late, and its breaker left closed, where that ignores local stalls', async () => {
      const { breaker, begin, statuses, shortestStall } = scene(upstream, true);
      const ended = begin();
      await moment();
      block(BLOCKED_MS);
      await ended;
      expect(statuses()).toEqual(['succeeded']);
      expect(breaker.snapshot()).toMatchObject({ state: 'closed', failureCount: 0 });
      expect(shortestStall()).toBeGreaterThan(0.15);
    });

    it('keeps its breaker closed also where the requests could not be sent before', async () => {
      const { breaker, begin, shortestStall } = scene(upstream, true);
      const ended = begin();
      block(BLOCKED_MS);
      await ended;
      expect(breaker.snapshot()).toMatchObject({ state: 'closed', failureCount: 0 });
      expect(shortestStall()).toBeGreaterThan(0.15);
    });
  });

  it('a server that answers in 2 s opens its breaker as soon as the loop turns', async () => {
    await start(2_000);
    const { breaker, begin, statuses } = scene(upstream, true);
    const stalled = begin();
    await moment();
    block(BLOCKED_MS);
    await stalled;
    expect(breaker.state).toBe('closed');
    // A machine that does much else beside stalls the loop by itself now and then.
    for (let round = 0; round < 10 && breaker.state === 'closed'; round += 1) await begin();
    expect(statuses()).toEqual(['timed_out']);
    expect(breaker.state).toBe('open');
  });
});
