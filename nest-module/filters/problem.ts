import type { RelPrimError } from '../../lib/index.js';
import { retryAfterHeader } from './retry-after-header.js';

/** Fixed words of RFC 9457 alone: an answer tells strangers no names, messages or arguments. */
export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
}

/** An answer of ours to an HTTP request that failed. */
export interface Problem {
  readonly body: ProblemBody;
  /** Whole seconds; `undefined` when nobody knows. */
  readonly retryAfter: string | undefined;
}

/** Statuses and titles by the code of the error. */
const PROBLEMS: ReadonlyMap<unknown, readonly [status: number, title: string]> = new Map([
  ['RELPRIM_CIRCUIT_BREAKER_OPEN', [503, 'A service that is needed here is not available']],
  ['RELPRIM_TIMEOUT', [504, 'A service that is needed here did not answer in time']],
  ['RELPRIM_VALIDATION_FAILED', [502, 'A service that is needed here gave an answer of no use']],
  ['RELPRIM_SHIELD_LIMITED', [503, 'A service that is needed here is overloaded']],
  ['RELPRIM_CONCURRENCY_LIMIT', [503, 'Too many requests at once']],
  ['RELPRIM_SHUTDOWN', [503, 'The server is shutting down']],
  ['RELPRIM_IDEMPOTENCY_CONFLICT', [422, 'The idempotency key belongs to another request']],
  ['RELPRIM_IDEMPOTENCY_IN_FLIGHT', [409, 'A request with this idempotency key is being processed']],
  [
    'RELPRIM_IDEMPOTENCY_RESULT_UNAVAILABLE',
    [409, 'This was done before, and its result cannot be given again'],
  ],
  ['RELPRIM_IDEMPOTENCY_STORE', [503, 'It cannot be told whether this was done before']],
]);

/** The problem that an error of ours stands for by itself. */
export function ownProblem(error: RelPrimError): Problem | undefined {
  const known = PROBLEMS.get(error.code);
  if (known === undefined) return undefined;
  return problem(error.code, ...known, (error as { retryAfterSeconds?: unknown }).retryAfterSeconds);
}

/** What an upstream that limits its callers leaves to say. */
export function tooManyRequests(retryAfterSeconds: number | undefined): Problem {
  return problem('RELPRIM_RATE_LIMITED', 429, 'Too many requests', retryAfterSeconds);
}

function problem(code: string, status: number, title: string, retryAfterSeconds: unknown): Problem {
  const kind = code.replace('RELPRIM_', '').toLowerCase().replaceAll('_', '-');
  return {
    body: { type: `urn:relprim:problem:${kind}`, title, status, code },
    retryAfter: retryAfterHeader(retryAfterSeconds),
  };
}
