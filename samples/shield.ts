// A shield while its upstream gets slow, is overloaded and recovers: the rate, the timeout and the budget as they move,
// and their curves in shield.svg. It takes about 45 seconds. Run it with
// npm run build && npx tsc -p tsconfig.samples.json && node .build/samples/shield.js
import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { currentAttempt, Shield } from 'relprim';
import { chart, type Reading } from './shield/chart.js';
import { PHASES, Upstream } from './shield/upstream.js';

/** Callers that ask again as soon as they were answered. */
const CALLERS = 10;
const PAUSE_MS = 20;
const EVERY_MS = 500;
/** `--brief`: a tenth of the time, for those who only want to see that it runs. */
const scale = process.argv.includes('--brief') ? 0.1 : 1;

class TooManyRequests extends Error {}

const upstream = new Upstream();
const url = await upstream.listen();
const shield = Shield.internal('inventory', { timeoutErrors: TooManyRequests, env: false });

async function ask(): Promise<void> {
  const { signal } = currentAttempt();
  const response = await fetch(url, { signal });
  if (response.status === 429) throw new TooManyRequests();
}

let answered = 0;
let failed = 0;
const done = new AbortController();

async function caller(): Promise<void> {
  while (!done.signal.aborted) {
    await shield.run(ask).then(
      () => (answered += 1),
      () => (failed += 1),
    );
    await sleep(PAUSE_MS);
  }
}

const callers = Array.from({ length: CALLERS }, caller);
const readings: Reading[] = [];
const startMs = performance.now();
console.log('  time  upstream      answered/s      rate  timeout  retries left');
for (const phase of PHASES) {
  upstream.phase = phase;
  const endMs = performance.now() + phase.seconds * 1_000 * scale;
  while (performance.now() < endMs) {
    const before = answered;
    await sleep(EVERY_MS * scale);
    const { rate, engaged, timeoutSeconds, budget } = shield.snapshot();
    const reading: Reading = {
      seconds: (performance.now() - startMs) / 1_000,
      phase: phase.name,
      rate,
      engaged,
      timeoutMs: timeoutSeconds * 1_000,
      budget,
      answered: ((answered - before) * 1_000) / (EVERY_MS * scale),
    };
    readings.push(reading);
    console.log(line(reading));
  }
}
done.abort();
await Promise.all(callers);
upstream.close();
await writeFile('shield.svg', chart(readings));
console.log(`${answered} calls answered, ${failed} given up. The curves are in shield.svg`);

function line({ seconds, phase, answered: perSecond, rate, engaged, timeoutMs, budget }: Reading): string {
  const limit = engaged ? `${rate.toFixed(1)}/s` : 'no limit';
  return [
    `${seconds.toFixed(1)} s`.padStart(6),
    ` ${phase.padEnd(12)}`,
    perSecond.toFixed(0).padStart(11),
    limit.padStart(9),
    `${timeoutMs.toFixed(0)} ms`.padStart(8),
    String(budget).padStart(13),
  ].join(' ');
}
