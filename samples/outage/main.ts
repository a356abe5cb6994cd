// An outage, and what the clients of one application make of it: `npm start`. To watch outages that come and go on a
// page in the application: `npm start -- --dashboard`.
import 'reflect-metadata';
import { showOutage } from './show-outage.js';
import { watchOutages } from './watch-outages.js';

if (process.argv.includes('--dashboard')) {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const port = Number(process.env['PORT'] ?? 3000);
  await watchOutages({ port, signal: stop.signal, print: (text) => console.log(text) });
} else {
  process.exitCode = (await showOutage()) ? 0 : 1;
}
