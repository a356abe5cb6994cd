import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, describe } from '@jest/globals';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

const EXECUTABLE = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'chromium'))
  .find((file) => existsSync(file));

/** Tests that need a browser; without one they are skipped and their title says why. */
export function describeInBrowser(title: string, tests: () => void): void {
  if (EXECUTABLE !== undefined) describe(title, tests);
  else describe.skip(`${title} (no chromium on the PATH; apt-get install chromium gives one)`, tests);
}

const ARGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

let browser: Promise<Browser> | undefined;
const home = mkdtempSync(join(tmpdir(), 'relprim-browser-'));

afterAll(async () => {
  await (await browser)?.close();
  rmSync(home, { recursive: true, force: true });
});

/** A page in a fresh browser context, and what it has complained about. */
export interface Tab {
  readonly page: Page;
  readonly complaints: readonly string[];
}

export async function openTab(url: string, options: BrowserContextOptions = {}): Promise<Tab> {
  browser ??= chromium.launch({
    executablePath: EXECUTABLE as string,
    args: ARGS,
    env: { ...process.env, HOME: home },
  });
  const context = await (await browser).newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(url);
  return { page, complaints };
}

/** The processes in which pages live. */
export async function rendererPids(): Promise<readonly number[]> {
  const session = await (await (browser as Promise<Browser>)).newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
}
