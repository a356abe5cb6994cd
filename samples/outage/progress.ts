import type { ExecutionReport } from 'relprim';
import { statisticsOf } from './statistics.js';
import type { Upstream } from './upstream.js';

/** Where the progress is shown: standard output, or something like it. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** What has happened so far, in one line. */
export function progressLine(
  reports: readonly ExecutionReport[],
  upstreams: readonly Pick<Upstream, 'name' | 'fault'>[],
): string {
  const { calls, kinds } = statisticsOf(reports);
  const lost = kinds.refused + kinds['timed out'] + kinds.failed;
  const trouble = upstreams
    .filter(({ fault }) => fault !== 'none')
    .map(({ name, fault }) => `${name}: ${fault}`);
  return (
    `${String(calls).padStart(3)} calls: ${kinds['first try']} first try, ${kinds.retry} retry, ${kinds.fallback} fallback, ` +
    `${lost} no answer${trouble.length === 0 ? '' : `  [${trouble.join(', ')}]`}`
  );
}

/** Shows a line every second: on a terminal the same one again, elsewhere one below the other. Gives what ends it. */
export function showProgress(screen: Screen, line: () => string): () => void {
  const startMs = performance.now();
  const show = (): void => {
    const seconds = ((performance.now() - startMs) / 1_000).toFixed(1);
    const text = `${seconds.padStart(4)} s  ${line()}`;
    if (screen.isTTY === true) screen.write(`\r\x1b[2K${text.slice(0, (screen.columns ?? 80) - 1)}`);
    else screen.write(`${text}\n`);
  };
  const timer = setInterval(show, 1_000);
  return () => {
    clearInterval(timer);
    show();
    if (screen.isTTY === true) screen.write('\n');
  };
}
