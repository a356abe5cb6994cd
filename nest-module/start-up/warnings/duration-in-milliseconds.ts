import type { Backoff } from '../../../lib/index.js';
import type { Finder } from './warning.js';

/** From here on a bare number is more likely meant in milliseconds: 1,000 s are 16 minutes. */
const SUSPICIOUS = 1_000;

/** Bare numbers that would be long times; text has its unit and is believed. */
export const durationsInMilliseconds: Finder = ({ operations, breakers, options: { policies } }) => {
  const { defaults = {}, policies: named = {}, operations: over = {} } = policies;
  const places: [string, object][] = [
    ...operations.map(({ name, method }): [string, object] => [name, method.options]),
    ['ResilienceModule.defaults', defaults],
    ...Object.entries(named).map(([name, options]): [string, object] => [
      `ResilienceModule.policies['${name}']`,
      options,
    ]),
    ...Object.entries(over).map(([name, options]): [string, object] => [
      `ResilienceModule.operations['${name}']`,
      options,
    ]),
    ...breakers.map((entry): [string, object] => [`circuit breaker '${entry.name}'`, entry]),
  ];
  return places.flatMap(([place, options]) =>
    durationsOf(options as Durations)
      .filter((entry): entry is [string, number] => typeof entry[1] === 'number' && entry[1] >= SUSPICIOUS)
      .map(
        ([option, value]) => `${place}: ${option} is ${value} seconds; for milliseconds write '${value}ms'`,
      ),
  );
};

interface Durations {
  readonly timeout?: unknown;
  readonly deadline?: unknown;
  readonly recoveryTimeout?: unknown;
  readonly backoff?: (Backoff & { readonly baseDelaySeconds?: unknown }) | undefined;
}

function durationsOf({ timeout, deadline, recoveryTimeout, backoff }: Durations): [string, unknown][] {
  return [
    ['timeout', (timeout as { bareSeconds?: unknown } | undefined)?.bareSeconds ?? timeout],
    ['deadline', deadline],
    ['recoveryTimeout', recoveryTimeout],
    // Nobody means to wait a quarter of an hour before the first retry.
    ['backoff.baseDelay', backoff?.baseDelaySeconds],
  ];
}
