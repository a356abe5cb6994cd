import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeInBrowser, openTab } from './browser.js';
import { openShop, type Shop } from './shop.js';
import { ANYBODY, HeaderGuard, scene } from './support.js';

const LONG = 60_000;

/** A shop and a browser that watches it. */
async function watched(platform: string, options: Parameters<typeof openTab>[1] = {}) {
  const shop = await openShop(platform, { unsafe: true, operatorGuard: ANYBODY });
  return { ...shop, ...(await openTab(`${shop.url}/resilience`, options)) };
}

/** Waits until the page shows what the application was like at this moment. */
async function caughtUp({
  page,
  state,
  clock,
}: { page: Page } & Pick<Shop, 'state' | 'clock'>): Promise<void> {
  // What is under way ends, and then it is told.
  await clock.advance(1);
  await clock.advance(1);
  const { calls } = state.snapshot();
  const shown = calls.toLocaleString('en');
  await page
    .locator('#total-calls')
    .filter({ hasText: new RegExp(`^${shown}$`) })
    .waitFor();
}

const card = (page: Page, name: string) =>
  page.locator('.card', { has: page.getByRole('heading', { name }) });

describeInBrowser('the page of a dashboard in a browser', () => {
  it.each(['Express', 'Fastify'])(
    'shows how a circuit breaker opens in an outage and closes after it, on %s',
    async (platform) => {
      const shop = await watched(platform);
      const { page, upstreams, second, complaints } = shop;
      const pill = card(page, 'payments').locator('.pill');
      for (let turn = 0; turn < 5; turn += 1) await second(10);
      await caughtUp(shop);
      expect(await pill.textContent()).toBe('● closed');
      upstreams.bank = 'down';
      for (let turn = 0; turn < 8; turn += 1) await second(10);
      await caughtUp(shop);
      expect(await pill.textContent()).toBe('▲ open');
      expect(await page.locator('#total-open').textContent()).toBe('1 of 2');
      expect(await card(page, 'payments').locator('.fact').first().textContent()).toMatch(
        /^Next probein \d+\.\d\d s$/,
      );
      upstreams.bank = 'fine';
      for (let turn = 0; turn < 16; turn += 1) await second(10);
      await caughtUp(shop);
      expect(await pill.textContent()).toBe('● closed');
      const changes = await page.locator('#changes li').allTextContents();
      expect(changes.map((text) => text.replace(/^[\d:]+ +/, ''))).toEqual([
        'payments: half-open → closed',
        'payments: open → half-open',
        'payments: closed → open',
      ]);
      expect(complaints).toEqual([]);
    },
    LONG,
  );

  it(
    'has the numbers of the executor',
    async () => {
      const shop = await watched('Express');
      const { page, upstreams, second, reports, state } = shop;
      for (let turn = 0; turn < 4; turn += 1) await second(20);
      upstreams.bank = 'down';
      for (let turn = 0; turn < 4; turn += 1) await second(20);
      await caughtUp(shop);
      const rows = await page
        .locator('#operations tr')
        .evaluateAll((found: any[]) =>
          found.map((row) => [...row.cells].map((cell: any) => cell.textContent as string)),
        );
      const percent = (part: number, whole: number) => {
        const share = part / whole;
        return share > 0 && share < 0.01 ? '<1 %' : `${Math.round(share * 100)} %`;
      };
      const names = [...new Set(reports.map(({ operationName }) => operationName))];
      expect(rows.map(([name]) => name).sort()).toEqual(names.sort());
      for (const [name = '', , failed, p50, p99, retries, fallbacks, calls] of rows) {
        const own = reports.filter(({ operationName }) => operationName === name);
        const sum = (value: (report: (typeof own)[number]) => number) =>
          own.reduce((total, report) => total + value(report), 0);
        const took = own
          .slice(-100)
          .map(({ durationSeconds }) => durationSeconds)
          .sort((one, other) => one - other);
        const at = (share: number) =>
          `${Math.round((took[Math.ceil(share * took.length) - 1] ?? 0) * 1_000)} ms`;
        expect([name, failed, p50, p99, retries, fallbacks, calls]).toEqual([
          name,
          percent(
            sum((report) => Number(report.failed)),
            own.length,
          ),
          at(0.5),
          at(0.99),
          percent(
            sum(({ retryCount }) => retryCount),
            sum(({ attemptCount }) => attemptCount),
          ),
          percent(
            sum(({ succeeded, lastAttempt }) => Number(succeeded && lastAttempt?.fallback === true)),
            own.length,
          ),
          String(own.length),
        ]);
      }
      expect(await page.locator('#total-calls').textContent()).toBe(String(reports.length));
      const { running, max_concurrent } = state.concurrencyLimits()[0] ?? {};
      expect(await card(page, 'catalog').nth(1).locator('.fact').first().textContent()).toBe(
        `Running${running} of ${max_concurrent}`,
      );
      expect(await page.locator('#calls .row:not([hidden])').count()).toBeGreaterThan(10);
    },
    LONG,
  );

  it(
    'opens a call into the waterfall of its attempts, with the words of its report, by keyboard',
    async () => {
      const shop = await watched('Express');
      const { page, upstreams, payments, clock, reports, complaints } = shop;
      upstreams.bank = 'down';
      const charged = payments.charge('A-1');
      await clock.settle(charged);
      await caughtUp(shop);
      await page.locator('#calls').focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.waitForSelector('#waterfall li');
      const [report] = reports;
      const [headline, ...lines] = (report?.explain() ?? '').split('\n');
      expect(lines).toHaveLength(4);
      expect(await page.locator('#call-title').textContent()).toBe(headline);
      expect(await page.locator('#waterfall .says').allTextContents()).toEqual(lines);
      const track = (await page.locator('.track').first().boundingBox())?.width ?? 0;
      const bars = await page
        .locator('.seg')
        .evaluateAll((all: any[]) =>
          all.map(
            (bar) =>
              [bar.dataset.kind as string, bar.offsetLeft as number, bar.offsetWidth as number] as const,
          ),
        );
      expect(bars.map(([kind]) => kind)).toEqual(['bad', 'wait', 'bad', 'wait', 'bad', 'fallback']);
      const total = report?.durationSeconds ?? 1;
      const expected = report?.attempts.flatMap(({ durationSeconds, waitedSeconds }) =>
        waitedSeconds > 0 ? [durationSeconds, waitedSeconds] : [durationSeconds],
      );
      expected?.forEach((seconds, index) => {
        const [, left, width] = bars[index] ?? ['', 0, 0];
        const before = expected.slice(0, index).reduce((sum, value) => sum + value, 0);
        expect(Math.abs(left - (track * before) / total)).toBeLessThan(6);
        expect(Math.abs(width - Math.max(3, (track * seconds) / total))).toBeLessThan(3);
      });
      await page.locator('summary').click();
      await page.locator('#call-json pre').filter({ hasText: 'call_id' }).waitFor();
      const json = (await page.locator('#call-json pre').textContent()) ?? '';
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(report)));
      await page.keyboard.press('Escape');
      expect(await page.locator('#call').isVisible()).toBe(false);
      expect(complaints).toEqual([]);
    },
    LONG,
  );

  it(
    'moves nothing while it updates',
    async () => {
      const shop = await watched('Express');
      const { page, upstreams, second } = shop;
      await second(10);
      await caughtUp(shop);
      await page.evaluate(`
        window.shifted = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) window.shifted += entry.value;
        }).observe({ type: 'layout-shift' });`);
      const places = () =>
        page.evaluate(`[...document.querySelectorAll('section, .card, th, .list, .controls')].map((node) => {
          const { x, y, width } = node.getBoundingClientRect();
          return [node.className, x, y, width].join(' ');
        })`);
      const before = await places();
      upstreams.bank = 'down';
      upstreams.search = 'slow';
      for (let turn = 0; turn < 25; turn += 1) await second(20);
      upstreams.bank = 'fine';
      for (let turn = 0; turn < 25; turn += 1) await second(20);
      await shop.clock.advance(60);
      await caughtUp(shop);
      expect(await places()).toEqual(before);
      expect(await page.evaluate('window.shifted')).toBe(0);
    },
    LONG,
  );

  it(
    'has rows only for the calls in sight, and holds still for whoever reads them',
    async () => {
      const shop = await watched('Express');
      const { page, second } = shop;
      for (let turn = 0; turn < 25; turn += 1) {
        await second(80);
        // As many as a frame holds: the page must have each of them.
        await page.waitForTimeout(20);
      }
      await caughtUp(shop);
      const positions = () =>
        page.evaluate<[number, string]>(
          `[document.querySelectorAll('.row').length, document.querySelector('.row').getAttribute('aria-setsize')]`,
        );
      const [rows, all] = await positions();
      expect(Number(all)).toBe(1_000);
      expect(rows).toBeLessThan(40);
      await page.evaluate(`document.getElementById('calls').scrollTop = 20_000`);
      await page.waitForTimeout(50);
      const seen = () => page.locator('.row:not([hidden])').allTextContents();
      const before = await seen();
      await second(30);
      await caughtUp(shop);
      expect(await seen()).toEqual(before);
      expect((await positions())[0]).toBeLessThan(40);
      const fresh = page.locator('#fresh');
      expect(await fresh.textContent()).toMatch(/^\d+ new$/);
      await fresh.click();
      expect(await seen()).not.toEqual(before);
      expect(await fresh.isVisible()).toBe(false);
    },
    LONG,
  );

  it(
    'finds calls by their operation, and those that did not simply succeed',
    async () => {
      const shop = await watched('Express');
      const { page, upstreams, second } = shop;
      upstreams.bank = 'down';
      for (let turn = 0; turn < 3; turn += 1) await second(20);
      await caughtUp(shop);
      await page.locator('#filter').fill('CATALOG');
      const names = await page.locator('.row:not([hidden]) .name').allTextContents();
      expect([...new Set(names)]).toEqual(['CatalogClient.find']);
      await page.locator('#filter').fill('payments');
      await page.locator('#trouble').check();
      const statuses = await page.locator('.row:not([hidden])').allTextContents();
      expect(statuses.length).toBeGreaterThan(3);
      for (const text of statuses) expect(text).toMatch(/failed|attempts/);
    },
    LONG,
  );

  it(
    'operates a circuit breaker with a reason, and says what stands against it',
    async () => {
      const guard = new HeaderGuard('x-operator');
      const { url, state } = await scene('Express', { dashboard: { unsafe: true, operatorGuard: guard } });
      const { page } = await openTab(`${url}/resilience`);
      await page.getByRole('button', { name: 'Hold open: payments' }).click();
      await page.locator('#act-go').click();
      expect(guard.asked).toEqual([]); // a reason is asked for first
      await page.locator('#act-reason').fill('the bank <b>asked</b> for it');
      await page.keyboard.press('Enter');
      await page
        .locator('#act-error')
        .filter({ hasText: /Forbidden/ })
        .waitFor();
      expect(await page.locator('#act-error').textContent()).toBe('Forbidden resource');
      await page.setExtraHTTPHeaders({ 'x-operator': 'yes' });
      await page.keyboard.press('Enter');
      await page.locator('#act').waitFor({ state: 'hidden' });
      expect(state.circuitBreaker('payments')).toMatchObject({
        forced: 'open',
        forced_reason: 'the bank <b>asked</b> for it',
      });
    },
    LONG,
  );
});
