import { setTimeout as delay } from 'node:timers/promises';

/** How much is asked of the application. */
export interface Load {
  readonly requests: number;
  /** From the start of one request to the start of the next. */
  readonly everyMs: number;
  /** How many may be under way at once. */
  readonly atMost: number;
}

/**
 * Sends requests to the application at a steady pace, as its visitors would, and waits for all the answers. A signal
 * ends it early.
 */
export async function drive(
  applicationUrl: string,
  { requests, everyMs, atMost }: Load,
  signal?: AbortSignal,
): Promise<void> {
  const underWay = new Set<Promise<void>>();
  const startMs = performance.now();
  for (let number = 0; number < requests && signal?.aborted !== true; number += 1) {
    await delay(Math.max(0, startMs + number * everyMs - performance.now()));
    while (underWay.size >= atMost) await Promise.race(underWay);
    const visit = send(applicationUrl, number).finally(() => underWay.delete(visit));
    underWay.add(visit);
  }
  await Promise.all(underWay);
}

/** The visitors take turns at the four things that the application does. */
async function send(applicationUrl: string, number: number): Promise<void> {
  const pages = [
    { path: '/products/kettle' },
    { path: `/orders/${number}/charge`, method: 'POST' },
    { path: `/orders/${number}/shipping` },
    { path: '/rates/NOK' },
  ];
  const { path, method = 'GET' } = pages[number % pages.length] ?? { path: '/' };
  // What the answer says, the report of the call says better.
  const response = await fetch(applicationUrl + path, { method });
  await response.arrayBuffer();
}
