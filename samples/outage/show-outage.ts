import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionReport } from 'relprim';
import { accountsTable, verdict } from './accounts.js';
import { startApplication } from './application.js';
import { drive } from './driver.js';
import type { UpstreamName } from './faults.js';
import { progressLine, showProgress } from './progress.js';
import { balances, reconcile } from './reconciliation.js';
import { writeReports } from './report-file.js';
import { legend, resultsTable, stories } from './results.js';
import { startUpstreams } from './upstreams.js';

const LOAD = { requests: 440, everyMs: 32, atMost: 50 };
// Seen from where the compiler puts this file.
const REPORTS_FOLDER = fileURLToPath(new URL('../../../samples/outage/reports/', import.meta.url));

/** Which upstream an operation asks. */
const UPSTREAM_OF: Readonly<Record<string, UpstreamName>> = {
  'CatalogClient.find': 'catalog',
  'PaymentsClient.charge': 'payments',
  'ShippingClient.offer': 'shipping',
  'RatesClient.today': 'rates',
};

/** Runs one outage and shows what became of every call. Gives whether the reports and the upstreams agree. */
export async function showOutage(): Promise<boolean> {
  const upstreams = await startUpstreams();
  const { catalog, payments, shipping, rates } = upstreams;
  const urls = { catalog: catalog.url, payments: payments.url, shipping: shipping.url, rates: rates.url };
  const application = await startApplication(urls);
  const { executor } = application;
  const operationNames = executor.operationNames();

  const reports: ExecutionReport[] = [];
  executor.observe((report) => reports.push(report));

  console.log(`A NestJS application with four clients, each with a policy of its own:

${operationNames.map((name) => `  ${executor.descriptionOf(name).summary}`).join('\n')}

The four upstreams that they ask are going to misbehave, as samples/outage/faults.ts says.
Visitors send ${LOAD.requests} requests to the application, one every ${LOAD.everyMs} ms.
`);

  const endProgress = showProgress(process.stdout, () => progressLine(reports, Object.values(upstreams)));
  await drive(application.url, LOAD);
  endProgress();
  await application.close();
  // Requests whose callers have given up may still be on their way; each wait lets some arrive.
  for (let turn = 0; turn < 3; turn += 1) await delay(50);

  console.log(`
What became of the calls, by their reports:

${resultsTable(operationNames, reports)}

${legend()}

One call of each kind, in the words of its report:

${stories(reports)}
`);

  const accounts = Object.fromEntries(
    Object.entries(upstreams).map(([name, { arrivals }]) => [
      name,
      reconcile(
        reports.filter(({ operationName }) => UPSTREAM_OF[operationName] === name),
        arrivals,
      ),
    ]),
  );
  console.log(`Every upstream wrote down who asked. An attempt that ran must be one request there; a refused one and a
fallback must be none:

${accountsTable(accounts)}

${verdict(accounts)}

All reports, one line of JSON each: ${await writeReports(REPORTS_FOLDER, reports)}`);

  await Promise.all(Object.values(upstreams).map((upstream) => upstream.stop()));
  return Object.values(accounts).every(balances);
}
