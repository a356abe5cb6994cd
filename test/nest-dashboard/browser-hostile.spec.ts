import { expect, it } from '@jest/globals';
import { Inject, Injectable } from '@nestjs/common';
import {
  ExecutionAttempt,
  ExecutionReport,
  Resilient,
  StructuredEvent,
  type AnyEvent,
} from '../../lib/index.js';
import { ResilienceState } from '../../nest-module/index.js';
import { describeInBrowser, openTab } from './browser.js';
import { ANYBODY, serveDashboard } from './support.js';

const LONG = 60_000;
const IMG = '<img src=x onerror="window.pwned=1">';
const SCRIPT = '</script><script>window.pwned=2</script>';
const JS = '"><svg/onload=window.pwned=3>${window.pwned=4}';

class HostileError extends Error {
  override readonly name = IMG;
}

@Injectable()
class Client {
  constructor(@Inject(ResilienceState) readonly state: ResilienceState) {}

  @Resilient({
    name: IMG,
    retries: 1,
    backoff: { delayForRetry: () => 0 },
    circuitBreaker: SCRIPT,
    fallback: 'b',
  })
  async a(): Promise<string> {
    throw new HostileError(`${JS} ${SCRIPT}`);
  }

  @Resilient({ name: JS, maxConcurrent: 3 })
  async b(): Promise<string> {
    throw new HostileError(SCRIPT);
  }
}

/** A store of which somebody else has written. */
const history = {
  reports: async () => [
    {
      sequenceId: 1,
      report: new ExecutionReport({
        operationName: IMG,
        callId: SCRIPT,
        status: 'succeeded',
        startedAt: new Date(0),
        durationSeconds: 1,
        attempts: [
          new ExecutionAttempt({
            attemptNumber: 1,
            status: 'succeeded',
            startedAt: new Date(0),
            durationSeconds: 1,
          }),
        ],
      }),
    },
  ],
  history: async () => [
    {
      sequenceId: 1,
      event: new StructuredEvent({
        eventType: IMG as AnyEvent['eventType'],
        operationName: SCRIPT,
        timestamp: new Date(0),
        payload: { reason: JS } as never,
      }) as unknown as AnyEvent,
    },
  ],
};

async function hostile() {
  const site = await serveDashboard('Express', {
    dashboard: { unsafe: true, operatorGuard: ANYBODY, history },
    options: {
      circuitBreakers: [{ name: SCRIPT, failureThreshold: 1 }],
      silenceWarnings: ['retries-without-retry-on'],
    },
    metadata: { providers: [Client] },
  });
  const client = site.app.get(Client);
  for (let call = 0; call < 3; call += 1) await client.a().catch(() => undefined);
  site.state.forceOpen(SCRIPT, `${IMG} ${JS}`);
  const asked: string[] = [];
  const tab = await openTab(`${site.url}/resilience`);
  tab.page.on('request', (request) => asked.push(request.url()));
  await tab.page.locator('.row .name', { hasText: IMG }).first().waitFor();
  return { ...site, ...tab, asked };
}

/** Whether anything but the page's own code has run, and what there is that the page has not. */
const INTRUDERS = `[typeof window.pwned, document.images.length, document.scripts.length,
  document.querySelectorAll('svg[onload], iframe, object, [onerror]').length]`;

describeInBrowser('the page of a dashboard, told hostile names and messages,', () => {
  it(
    'shows them as the texts that they are, everywhere',
    async () => {
      const { page, complaints, asked } = await hostile();
      const text = (selector: string) => page.locator(selector).first().textContent();
      expect(await text('#breakers h3')).toBe(SCRIPT);
      expect(await text('#breakers .fact dd')).toBe(`held: ${IMG} ${JS}`);
      expect(await page.locator('#operations td:first-child').allTextContents()).toEqual([IMG, JS]);
      expect(await text('#changes li')).toContain(`${SCRIPT}: held open: ${IMG} ${JS}`);
      await page.locator('.row', { hasText: IMG }).first().click();
      await page.waitForSelector('#waterfall li');
      expect(await text('#call-title')).toMatch(/^<img src=x onerror="window.pwned=1"> failed after/);
      expect(await text('#waterfall .says')).toContain(SCRIPT);
      await page.locator('summary').click();
      await page.locator('#call-json pre').filter({ hasText: 'onerror' }).waitFor();
      await page.locator('#call-close').click();
      await page.getByRole('button', { name: `Reset: ${SCRIPT}` }).click();
      expect(await text('#act-title')).toBe(`Reset: ${SCRIPT}`);
      await page.locator('#act-cancel').click();
      expect(await page.evaluate(INTRUDERS)).toEqual(['undefined', 0, 1, 0]);
      expect(complaints).toEqual([]);
      expect(asked.filter((url) => !/\/resilience\/(events|executions\/[0-9a-f-]{36})$/.test(url))).toEqual(
        [],
      );
    },
    LONG,
  );

  it(
    'shows what comes from a store as texts, too',
    async () => {
      const { page, complaints } = await hostile();
      await page.getByRole('tab', { name: 'History' }).click();
      await page.locator('#past-rows .row').first().waitFor();
      expect(await page.locator('#past-rows .name').textContent()).toBe(IMG);
      await page.locator('#past-rows .row').click();
      expect(await page.locator('#call-about').textContent()).toContain(SCRIPT);
      await page.keyboard.press('Escape');
      await page.locator('#past-kind').selectOption('events');
      await page.getByRole('button', { name: 'Show newest' }).click();
      const row = page.locator('#past-rows .event');
      await row.waitFor();
      expect(await row.locator('span').nth(1).textContent()).toBe(IMG);
      expect(await row.locator('.tries').textContent()).toBe(JSON.stringify({ reason: JS }));
      expect(await page.evaluate(INTRUDERS)).toEqual(['undefined', 0, 1, 0]);
      expect(complaints).toEqual([]);
    },
    LONG,
  );

  it(
    'has a policy that stops what would be put into it all the same',
    async () => {
      const { page } = await hostile();
      const stopped: (string | undefined)[] = [];
      page.on('requestfailed', (request) => stopped.push(request.failure()?.errorText));
      // Later, as what DevTools runs may do more.
      const tried = await page.evaluate<string[]>(`new Promise((resolve) => setTimeout(() => {
        const tries = [
          () => (document.body.innerHTML = '<img src=x onerror="window.pwned=1">'),
          () => eval('window.pwned = 2'),
          () => document.body.setAttribute('onclick', 'window.pwned = 3'),
          () => document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.pwned = 4' })),
        ];
        resolve(tries.map((attempt) => {
          try {
            attempt();
            return 'allowed';
          } catch (error) {
            return error.name;
          }
        }));
      }))`);
      expect(tried).toEqual(['TypeError', 'EvalError', 'TypeError', 'TypeError']);
      const reached = await page.evaluate(`Promise.allSettled([
        fetch('http://127.0.0.1:9/'),
        new Promise((resolve, reject) => {
          const image = new Image();
          image.onload = resolve;
          image.onerror = () => reject(new Error('refused'));
          image.src = '/picture.png';
        }),
      ]).then((all) => all.map(({ status }) => status))`);
      expect(reached).toEqual(['rejected', 'rejected']);
      expect(new Set(stopped)).toEqual(new Set(['csp']));
      expect(await page.evaluate('typeof window.pwned')).toBe('undefined');
    },
    LONG,
  );
});
