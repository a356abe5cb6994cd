import type { ExponentialBackoff, RetryPolicy, TimeoutPolicy } from '../../../lib/index.js';
import { KINDS } from '../../named/kinds.js';
import type { Finder } from './warning.js';

/** From here on a bare number is more likely meant in milliseconds: 1,000 s are 16 minutes. */
const SUSPICIOUS = 1_000;

/** Bare numbers that would be long times; text has its unit and is believed. */
export const durationsInMilliseconds: Finder = ({ operations, named, options: { policies } }) => [
  ...operations.flatMap(({ name, method }) => suspects(name, method.options)),
  ...suspects('ResilienceModule.defaults', policies.defaults ?? {}),
  ...suspectsByName('policies', policies.policies),
  ...suspectsByName('operations', policies.operations),
  ...KINDS.flatMap(({ option, noun }) =>
    named[option].flatMap((entry) => suspects(`${noun} '${entry.name}'`, entry as Durations)),
  ),
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
  /** Of a shield, and of one that a decorator makes for its method. */
  readonly maxWait?: unknown;
  readonly shield?: unknown;
  /** Of a concurrency limit. */
  readonly queue?: unknown;
}

interface MaxWait {
  readonly maxWait?: unknown;
}

function durationsOf(options: Durations) {
  const { timeout, deadline, maxRateLimitWait, recoveryTimeout, backoff, retry, maxWait, queue } = options;
  const ownShield = options.shield as { readonly options?: MaxWait } | undefined;
  const delays = ((retry as RetryPolicy | undefined)?.backoff ?? backoff) as ExponentialBackoff | undefined;
  return [
    ['timeout', (timeout as TimeoutPolicy | undefined)?.bareSeconds ?? timeout],
    ['deadline', deadline],
    ['maxRateLimitWait', maxRateLimitWait],
    ['recoveryTimeout', recoveryTimeout],
    ['maxWait', maxWait ?? ownShield?.options?.maxWait],
    ['queue.maxWait', (queue as MaxWait | undefined)?.maxWait],
    ['backoff.baseDelay', delays?.bareDelays?.baseDelay],
    ['backoff.maxDelay', delays?.bareDelays?.maxDelay],
  ] as [string, unknown][];
}
