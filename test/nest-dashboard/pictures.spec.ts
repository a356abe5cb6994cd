import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { describeInBrowser, openTab, type Tab } from './browser.js';
import { openShop, type Shop } from './shop.js';
import { ANYBODY } from './support.js';

/** Where they go. `RELPRIM_PICTURES=docs/images` renews those of the documentation. */
const FOLDER = join(import.meta.dirname, '../..', process.env['RELPRIM_PICTURES'] ?? '.build/pictures');
const DESK = { viewport: { width: 1140, height: 760 } };
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

async function seconds(shop: Shop, count: number): Promise<void> {
  for (let second = 0; second < count; second += 1) await shop.second(12);
}

describeInBrowser('the pictures of the page', () => {
  it('show an outage, light and dark, on a phone and in a single call', async () => {
    mkdirSync(FOLDER, { recursive: true });
    const shop = await openShop('Express', { unsafe: true, operatorGuard: ANYBODY });
    const url = `${shop.url}/resilience`;
    const light = await openTab(url, { colorScheme: 'light', ...DESK });
    await seconds(shop, 170);
    shop.upstreams.search = 'slow';
    await seconds(shop, 20);
    shop.upstreams.bank = 'down';
    shop.upstreams.search = 'fine';
    await seconds(shop, 12);
    shop.upstreams.bank = 'fine';
    await seconds(shop, 40);
    shop.upstreams.bank = 'down';
    await seconds(shop, 3);
    const dark = await openTab(url, { colorScheme: 'dark', ...DESK });
    const phone = await openTab(url, PHONE);
    const picture = async ({ page }: Tab, name: string) => {
      await page.locator('.row').first().waitFor();
      await page.waitForTimeout(400);
      await page.screenshot({ path: join(FOLDER, `dashboard-${name}.png`) });
    };
    await picture(light, 'light');
    await picture(dark, 'dark');
    await picture(phone, 'phone');
    await light.page.locator('#trouble').check();
    await light.page.locator('#filter').fill('charge');
    await light.page.locator('#calls').scrollIntoViewIfNeeded();
    await light.page.locator('.row:not([hidden])', { hasText: '4 attempts, fallback' }).first().click();
    await light.page.waitForSelector('#waterfall li');
    await picture(light, 'waterfall');
    const pictures = readdirSync(FOLDER).filter((name) => name.startsWith('dashboard-'));
    expect(pictures.sort()).toEqual(
      ['dark', 'light', 'phone', 'waterfall'].map((name) => `dashboard-${name}.png`),
    );
    for (const name of pictures) {
      const { size } = statSync(join(FOLDER, name));
      expect(size).toBeGreaterThan(10_000);
      expect(size).toBeLessThan(150_000);
    }
    expect([light, dark, phone].flatMap(({ complaints }) => complaints)).toEqual([]);
  }, 120_000);
});
