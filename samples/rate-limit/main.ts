// A provider that limits the rate, a client that obeys it and one that does not. Run it with
// npm run build && npx tsc -p tsconfig.samples.json && node .build/samples/rate-limit/main.js
import { table } from '../outage/table.js';
import { ObedientClient, StubbornClient } from './clients.js';
import { doJobs, type Outcome } from './job-queue.js';
import { Provider } from './provider.js';

const JOBS = 14;
const AT_ONCE = 5;

const provider = new Provider();
await provider.start();
const clients = [new ObedientClient(provider.url), new StubbornClient(provider.url)];

console.log(`A provider grants each client 4 requests at once and 4 more a second, and answers others with 429 and
Retry-After: 1. Two clients have ${JOBS} jobs each, ${AT_ONCE} at a time, and up to 10 tries for a job. One waits as long as the
provider asks, the other 50 ms.
`);

const outcomes = await Promise.all(clients.map((client) => doJobs(client, JOBS, AT_ONCE)));
await provider.stop();

const rows = clients.map(({ name }, index) => {
  const { requests, refused } = provider.ledgerOf(name);
  const { reports, seconds } = outcomes[index] as Outcome;
  const done = reports.filter(({ succeeded }) => succeeded).length;
  return [name, requests, refused, done, reports.length - done, `${seconds.toFixed(1)} s`];
});
console.log(`${table(['client', 'requests', 'refused', 'jobs done', 'jobs lost', 'time'], rows)}

A call of each that was refused, in the words of its report:
${outcomes.map(({ reports }) => `\n${reports.find(({ retried }) => retried)?.explain()}`).join('\n')}`);
