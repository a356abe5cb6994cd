import { expect, it } from '@jest/globals';
import { describeInBrowser, openTab } from './browser.js';
import { openShop } from './shop.js';
import { ANYBODY, scene } from './support.js';

const LONG = 60_000;
const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };

async function shopIn(options: Parameters<typeof openTab>[1]) {
  const shop = await openShop('Express', { unsafe: true, operatorGuard: ANYBODY });
  shop.upstreams.bank = 'down';
  for (let turn = 0; turn < 3; turn += 1) await shop.second(20);
  const tab = await openTab(`${shop.url}/resilience`, options);
  await tab.page.locator('.row').first().waitFor();
  return { ...shop, ...tab };
}

/** The contrast of each text with what is behind it, where it is less than people need. */
const FAINT = `(() => {
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((part) => (part /= 255) <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const numbers = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number);
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const color = numbers(getComputedStyle(at).backgroundColor);
      if (color[3] === undefined || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  const faint = [];
  for (const node of document.querySelectorAll('body *')) {
    const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim() !== '');
    if (!own || node.offsetParent === null) continue;
    const [one, other] = [light(numbers(getComputedStyle(node).color)), light(behind(node))].sort((a, b) => b - a);
    const contrast = (one + 0.05) / (other + 0.05);
    if (contrast < 4.5) faint.push(node.textContent + ' ' + contrast.toFixed(2));
  }
  return faint;
})()`;

describeInBrowser('the page of a dashboard', () => {
  it.each(['light', 'dark'] as const)(
    'can be read by everybody, %s',
    async (colorScheme) => {
      const { page } = await shopIn({ colorScheme });
      expect(await page.evaluate(FAINT)).toEqual([]);
      const background = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
      expect(Number(/\d+/.exec(background)?.[0]) > 128).toBe(colorScheme === 'light');
      await page.locator('.row').first().click();
      await page.waitForSelector('#waterfall li');
      expect(await page.evaluate(FAINT)).toEqual([]);
    },
    LONG,
  );

  it(
    'fits a phone, and opens a call at a touch',
    async () => {
      const { page, complaints } = await shopIn(PHONE);
      const width = () => page.evaluate('document.documentElement.scrollWidth');
      expect(await width()).toBe(360);
      await page.locator('.row').first().tap();
      await page.waitForSelector('#waterfall li');
      expect(await width()).toBe(360);
      const dialog = await page.locator('#call').boundingBox();
      expect((dialog?.x ?? -1) >= 0 && (dialog?.x ?? 0) + (dialog?.width ?? 999) <= 360).toBe(true);
      const small = await page.evaluate(`[...document.querySelectorAll('button, input:not([type=checkbox])')]
      .filter((node) => node.offsetParent && node.getBoundingClientRect().height < 24).length`);
      expect(small).toBe(0);
      expect(complaints).toEqual([]);
    },
    LONG,
  );

  it(
    'can be used by keyboard alone: every control has its turn and a name',
    async () => {
      const { page } = await shopIn({});
      const turns: string[] = [];
      for (let turn = 0; turn < 11; turn += 1) {
        await page.keyboard.press('Tab');
        turns.push(
          await page.evaluate<string>(
            `(({ id, textContent, ariaLabel }) => ariaLabel ?? (id || textContent))(document.activeElement)`,
          ),
        );
      }
      expect(turns).toEqual([
        'Skip to the calls',
        'Hold open: payments',
        'Hold closed: payments',
        'Reset: payments',
        'Hold open: catalog',
        'Hold closed: catalog',
        'Reset: catalog',
        'changes',
        'filter',
        'trouble',
        'Calls, newest first',
      ]);
      const nameless =
        await page.evaluate(`[...document.querySelectorAll('button, input, select, [role=listbox]')]
      .filter((node) => !(node.ariaLabel || node.textContent.trim() || node.closest('label') || node.labels?.length)).map((node) => node.id)`);
      expect(nameless).toEqual([]);
    },
    LONG,
  );

  it(
    'has a history where it has a store, page by page',
    async () => {
      const asked: object[] = [];
      const history = {
        reports: async (options: object) => {
          asked.push(options);
          return [];
        },
        history: async () => [],
      };
      const { url } = await scene('Express', { dashboard: { unsafe: true, history } });
      const { page, complaints } = await openTab(`${url}/resilience`);
      await page.getByRole('tab', { name: 'Now' }).focus();
      await page.keyboard.press('ArrowRight');
      await page.locator('#past-note').filter({ hasText: 'No call is stored there' }).waitFor();
      await page.locator('#past-operation').fill('Client.call');
      await page.keyboard.press('Enter');
      await page.waitForTimeout(100);
      const first = { limit: 50, order: 'newest-first' };
      expect(asked).toEqual([first, { ...first, operationName: 'Client.call' }]);
      expect(await page.locator('#past-older').isDisabled()).toBe(true);
      await page.getByRole('tab', { name: 'Now' }).click();
      expect(await page.locator('#breakers .card').count()).toBe(2);
      expect(complaints).toEqual([]);
    },
    LONG,
  );

  it(
    'says when the application is gone, and goes on when it is back',
    async () => {
      const one = await scene('Express');
      const { page } = await openTab(`${one.url}/resilience`);
      const link = page.locator('#link');
      await link.filter({ hasText: /^live$/ }).waitFor();
      const port = new URL(one.url).port;
      await one.app.close();
      await link.filter({ hasText: 'connection lost, trying again' }).waitFor();
      const other = await scene('Express', { port: Number(port) });
      await link.filter({ hasText: /^live$/ }).waitFor({ timeout: 20_000 });
      expect(other.site.viewerCount).toBe(1);
    },
    LONG,
  );
});
