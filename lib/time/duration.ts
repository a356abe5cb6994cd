/**
 * A length of time. A plain number is seconds; text carries its unit: `'250ms'`, `'10s'`, `'5m'`, `'1h'`.
 * Negative, infinite and NaN values are refused where the duration is used.
 */
export type Duration = number | `${number}ms` | `${number}s` | `${number}m` | `${number}h`;

const UNIT_IN_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const TEXT = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/;

/** Milliseconds of a duration, or `undefined` when the value is none (wrong type or unit, negative, not finite). */
export function durationToMs(value: unknown): number | undefined {
  if (typeof value === 'number') return finite(secondsToMs(value));
  if (typeof value !== 'string') return undefined;
  const parts = TEXT.exec(value);
  if (parts === null) return undefined;
  return finite(trim(Number(parts[1]) * (UNIT_IN_MS[parts[2] as string] as number)));
}

/** Seconds as milliseconds, without the binary noise that `0.29 * 1000` would leave. */
export function secondsToMs(seconds: number): number {
  return trim(seconds * 1_000);
}

export function msToSeconds(ms: number): number {
  return ms / 1_000;
}

/** Keeps nanoseconds, drops what floating point adds below them. */
function trim(ms: number): number {
  return ms < 1e9 ? Math.round(ms * 1e6) / 1e6 : ms;
}

function finite(ms: number): number | undefined {
  return ms >= 0 && ms !== Infinity ? ms : undefined;
}
