import { describe, expect, it, jest } from '@jest/globals';
import type { ShieldProfileName } from '../../lib/index.js';
import { FakeClock, seededRandom } from '../../lib/testing/index.js';
import { BucketServer, fairness, loopShield, runWorkers, span, TooMany, type Sent } from './closed-loop.js';
import { sleep } from './support.js';

// Minutes of a thousand calls a second are seconds of work on a busy machine.
jest.setTimeout(60_000);

/** Ten workers on a server, in virtual time; `during` moves the clock before they are waited for. */
async function loop(
  server: BucketServer,
  profile: ShieldProfileName,
  { seconds, latency }: { readonly seconds: number; readonly latency: number },
  during: (clock: FakeClock) => Promise<void> = async () => undefined,
) {
  const clock = new FakeClock();
  const shield = loopShield(clock, seededRandom(1), { profile });
  const sent: Sent[] = [];
  const ask = async (worker: number): Promise<string> => {
    const served = server.takes(clock.monotonicMs());
    sent.push({ at: clock.monotonicMs() / 1_000, served, worker });
    await sleep(clock, latency);
    if (!served) throw new TooMany('429');
    return 'up';
  };
  const workers = runWorkers({ clock, shield, ask, workers: 10, seconds });
  await during(clock);
  await clock.settle(workers);
  expect(clock.pendingTimers).toBe(0);
  return { sent, snapshot: shield.snapshot() };
}

describe('ten workers on a server that bears 20 calls a second', () => {
  it.each([
    ['internal', 1],
    ['internal', 20],
    ['api', 1],
    ['api', 20],
  ] as const)('settle within 15 s: %s, a bucket of %d', async (profile, capacity) => {
    const { sent, snapshot } = await loop(new BucketServer(20, capacity), profile, {
      seconds: 65,
      latency: 0.05,
    });
    for (let from = 15; from < 65; from += 5) {
      const { rate } = span(sent, from, from + 5);
      expect(rate).toBeGreaterThanOrEqual(17);
      expect(rate).toBeLessThanOrEqual(23);
    }
    expect(span(sent, 15, 65).refused).toBeLessThan(0.05);
    expect(fairness(sent, 10, 15)).toBeGreaterThanOrEqual(0.95);
    expect(snapshot).toMatchObject({ engaged: true, waiting: 0 });
  });
});

describe('ten workers on a server that bears 1,000 calls a second, then 10, then 1,000', () => {
  it.each(['internal', 'api'] as const)(
    'are down within 5 s and above 500 again within 20 s: %s',
    async (profile) => {
      const server = new BucketServer(1_000, 10);
      const { sent } = await loop(server, profile, { seconds: 60, latency: 0.01 }, async (clock) => {
        await clock.advance(10);
        server.rate = 10;
        await clock.advance(20);
        server.rate = 1_000;
      });
      expect(span(sent, 0, 10)).toEqual({ rate: 1_000, refused: 0 });
      for (let from = 15; from < 30; from += 5)
        expect(span(sent, from, from + 5).rate).toBeLessThanOrEqual(11.5);
      expect(span(sent, 15, 30).refused).toBeLessThan(0.1);
      expect(span(sent, 49, 50).rate).toBeGreaterThan(500);
      expect(span(sent, 50, 60).refused).toBe(0);
    },
  );
});

describe('a server that becomes ten times slower under a load it had borne', () => {
  /** Four places, each busy for so long with a request; more requests than that wait their turn. */
  function queueing(clock: FakeClock) {
    const queue: (() => void)[] = [];
    const server = {
      seconds: 0.05,
      busy: 0,
      answer: () => new Promise<void>((resolve) => (queue.push(resolve), serve())),
    };
    function serve(): void {
      if (server.busy === 4) return;
      const done = queue.shift();
      if (done === undefined) return;
      server.busy += 1;
      clock.setTimer(() => {
        server.busy -= 1;
        done();
        serve();
      }, server.seconds * 1_000);
    }
    return server;
  }

  it('is asked on average for what it bears now, for ten minutes, and nobody waits once it is over [B191]', async () => {
    const clock = new FakeClock();
    const shield = loopShield(clock, seededRandom(1), { profile: 'internal', maxWait: 5 });
    const server = queueing(clock);
    const sent: Sent[] = [];
    const send = async (seconds: number): Promise<void> => {
      for (let left = seconds * 20; left > 0; left -= 1) {
        const call = shield.run(() => {
          sent.push({ at: clock.monotonicMs() / 1_000, served: true, worker: 0 });
          return server.answer();
        });
        call.catch(() => undefined);
        await sleep(clock, 0.05);
      }
    };
    const load = async (seconds: number): Promise<void> => {
      const sending = send(seconds);
      await clock.advance(seconds);
      await sending;
    };
    await load(20);
    expect(span(sent, 10, 20).rate).toBe(20);
    server.seconds = 0.5;
    await load(600);
    // It bears 8 a second now, and 20 are asked for.
    const minutes = Array.from(
      { length: 9 },
      (_, minute) => span(sent, 80 + minute * 60, 140 + minute * 60).rate,
    );
    for (const rate of minutes) expect(rate).toBeLessThan(20);
    for (const half of [span(sent, 80, 320), span(sent, 320, 620)]) expect(half.rate).toBeLessThan(1.25 * 8);
    server.seconds = 0.05;
    await clock.advance(1_000);
    expect(shield.snapshot().waiting).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });
});
