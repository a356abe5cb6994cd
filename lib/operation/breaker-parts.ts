import { isRecord } from '../errors/check.js';
import { readCount, readNumber } from './configuration.js';

/*
 * The settings of a circuit breaker that have parts, as code would have written them: configuration gives numbers as
 * text. What means nothing stays as it is, for the checks to refuse.
 */

export function readBudget(value: unknown): unknown {
  return readParts(value, { limit: readNumber });
}

export function readRecovery(value: unknown): unknown {
  return readParts(value, { factor: readNumber, jitter: readNumber });
}

export function readProbes(value: unknown): unknown {
  return readParts(value, { concurrent: readLimit, successes: readCount });
}

/** Each part by its own reader; parts without one stay as they are. */
export function readParts(
  value: unknown,
  readers: Readonly<Record<string, (part: unknown) => unknown>>,
): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, (readers[key] ?? same)(part)]));
}

function readLimit(value: unknown): unknown {
  return value === 'Infinity' ? Infinity : readCount(value);
}

function same(value: unknown): unknown {
  return value;
}
