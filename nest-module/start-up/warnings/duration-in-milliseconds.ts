import type { ExponentialBackoff, RetryPolicy, TimeoutPolicy } from '../../../lib/index.js';
import type { Finder } from './warning.js';

/** From here on a bare number is more likely meant in milliseconds: 1,000 s are 16 minutes. */
const SUSPICIOUS = 1_000;

/** Bare numbers that would be long times; text has its unit and is believed. */
export const durationsInMilliseconds: Finder = ({ operations, breakers, options: { policies } }) => [
  ...operations.flatMap(({ name, method }) => suspects(name, method.options)),
  ...suspects('ResilienceModule.defaults', policies.defaults ?? {}),
  ...suspectsByName('policies', policies.policies),
  ...suspectsByName('operations', policies.operations),
  ...breakers.flatMap((entry) => suspects(`circuit breaker '${entry.name}'`, entry as Durations)),
];

function suspectsByName(option: string, entries: Readonly<Record<string, object>> = {}): string[] {
  return Object.entries(entries).flatMap(([name, options]) =>
    suspects(`ResilienceModule.${option}['${name}']`, options),
  );
}

function suspects(place: string, options: Durations): string[] {
  return durationsOf(options)
    .filter((entry): entry is [string, number] => typeof entry[1] === 'number' && entry[1] >= SUSPICIOUS)
    .map(
      ([option, value]) =>
        `${place}: ${option} is ${value} seconds; write '${value}ms' if milliseconds are meant, '${value}s' if not`,
    );
}

interface Durations {
  readonly timeout?: unknown;
  readonly deadline?: unknown;
  readonly maxRateLimitWait?: unknown;
  readonly recoveryTimeout?: unknown;
  readonly backoff?: unknown;
  readonly retry?: unknown;
}

function durationsOf({ timeout, deadline, maxRateLimitWait, recoveryTimeout, backoff, retry }: Durations) {
  const delays = ((retry as RetryPolicy | undefined)?.backoff ?? backoff) as ExponentialBackoff | undefined;
  return [
    ['timeout', (timeout as TimeoutPolicy | undefined)?.bareSeconds ?? timeout],
    ['deadline', deadline],
    ['maxRateLimitWait', maxRateLimitWait],
    ['recoveryTimeout', recoveryTimeout],
    ['backoff.baseDelay', delays?.bareDelays?.baseDelay],
    ['backoff.maxDelay', delays?.bareDelays?.maxDelay],
  ] as [string, unknown][];
}
