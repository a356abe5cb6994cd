import { msToSeconds } from '../../time/duration.js';
import type { HeaderBag } from './header-bag.js';
import { instantMs } from './instant.js';
import { fieldSeconds, resetHeaderSeconds } from './rate-limit-headers.js';
import { decimal, longest, resetSeconds, waitSeconds } from './wait-values.js';

/**
 * The longest hint, in seconds: RFC 9111 (1.2.2) takes every longer delay for 2³¹. It also stands for "never": no wait
 * that long is ever begun.
 */
export const LONGEST_HINT = 2_147_483_648;

/** One header may be several for the limits of a server: Nest's throttler sends `Retry-After-<name>`. */
const isRetryAfter = (name: string): boolean => /^retry-after(?:-(?!ms$).+)?$/.test(name);
const isRetryAfterMs = (name: string): boolean => /^(?:x-ms-)?retry-after-ms$/.test(name);
const isDate = (name: string): boolean => name === 'date';
/** A date has a comma of its own, after the name of the day. */
const ONE_OF_LIST = /\s*(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,)?[^,]+/gi;

/** What is known beside the headers. */
export interface HintContext {
  readonly nowMs: number;
  /** The answer says by its status that this call was refused for now. */
  readonly refusedForNow: boolean;
  /** Headers of the application's own choice, in lower case. */
  readonly alsoRead: readonly string[];
}

/**
 * The wait that headers ask for, from the most to the least explicit; 0 where they ask for none. Times of day go by
 * the clock of the server, where it tells its time.
 */
export function hintInHeaders(headers: HeaderBag, context: HintContext): number | undefined {
  const { refusedForNow, alsoRead } = context;
  const nowMs = longestOf(headers, isDate, (text) => instantMs(text, context.nowMs)) ?? context.nowMs;
  const alsoNamed = (name: string): boolean => alsoRead.includes(name);
  return (
    pushBackSeconds(headers.get('grpc-retry-pushback-ms')) ??
    longestOf(headers, alsoNamed, (text) => resetSeconds(text, nowMs)) ??
    longestOf(headers, isRetryAfterMs, millisecondsAsSeconds) ??
    longestOf(headers, isRetryAfter, (text) => waitSeconds(text, nowMs)) ??
    fieldSeconds(headers.get('ratelimit'), refusedForNow) ??
    resetHeaderSeconds(headers, refusedForNow, nowMs)
  );
}

/** gRPC (gRFC A6): milliseconds, where anything else, a negative number above all, means "do not try again". */
function pushBackSeconds(values: readonly string[] = []): number | undefined {
  const [first] = values;
  if (first === undefined) return undefined;
  return /^\d+$/.test(first) ? msToSeconds(Number(first)) : LONGEST_HINT;
}

function millisecondsAsSeconds(text: string): number | undefined {
  const ms = decimal(text);
  return ms === undefined ? undefined : msToSeconds(ms);
}

/** What the headers of these names ask for, and those among them that came more than once. */
function longestOf(
  headers: HeaderBag,
  isMeant: (name: string) => boolean,
  read: (text: string) => number | undefined,
): number | undefined {
  const meant = [...headers].flatMap(([name, values]) => (isMeant(name) ? values : []));
  return longest(meant.map((value) => inList(value, read)));
}

/** Headers that came twice may have been joined by commas. A list with a part that means nothing is no such list. */
function inList(value: string, read: (text: string) => number | undefined): number | undefined {
  const parts = (value.match(ONE_OF_LIST) ?? []).map((part) => part.trim()).filter((part) => part !== '');
  const waits = parts.map(read);
  return waits.includes(undefined) ? undefined : longest(waits);
}
