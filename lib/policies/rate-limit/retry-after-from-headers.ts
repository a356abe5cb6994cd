import { checkName, checkOptions, checkTimeOptions, refuse, type TimeOptions } from '../../errors/check.js';
import { isObject, read, statusOf } from '../../errors/http-failure.js';
import { systemClock } from '../../time/clock.js';
import { readHeaders } from './header-bag.js';
import { hintInHeaders, LONGEST_HINT } from './hint-in-headers.js';
import type { RetryAfterContext } from './rate-limit-policy.js';

/** Options of {@link retryAfterExtractor}. */
export interface RetryAfterExtractorOptions extends Pick<TimeOptions, 'clock'> {
  /** More headers that say when a limit is lifted: `['X-Shop-Reset-At']`. They are asked first. */
  readonly headers?: readonly string[] | undefined;
}

/** Causes and wrappers may form a ring; real ones are nested two or three deep. */
const MOST_LAYERS = 8;

/**
 * How long a failed HTTP or gRPC call asks to wait, in seconds, by the headers that its client left in the failure or
 * beneath it; `undefined` where there is no hint. Never 0, NaN or above 2³¹. For the `retryAfter` option; by itself it
 * measures dates against the machine's clock, unless the answer tells the server's.
 */
export function retryAfterFromHeaders(
  error: unknown,
  context?: Partial<RetryAfterContext>,
): number | undefined {
  return search(error, context?.nowMs ?? systemClock.wallMs(), []);
}

/**
 * `retryAfterFromHeaders` with options.
 * @throws {ConfigurationError} for a blank name, or a list that is none.
 */
export function retryAfterExtractor(
  options: RetryAfterExtractorOptions = {},
): (error: unknown, context?: Partial<RetryAfterContext>) => number | undefined {
  checkOptions('retryAfterExtractor', options, ['headers', 'clock']);
  checkTimeOptions(options);
  const { headers = [], clock } = options;
  if (!Array.isArray(headers)) refuse('headers', headers, 'give a list of names');
  const alsoRead = headers.map((name, index) => checkName(`headers[${index}]`, name).trim().toLowerCase());
  return (error, context) =>
    search(error, clock?.wallMs() ?? context?.nowMs ?? systemClock.wallMs(), alsoRead);
}

function search(error: unknown, nowMs: number, alsoRead: readonly string[]): number | undefined {
  let failure = error;
  for (let depth = 0; depth < MOST_LAYERS && isObject(failure); depth += 1) {
    const code = read(failure, 'code');
    // A refusal of ours has the failure of an earlier attempt as its cause: what that asked for has been waited.
    if (code === 'RELPRIM_CIRCUIT_BREAKER_OPEN') return undefined;
    const hint = hintIn(failure, nowMs, alsoRead);
    if (hint !== undefined) return hint > 0 ? Math.min(hint, LONGEST_HINT) : undefined;
    failure = read(failure, code === 'RELPRIM_FALLBACKS_FAILED' ? 'primaryFailure' : 'cause');
  }
  return undefined;
}

function hintIn(failure: object, nowMs: number, alsoRead: readonly string[]): number | undefined {
  const status = statusOf(failure);
  const context = { nowMs, alsoRead, refusedForNow: status === 429 || status === 503 };
  for (const headers of headersIn(failure)) {
    const hint = hintInHeaders(readHeaders(headers), context);
    if (hint !== undefined) return hint;
  }
  return undefined;
}

/** Where clients keep the headers of an answer. Never those of a request: they are the application's own. */
function headersIn(failure: object): readonly unknown[] {
  const answers = ['response', '$response'].map((place) => read(failure, place)).filter(isObject);
  return [
    read(failure, 'headers'),
    // Node keeps one of two equal headers; the raw ones are all there.
    ...answers.flatMap((answer) => [read(answer, 'rawHeaders'), read(answer, 'headers')]),
    read(failure, 'responseHeaders'),
    read(failure, 'metadata'),
  ];
}
