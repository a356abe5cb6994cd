import { createServer, request, Agent, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { currentAttempt, type ShieldProfileName } from '../../lib/index.js';
import { seededRandom } from '../../lib/testing/index.js';
import { systemClock } from '../../lib/time/clock.js';
import { BucketServer, fairness, loopShield, runWorkers, span, TooMany, type Sent } from './closed-loop.js';

/* The closed loop over the loopback interface and in real time, which takes minutes. */

describe('ten workers on a real server, in real time', () => {
  let bucket = new BucketServer(20, 5);
  let server: Server;
  let port = 0;
  const agent = new Agent({ keepAlive: true, maxSockets: 20 });

  beforeAll(async () => {
    server = createServer((_, response) => {
      response.statusCode = bucket.takes(systemClock.monotonicMs()) ? 200 : 429;
      setTimeout(() => response.end(), 5);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
  });

  afterAll(async () => {
    agent.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  function get(signal: AbortSignal): Promise<number> {
    return new Promise((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port, agent, signal }, (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode ?? 0));
      });
      asked.on('error', reject);
      asked.end();
    });
  }

  async function loop(
    seconds: number,
    profile: ShieldProfileName,
    during: () => Promise<void> = async () => undefined,
  ): Promise<Sent[]> {
    const shield = loopShield(systemClock, seededRandom(1), { profile });
    const sent: Sent[] = [];
    const startMs = systemClock.monotonicMs();
    bucket.takes(startMs);
    const ask = async (worker: number): Promise<void> => {
      const at = (systemClock.monotonicMs() - startMs) / 1_000;
      const status = await get(currentAttempt().signal);
      sent.push({ at, served: status === 200, worker });
      if (status !== 200) throw new TooMany('429');
    };
    await Promise.all([runWorkers({ clock: systemClock, shield, ask, workers: 10, seconds }), during()]);
    return sent;
  }

  it('settles at 20 calls a second within 15 s', async () => {
    bucket = new BucketServer(20, 5);
    const sent = await loop(45, 'internal');
    for (let from = 15; from < 45; from += 5) {
      const { rate } = span(sent, from, from + 5);
      expect(rate).toBeGreaterThanOrEqual(17);
      expect(rate).toBeLessThanOrEqual(23);
    }
    expect(span(sent, 15, 45).refused).toBeLessThan(0.05);
    expect(fairness(sent, 10, 15)).toBeGreaterThanOrEqual(0.95);
  }, 70_000);

  it('follows 1,000 calls a second down to 10 within 5 s, and is above 500 again within 20 s', async () => {
    // Enough saved up for the first seconds: before it has measured one, a shield knows only the rate of its profile.
    bucket = new BucketServer(1_000, 2_000);
    const sent = await loop(50, 'api', async () => {
      await pause(10_000);
      bucket.rate = 10;
      await pause(15_000);
      bucket.rate = 1_000;
    });
    expect(span(sent, 5, 10).rate).toBeGreaterThan(500);
    expect(span(sent, 15, 20).rate).toBeLessThanOrEqual(12);
    expect(span(sent, 20, 25).rate).toBeLessThanOrEqual(12);
    expect(span(sent, 44, 45).rate).toBeGreaterThan(500);
  }, 80_000);
});
