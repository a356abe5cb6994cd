import { msToSeconds } from '../../time/duration.js';
import { instantMs } from './instant.js';

/** Digits only: the platform would take `''` for 0, `'1e3'` for 1,000 and `'0x10'` for 16. */
const DECIMAL = /^\d+(?:\.\d+)?$/;
/** As Go prints durations: `1s`, `6m0s`, `2m59.56s`, `20ms`. */
const DURATION = /^(?:\d+(?:\.\d+)?(?:d|h|m|s|ms|us|µs|ns))+$/;
const DURATION_PART = /(\d+(?:\.\d+)?)(d|h|ms|m|s|us|µs|ns)/g;
const UNIT_IN_SECONDS: Readonly<Record<string, number>> = {
  d: 86_400,
  h: 3_600,
  m: 60,
  s: 1,
  ms: 1e-3,
  us: 1e-6,
  µs: 1e-6,
  ns: 1e-9,
};
/** The year 2001 in seconds; as a wait it would be 31 years. */
const LEAST_EPOCH_SECONDS = 1e9;
/** The year 1973 in milliseconds; as seconds it would be the year 5138. */
const LEAST_EPOCH_MS = 1e11;
/** The year 5138 in milliseconds: what is above counts something finer, which nobody documents. */
const TOO_FINE = 1e14;

export function decimal(text: string): number | undefined {
  return DECIMAL.test(text) ? Number(text) : undefined;
}

/** `Retry-After`: seconds, or a date. */
export function waitSeconds(text: string, nowMs: number): number | undefined {
  return decimal(text) ?? secondsUntil(instantMs(text, nowMs), nowMs);
}

/** When a limit is lifted, as providers say it: seconds from now, seconds or milliseconds since 1970, a duration, a date. */
export function resetSeconds(text: string, nowMs: number): number | undefined {
  const number = decimal(text);
  if (number === undefined) return durationSeconds(text) ?? secondsUntil(instantMs(text, nowMs), nowMs);
  if (number < LEAST_EPOCH_SECONDS) return number;
  if (number >= TOO_FINE) return undefined;
  return secondsUntil(number < LEAST_EPOCH_MS ? number * 1_000 : number, nowMs);
}

function durationSeconds(text: string): number | undefined {
  if (!DURATION.test(text)) return undefined;
  let seconds = 0;
  for (const [, number, unit] of text.matchAll(DURATION_PART))
    seconds += Number(number) * (UNIT_IN_SECONDS[unit as string] as number);
  return seconds;
}

function secondsUntil(instant: number | undefined, nowMs: number): number | undefined {
  return instant === undefined ? undefined : Math.max(0, msToSeconds(instant - nowMs));
}

/** The longest of what several values ask for: less would be too early for one of them. */
export function longest(waits: Iterable<number | undefined>): number | undefined {
  let most: number | undefined;
  for (const wait of waits) if (wait !== undefined && !(wait <= (most ?? -1))) most = wait;
  return most;
}
