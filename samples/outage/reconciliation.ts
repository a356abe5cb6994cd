import type { ExecutionAttempt, ExecutionReport } from 'relprim';

/** The attempts that the reports speak of, beside the requests that an upstream wrote down. */
export interface Reconciliation {
  readonly reported: number;
  /** Attempts that a circuit breaker refused: nothing was sent. */
  readonly refused: number;
  /** Attempts of fallback methods: none of ours asks an upstream. */
  readonly fallbacks: number;
  /** Attempts whose time was up before their request had left this process: a very busy machine. */
  readonly unsent: number;
  /** `reported` without `refused`, `fallbacks` and `unsent`. */
  readonly expected: number;
  readonly arrived: number;
  /** Attempts that should have arrived and did not. */
  readonly missing: readonly string[];
  /** Requests of no reported attempt, or a second one of the same attempt. */
  readonly surplus: readonly string[];
}

/** Compares them one by one. An arrival is `<call id>/<attempt number>`. */
export function reconcile(reports: readonly ExecutionReport[], arrivals: readonly string[]): Reconciliation {
  const attempts = reports.flatMap(({ callId, attempts }) =>
    attempts.map((attempt) => ({ id: `${callId}/${attempt.attemptNumber}`, attempt })),
  );
  const fallbacks = attempts.filter(({ attempt }) => attempt.fallback);
  const refused = attempts.filter(({ attempt }) => isRefused(attempt));
  const ran = attempts.filter(({ attempt }) => !attempt.fallback && !isRefused(attempt));
  const arrived = new Set(arrivals);
  const absent = ran.filter(({ id }) => !arrived.has(id));
  const unsent = absent.filter(({ attempt }) => attempt.status === 'timed_out');
  const known = new Set(ran.map(({ id }) => id));
  return {
    reported: attempts.length,
    refused: refused.length,
    fallbacks: fallbacks.length,
    unsent: unsent.length,
    expected: ran.length - unsent.length,
    arrived: arrivals.length,
    missing: absent.filter((one) => !unsent.includes(one)).map(({ id }) => id),
    surplus: arrivals.filter((id, index) => !known.has(id) || arrivals.indexOf(id) !== index),
  };
}

export function balances({ missing, surplus }: Reconciliation): boolean {
  return missing.length === 0 && surplus.length === 0;
}

function isRefused(attempt: ExecutionAttempt): boolean {
  return attempt.metadata.circuit_breaker_open === true;
}
