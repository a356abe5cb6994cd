import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { ExpressAdapter } from '@nestjs/platform-express';
import { Resilient } from '../../lib/index.js';
import { ResilienceDashboardModule } from '../../nest-module/dashboard/index.js';
import { ResilienceModule, ResilienceState } from '../../nest-module/index.js';
import { closing } from '../nest/support.js';
import { describeInBrowser, openTab, rendererPids } from './browser.js';

/** Slow: a minute of a thousand calls a second. RELPRIM_SLOW=1 runs it whole, otherwise it is a few seconds. */
const SECONDS = process.env['RELPRIM_SLOW'] === undefined ? 4 : 60;
const MEGABYTE = 1_048_576;

@Injectable()
class Client {
  private calls = 0;

  @Resilient({ retries: 1, backoff: { delayForRetry: () => 0.001 }, circuitBreaker: 'upstream' })
  async ask(): Promise<string> {
    await Promise.resolve();
    if ((this.calls += 1) % 10 === 0) throw new RangeError(`number ${this.calls} failed`);
    return 'answer';
  }
}

/** What processes have of their own, in bytes: neither shared libraries nor files. */
function privateBytes(pids: readonly number[]): number {
  const sizes = pids.map((pid) => {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return Number(/^Private_Dirty:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) * 1_024;
  });
  return Math.max(...sizes);
}

describeInBrowser(`the page of a dashboard, at a thousand calls a second for ${SECONDS} seconds,`, () => {
  it(
    'stays small and answers people at once',
    async () => {
      const testing = await Test.createTestingModule({
        imports: [
          ResilienceModule.forRoot({
            circuitBreakers: [{ name: 'upstream', failureThreshold: 1_000 }],
            silenceWarnings: ['retries-without-retry-on'],
          }),
          ResilienceDashboardModule.forRoot({ unsafe: true }),
        ],
        providers: [Client],
      }).compile();
      const app = closing(testing.createNestApplication(new ExpressAdapter(), { logger: false }));
      await app.listen(0, '127.0.0.1');
      const [client, state] = [app.get(Client), app.get(ResilienceState)];
      const { page, complaints } = await openTab(`${await app.getUrl()}/resilience`);
      await page
        .locator('#link')
        .filter({ hasText: /^live$/ })
        .waitFor();
      await page.evaluate(`
        window.latest = 0;
        (function beat(last) {
          setTimeout(() => {
            const now = performance.now();
            window.latest = Math.max(window.latest, now - last - 20);
            beat(now);
          }, 20);
        })(performance.now());`);
      const startMs = performance.now();
      let begun = 0;
      for (let tenth = 1; tenth <= SECONDS * 10; tenth += 1) {
        for (; begun < tenth * 100; begun += 1) client.ask().catch(() => undefined);
        await delay(Math.max(0, startMs + tenth * 100 - performance.now()));
      }
      await delay(1_500);
      expect(state.snapshot().calls).toBe(SECONDS * 1_000);
      const shown = (SECONDS * 1_000).toLocaleString('en');
      expect(await page.locator('#total-calls').textContent()).toBe(shown);
      const heap = await page.evaluate<number>(`performance.memory.usedJSHeapSize`);
      const nodes = await page.evaluate<number>(`document.querySelectorAll('*').length`);
      const own = privateBytes(await rendererPids());
      const late = await page.evaluate<number>(`window.latest`);
      expect(heap).toBeLessThan(20 * MEGABYTE);
      expect(own).toBeLessThan(100 * MEGABYTE);
      expect(nodes).toBeLessThan(600);
      expect(late).toBeLessThan(1_000);
      const askedMs = performance.now();
      await page.locator('#trouble').check();
      await page.locator('.row').first().click();
      await page.locator('#waterfall li').first().waitFor();
      expect(performance.now() - askedMs).toBeLessThan(2_000);
      expect(complaints).toEqual([]);
    },
    (SECONDS + 60) * 1_000,
  );
});
