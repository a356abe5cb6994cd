import { ConcurrencyLimit } from '../policies/concurrency-limit/concurrency-limit.js';
import { Guard } from './guard.js';
import type { OperationHost } from './host.js';
import { perInstance } from './per-instance.js';
import type { ConcurrencyLimitChoice, Settings } from './settings.js';

/** Finds what guards the calls of an instance. */
type Finder<T> = (instance: unknown) => T | undefined;

/** What guards the calls of an operation: a shield, a concurrency limit, or both. */
export interface Guards {
  readonly shield: Settings['shield'];
  readonly limit: ConcurrencyLimit | Finder<ConcurrencyLimit> | undefined;
}

/** `undefined` where there is nothing. @throws {ConfigurationError} for a name that the application does not know. */
export function guardsOf(name: string, settings: Settings, host: OperationHost): Guards | undefined {
  const { shield, concurrencyLimit, limitsInstances = false } = settings;
  if (shield === undefined && concurrencyLimit === undefined) return undefined;
  if (shield !== undefined && typeof shield !== 'function') shield.adopt(host.clock);
  return {
    shield,
    limit:
      concurrencyLimit === undefined ? undefined : chooseLimit(name, concurrencyLimit, host, limitsInstances),
  };
}

function chooseLimit(
  operationName: string,
  choice: ConcurrencyLimitChoice,
  host: OperationHost,
  limitsInstances: boolean,
): Guards['limit'] {
  if (typeof choice === 'string') return host.concurrencyLimit(choice);
  if (typeof choice !== 'number') return choice;
  const make = (): ConcurrencyLimit =>
    new ConcurrencyLimit({ name: operationName, maxConcurrent: choice, clock: host.clock });
  return limitsInstances ? perInstance(make) : make();
}

/** The guard of one call. */
export function guardFor(guards: Guards, instance: unknown): Guard {
  const { shield, limit } = guards;
  return new Guard(
    (typeof shield === 'function' ? shield(instance) : shield)?.current,
    typeof limit === 'function' ? limit(instance) : limit,
  );
}
