import { msToSeconds } from '../../time/duration.js';
import type { HeaderBag } from './header-bag.js';
import { decimal, longest, resetSeconds } from './wait-values.js';

const QUOTED = /"(?:[^"\\]|\\.)*"/g;
/** `X-RateLimit-Reset`, `X-Rate-Limit-Reset`, `RateLimit-Reset-Requests`, `anthropic-ratelimit-tokens-reset`, … */
const RESET_NAME = /(?:^|-)rate-?limit.*reset/;
/** The part of such a name that its twin has as `remaining`. */
const RESET_PART = /reset(?:-?time|-after|-at|-ms)?/;

/**
 * The `RateLimit` field of the IETF's drafts: `"default";r=0;t=30`, before that `limit=10, remaining=0, reset=30`. Of
 * several limits the one that is lifted last.
 */
export function fieldSeconds(values: readonly string[] = [], refusedForNow: boolean): number | undefined {
  const limits = values.flatMap((value) => {
    const plain = value.replaceAll(QUOTED, '');
    return /(?:^|[\s,;])reset=/.test(plain) ? [parametersOf(plain)] : plain.split(',').map(parametersOf);
  });
  return longest(
    limits.map((limit) => {
      const remaining = limit.get('r') ?? limit.get('remaining');
      return isUsedUp(remaining, refusedForNow) ? (limit.get('t') ?? limit.get('reset')) : undefined;
    }),
  );
}

/** `X-RateLimit-Reset` and its kind, each with the `…-Remaining` beside it. */
export function resetHeaderSeconds(
  headers: HeaderBag,
  refusedForNow: boolean,
  nowMs: number,
): number | undefined {
  const waits = [...headers].flatMap(([name, values]) => {
    if (!RESET_NAME.test(name)) return [];
    const remaining = headers.get(name.replace(RESET_PART, 'remaining')) ?? [];
    if (!isUsedUp(least(remaining), refusedForNow)) return [];
    return values.map((value) => (name.endsWith('-ms') ? inMs(value) : resetSeconds(value, nowMs)));
  });
  return longest(waits);
}

/**
 * A limit with something left is not the one that was met. Where nobody says what is left, the status decides: a server
 * tells its limits in every answer.
 */
function isUsedUp(remaining: number | undefined, refusedForNow: boolean): boolean {
  return remaining === undefined ? refusedForNow : remaining <= 0;
}

function parametersOf(item: string): ReadonlyMap<string, number> {
  const parameters = new Map<string, number>();
  for (const part of item.split(/[;,]/)) {
    const [name = '', value = ''] = part.split('=');
    const number = decimal(value.trim());
    if (number !== undefined) parameters.set(name.trim().toLowerCase(), number);
  }
  return parameters;
}

/** Some providers go below zero. */
function least(values: readonly string[]): number | undefined {
  const numbers = values.map((value) => (value.startsWith('-') ? 0 : decimal(value)));
  const known = numbers.filter((number) => number !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

function inMs(value: string): number | undefined {
  const ms = decimal(value);
  return ms === undefined ? undefined : msToSeconds(ms);
}
