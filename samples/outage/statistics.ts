import type { ExecutionReport } from 'relprim';

/** How a call ended, in the words of the table. Every call is of exactly one kind. */
export const KINDS = ['first try', 'retry', 'fallback', 'refused', 'timed out', 'failed'] as const;
export type Kind = (typeof KINDS)[number];

export const MEANING: Record<Kind, string> = {
  'first try': 'answered at the first try',
  retry: 'answered after one or more retries',
  fallback: 'answered by the fallback method',
  refused: 'ended by the open circuit breaker, which spares the upstream another request',
  'timed out': 'ended by a timeout of its last try, or by the deadline of the call',
  failed: 'ended by any other failure',
};

export function kindOf(report: ExecutionReport): Kind {
  const { lastAttempt } = report;
  if (report.succeeded) {
    if (lastAttempt?.fallback === true) return 'fallback';
    return report.retried ? 'retry' : 'first try';
  }
  if (lastAttempt?.metadata.circuit_breaker_open === true) return 'refused';
  return report.status === 'timed_out' ? 'timed out' : 'failed';
}

/** One line of the table. */
export interface Statistics {
  readonly calls: number;
  readonly kinds: Readonly<Record<Kind, number>>;
  /** Half of the calls took no longer. */
  readonly p50Seconds: number;
  readonly p99Seconds: number;
}

export function statisticsOf(reports: readonly ExecutionReport[]): Statistics {
  const kinds = Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Record<Kind, number>;
  for (const report of reports) kinds[kindOf(report)] += 1;
  const durations = reports.map((report) => report.durationSeconds).sort((a, b) => a - b);
  return {
    calls: reports.length,
    kinds,
    p50Seconds: percentile(durations, 50),
    p99Seconds: percentile(durations, 99),
  };
}

/** The value that so many per cent of the others do not exceed; 0 for none. Takes them in rising order. */
export function percentile(rising: readonly number[], percent: number): number {
  return rising[Math.max(0, Math.ceil((rising.length * percent) / 100) - 1)] ?? 0;
}

/** The call of this kind that tells most: the first of those with the most attempts. */
export function exampleOf(kind: Kind, reports: readonly ExecutionReport[]): ExecutionReport | undefined {
  return reports
    .filter((report) => kindOf(report) === kind)
    .reduce<ExecutionReport | undefined>(
      (best, one) => (one.attemptCount > (best?.attemptCount ?? 0) ? one : best),
      undefined,
    );
}
