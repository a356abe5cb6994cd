import { HttpException } from '@nestjs/common';
import { isObject, retryAfterFromHeaders, statusOf } from '../../lib/container.js';
import { RelPrimError } from '../../lib/index.js';
import { ownProblem, tooManyRequests, type Problem } from './problem.js';

/** The answer to an HTTP request: the application's own word, a problem of ours, or `undefined`: neither is in the error. */
export type Answer = HttpException | Problem | undefined;

/** Looks through our wrappers, and no further: what is inside an error of somebody else is its own affair. */
export function answerTo(error: unknown, nowMs: number): Answer {
  return search(error, nowMs, new Map());
}

/** What is known of the errors that were looked at. */
type Known = Map<object, Answer>;

function search(error: unknown, nowMs: number, known: Known): Answer {
  if (!isObject(error)) return undefined;
  if (known.has(error)) return known.get(error);
  // Wrappers may form a ring: until it is known, an error says nothing.
  known.set(error, undefined);
  const answer = say(error, nowMs, known);
  known.set(error, answer);
  return answer;
}

function say(error: object, nowMs: number, known: Known): Answer {
  if (error instanceof HttpException) return error;
  const answer =
    error instanceof RelPrimError ? (ownProblem(error) ?? inside(error, nowMs, known)) : undefined;
  if (answer !== undefined || statusOf(error) !== 429) return answer;
  return tooManyRequests(retryAfterFromHeaders(error, { nowMs }));
}

function inside(error: RelPrimError, nowMs: number, known: Known): Answer {
  const look = (failure: unknown): Answer => search(failure, nowMs, known);
  switch (error.code) {
    case 'RELPRIM_OPERATION_FAILED':
    case 'RELPRIM_RETRIES_EXHAUSTED':
    case 'RELPRIM_NON_RETRYABLE':
      return look(error.cause);
    case 'RELPRIM_RETRY_AFTER_EXTRACTION':
      return look((error as Partial<Limited>).rateLimitError);
    case 'RELPRIM_FALLBACKS_FAILED':
      return ofChain(error as Partial<Chain>, look);
    default:
      return undefined;
  }
}

interface Limited {
  readonly rateLimitError: unknown;
}

interface Chain {
  readonly failures: readonly unknown[];
  readonly primaryFailure: unknown;
}

/**
 * An HttpException is what the application wants to say, and its latest word counts. Without one, what went wrong is
 * the primary failure; a stand-in that could not help is no news to the client.
 */
function ofChain(
  { failures = [], primaryFailure }: Partial<Chain>,
  look: (failure: unknown) => Answer,
): Answer {
  const standIns = failures.map(look).reverse();
  const primary = look(primaryFailure);
  const said = [...standIns, primary].find((answer) => answer instanceof HttpException);
  return said ?? (primaryFailure === undefined ? standIns[0] : primary);
}
