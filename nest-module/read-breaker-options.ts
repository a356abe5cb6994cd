import { isRecord, readCount, readNumber } from '../lib/container.js';

/** How the text of each setting of a breaker is read; durations stay as they are. */
const READERS: Readonly<Record<string, (value: unknown) => unknown>> = {
  failureThreshold: readCount,
  failureRate: readNumber,
  window: readCount,
  minimumCalls: readCount,
  slowCallSeconds: same,
  slowCallRate: readNumber,
  budget: (value) => readParts(value, { limit: readNumber }),
  recoveryTimeout: (value) => readParts(value, { factor: readNumber, jitter: readNumber }),
  probes: (value) => readParts(value, { concurrent: readLimit, successes: readCount }),
  maxKeys: readCount,
  recordFailureOn: same,
};

/** What may be said of a breaker beside its name. */
export const BREAKER_SETTINGS: readonly string[] = Object.keys(READERS);

/** Settings of a breaker as code would have written them. What means nothing stays as it is, for the checks to refuse. */
export function readBreakerOptions(entry: object): object {
  return readParts(entry, READERS) as object;
}

function readParts(value: unknown, readers: Readonly<Record<string, (part: unknown) => unknown>>): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, (readers[key] ?? same)(part)]));
}

function readLimit(value: unknown): unknown {
  return value === 'Infinity' ? Infinity : readCount(value);
}

function same(value: unknown): unknown {
  return value;
}
