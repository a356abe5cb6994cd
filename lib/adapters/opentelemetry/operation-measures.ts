import type { Attributes } from '@opentelemetry/api';
import type { ExecutionStatus } from '../../report/execution-report.js';
import {
  ATTEMPT_KIND,
  ATTEMPT_OUTCOME,
  IDEMPOTENCY_STATUS,
  OPERATION_NAME,
  OPERATION_OUTCOME,
} from './attributes.js';
import type { Instruments } from './instruments.js';
import type { Tally } from './tally-counter.js';

const STATUSES = ['succeeded', 'failed', 'timed_out', 'cancelled'] as const satisfies ExecutionStatus[];
const ATTEMPT_OUTCOMES = [...STATUSES, 'refused'] as const;
const ROLES = ['executed', 'joined', 'replayed', 'none'] as const;

type ByOutcome = Readonly<Record<(typeof ATTEMPT_OUTCOMES)[number], Tally>>;

/** What the calls of one operation are measured with, made once: a call only picks. */
export interface OperationMeasures {
  /** As it is told: the name of many, where there are too many. */
  readonly name: string;
  readonly outcome: Readonly<Record<ExecutionStatus, Attributes>>;
  readonly primary: ByOutcome;
  readonly fallback: ByOutcome;
  readonly idempotency: Readonly<Record<(typeof ROLES)[number], Tally>>;
}

export function operationMeasures(name: string, instruments: Instruments): OperationMeasures {
  const own = { [OPERATION_NAME]: name };
  const ofAttempts = (kind: string): ByOutcome =>
    forEach(ATTEMPT_OUTCOMES, (outcome) =>
      instruments.attempts.tally({ ...own, [ATTEMPT_KIND]: kind, [ATTEMPT_OUTCOME]: outcome }),
    );
  return {
    name,
    outcome: forEach(STATUSES, (status) => ({ ...own, [OPERATION_OUTCOME]: status })),
    primary: ofAttempts('primary'),
    fallback: ofAttempts('fallback'),
    idempotency: forEach(ROLES, (role) =>
      instruments.idempotencyCalls.tally({ ...own, [IDEMPOTENCY_STATUS]: role }),
    ),
  };
}

function forEach<K extends string, T>(words: readonly K[], make: (word: K) => T): Readonly<Record<K, T>> {
  return Object.fromEntries(words.map((word) => [word, make(word)])) as Record<K, T>;
}
