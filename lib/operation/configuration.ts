import {
  ExponentialBackoff,
  type ExponentialBackoffOptions,
  type Jitter,
} from '../backoff/exponential-backoff.js';
import { isRecord } from '../errors/check.js';
import type { PolicyOptions } from './options.js';

/** Options as configuration files and the environment give them: numbers and switches as text, a back-off as data. */
export type Configured<Options> = {
  readonly [K in keyof Options]: K extends
    'retries' | 'maxConcurrent' | 'timeout' | 'deadline' | 'maxRateLimitWait' | 'idempotencyTtl'
    ? Options[K] | string
    : K extends 'idempotent'
      ? Options[K] | 'true' | 'false'
      : K extends 'retry' | 'fallbacks' | 'rateLimit' | 'idempotency' | 'validate' | 'validation'
        ? Options[K] | 'false'
        : K extends 'backoff'
          ? Options[K] | BackoffConfiguration
          : Options[K];
};

/** The options of an {@link ExponentialBackoff} as data. */
export interface BackoffConfiguration extends Omit<
  ExponentialBackoffOptions,
  'baseDelay' | 'maxDelay' | 'multiplier' | 'jitter' | 'random'
> {
  readonly baseDelay?: number | string | undefined;
  readonly maxDelay?: number | string | undefined;
  readonly multiplier?: number | string | undefined;
  readonly jitter?: Jitter | 'true' | 'false' | { readonly percent: number | string } | undefined;
}

/** Options that can be switched off. */
const SWITCHES: readonly string[] = [
  'retry',
  'timeout',
  'deadline',
  'circuitBreaker',
  'concurrencyLimit',
  'fallback',
  'fallbacks',
  'rateLimit',
  'idempotency',
  'validate',
  'validation',
  'use',
];
/** Nothing but digits: `Number` would take `''` for 0, `'1e3'` for 1,000 and `'0x10'` for 16. */
const DIGITS = /^(?:0|[1-9]\d*)$/;
const DECIMAL = /^(?:0|[1-9]\d*)(?:\.\d+)?$/;

/**
 * Options as code would have written them. Text that means nothing stays as it is, for the checks to refuse with its
 * name; a blank one, which an unset variable often is, is refused as well.
 */
export function fromConfiguration<Options extends PolicyOptions>(configured: Configured<Options>): Options {
  if (!isRecord(configured)) return configured;
  const entries = Object.entries(configured).map(([option, value]) => [option, readOption(option, value)]);
  return Object.fromEntries(entries) as Options;
}

/** A whole number that may be given as digits. */
export function readCount(value: unknown): unknown {
  return typeof value === 'string' && DIGITS.test(value) ? Number(value) : value;
}

function readOption(option: string, value: unknown): unknown {
  if (option === 'retries' || option === 'maxConcurrent') return readCount(value);
  if (option === 'idempotent') return readSwitch(value);
  if (option === 'backoff') return readBackoff(value);
  // What is done to the list later is no part of what was checked.
  if (Array.isArray(value)) return [...(value as unknown[])];
  return value === 'false' && SWITCHES.includes(option) ? false : value;
}

export function readSwitch(value: unknown): unknown {
  return value === 'true' || value === 'false' ? value === 'true' : value;
}

/** Options of a back-off become one; whatever else there is, is left to the checks. */
function readBackoff(value: unknown): unknown {
  if (!isRecord(value) || typeof value['delayForRetry'] === 'function') return value;
  const { multiplier, jitter, ...rest } = value;
  const read = {
    multiplier: readNumber(multiplier),
    jitter: isRecord(jitter) ? { ...jitter, percent: readNumber(jitter['percent']) } : readSwitch(jitter),
  };
  return new ExponentialBackoff({ ...rest, ...read } as ExponentialBackoffOptions);
}

/** A number that may be given as a plain decimal. */
export function readNumber(value: unknown): unknown {
  return typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value;
}
