import { startApplication } from './application.js';
import { drive } from './driver.js';
import { startUpstreams } from './upstreams.js';

const LOAD = { requests: Infinity, everyMs: 40, atMost: 50 };

/** How outages are watched, and until when. */
export interface Watching {
  /** Where the application listens, on this machine; 0 for any port that is free. */
  readonly port: number;
  readonly signal: AbortSignal;
  readonly print: (text: string) => void;
}

/** Lets one outage follow another, for people to watch on the page of the application. */
export async function watchOutages({ port, signal, print }: Watching): Promise<void> {
  const upstreams = await startUpstreams({ again: true });
  const { catalog, payments, shipping, rates } = upstreams;
  const urls = { catalog: catalog.url, payments: payments.url, shipping: shipping.url, rates: rates.url };
  const application = await startApplication(urls, { port, hasDashboard: true });
  print(`Visitors come, and the upstreams misbehave by turns. Watch it, and hold or reset a circuit breaker:

  ${application.url}/resilience

Ctrl+C ends it.`);
  await drive(application.url, LOAD, signal);
  await application.close();
  await Promise.all(Object.values(upstreams).map((upstream) => upstream.stop()));
}
