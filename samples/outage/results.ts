import type { ExecutionReport } from 'relprim';
import { exampleOf, KINDS, MEANING, statisticsOf } from './statistics.js';
import { table } from './table.js';

/** What became of the calls: a line for each operation, and one for all. */
export function resultsTable(operationNames: readonly string[], reports: readonly ExecutionReport[]): string {
  const row = (title: string, some: readonly ExecutionReport[]): (string | number)[] => {
    const { calls, kinds, p50Seconds, p99Seconds } = statisticsOf(some);
    return [
      title,
      calls,
      ...KINDS.map((kind) => kinds[kind]),
      milliseconds(p50Seconds),
      milliseconds(p99Seconds),
    ];
  };
  return table(
    ['operation', 'calls', ...KINDS, 'p50', 'p99'],
    [
      ...operationNames.map((name) =>
        row(
          name,
          reports.filter(({ operationName }) => operationName === name),
        ),
      ),
      row('all', reports),
    ],
  );
}

/** What the columns mean. */
export function legend(): string {
  const width = Math.max(...KINDS.map((kind) => kind.length));
  return KINDS.map((kind) => `  ${kind.padEnd(width)}  ${MEANING[kind]}`).join('\n');
}

/** The story of one call of each kind, as its report tells it. */
export function stories(reports: readonly ExecutionReport[]): string {
  return KINDS.map((kind) => {
    const story = exampleOf(kind, reports)?.explain() ?? 'there was no such call in this run';
    return `${kind}\n${story.replace(/^/gm, '  ')}`;
  }).join('\n\n');
}

function milliseconds(seconds: number): string {
  return `${Math.round(seconds * 1_000)} ms`;
}
