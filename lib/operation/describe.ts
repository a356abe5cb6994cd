import type { RetryPolicy } from '../policies/retry/retry-policy.js';
import { ExponentialBackoff } from '../backoff/exponential-backoff.js';
import { msToSeconds } from '../time/duration.js';
import type { CircuitBreakerChoice, Settings } from './settings.js';

/** The policies of an operation in one readable line, from the outside in. */
export function describeSettings(name: string, settings: Settings): string {
  const layers = [
    settings.deadlineMs === undefined ? undefined : `deadline ${msToSeconds(settings.deadlineMs)} s`,
    settings.retry === undefined ? undefined : describeRetry(settings.retry),
    settings.circuitBreaker === undefined ? undefined : `circuit breaker ${nameOf(settings.circuitBreaker)}`,
    settings.validation === undefined ? undefined : 'validation',
    settings.timeout === undefined ? undefined : `timeout ${settings.timeout.seconds} s`,
    'method',
  ];
  const candidates = settings.fallbacks?.candidates.map((candidate) => candidate.name).join(', ');
  const fallback = candidates === undefined ? '' : `; else fallback ${candidates}`;
  return `${name}: ${layers.filter((layer) => layer !== undefined).join(' > ')}${fallback}`;
}

function describeRetry({ maxAttempts, backoff }: RetryPolicy): string {
  return `up to ${maxAttempts} attempts${backoff instanceof ExponentialBackoff ? ` ${describeBackoff(backoff)}` : ''}`;
}

function describeBackoff({
  baseDelaySeconds,
  maxDelaySeconds,
  multiplier,
  jitter,
}: ExponentialBackoff): string {
  const kind =
    typeof jitter === 'object'
      ? `${jitter.percent} % jitter`
      : jitter === true
        ? 'full jitter'
        : jitter === false
          ? 'no jitter'
          : `${jitter} jitter`;
  return `(${baseDelaySeconds} s × ${multiplier}, at most ${maxDelaySeconds} s, ${kind})`;
}

function nameOf(choice: CircuitBreakerChoice): string {
  if (typeof choice === 'string') return `'${choice}'`;
  return typeof choice === 'function' ? 'of the call' : `'${choice.name}'`;
}
