import { randomUUID } from 'node:crypto';
import {
  checkCount,
  checkDuration,
  checkFunction,
  checkName,
  checkOptions,
  checkTimeOptions,
  refuse,
  type TimeOptions,
} from '../../errors/check.js';
import { ConfigurationError } from '../../errors/configuration-error.js';
import { EventEmitter } from '../../events/event-emitter.js';
import { CircuitBreaker } from '../../policies/circuit-breaker/circuit-breaker.js';
import { CircuitBreakerRegistry } from '../../policies/circuit-breaker/circuit-breaker-registry.js';
import { systemClock } from '../../time/clock.js';
import type { Duration } from '../../time/duration.js';
import type { SharingState } from './fleet-events.js';
import { SharedCircuitBreakers } from './shared-circuit-breakers.js';
import { checkClient, type RedisClient } from './redis-client.js';
import { RedisConnection } from './redis-connection.js';

/** Options of {@link shareCircuitBreakers}. */
export interface ShareCircuitBreakersOptions extends Pick<TimeOptions, 'clock'> {
  /** Your connected client of `ioredis` or `redis`. It stays yours to close. */
  readonly client: RedisClient;
  /** The breakers to share, by their names: those of a registry, or a list. */
  readonly breakers: CircuitBreakerRegistry | readonly CircuitBreaker[];
  /** How many processes must have opened a breaker by themselves before it opens for all. Default 2, least 1. */
  readonly quorum?: number | undefined;
  /**
   * Within this time the others hear of a change, and a process that hears nobody goes by itself; it asks twice in it.
   * More than twice as long as Redis usually takes to answer. Default 250 ms.
   */
  readonly interval?: Duration | undefined;
  /** What all names on the server begin with. Default `'relprim:circuit-breaker:'`. */
  readonly prefix?: string | undefined;
  /**
   * Told when the others are lost and found, `circuit_breaker.sharing_changed`, and of what the fleet does to a breaker
   * of this process. In NestJS: what `RESILIENCE_EVENTS` injects.
   */
  readonly events?: EventEmitter | undefined;
  /** Told when the others can no longer be reached, and when they can again. */
  readonly onChange?: ((state: SharingState) => unknown) | undefined;
}

const OPTIONS: readonly (keyof ShareCircuitBreakersOptions)[] = [
  'client',
  'breakers',
  'quorum',
  'interval',
  'prefix',
  'events',
  'onChange',
  'clock',
];

/**
 * Shares circuit breakers between processes through Redis. Every decision is made in the process, at once, by what it
 * knows: calls never wait for Redis. Evidence and changes travel beside them, every `interval`.
 *
 * A breaker opens for all when a quorum of processes has opened it, or when the calls of all together meet its
 * `failureRate`; then only so many probes run in the whole fleet as `probes.concurrent` says. A process whose own network
 * is broken opens for itself alone. Without Redis each goes by itself, within one interval.
 * @throws {ConfigurationError} for a client that is none, numbers that are out of range, two breakers of one name.
 */
export function shareCircuitBreakers(options: ShareCircuitBreakersOptions): SharedCircuitBreakers {
  checkOptions('shareCircuitBreakers', options, OPTIONS);
  checkTimeOptions(options);
  const { breakers, quorum = 2, interval = '250ms', clock = systemClock, events, onChange } = options;
  if (events !== undefined && !(events instanceof EventEmitter))
    refuse('events', events, 'give an EventEmitter');
  if (onChange !== undefined) checkFunction('onChange', onChange);
  const client = checkClient(options.client);
  const intervalMs = checkDuration('interval', interval);
  const shared = new SharedCircuitBreakers({
    // An answer that takes longer comes when nobody is heard any more; the next question is a new beginning.
    connection: new RedisConnection(client, clock, intervalMs),
    breakers: sourceOf(breakers),
    quorum: checkCount('quorum', quorum, 1),
    intervalMs,
    prefix: checkName('prefix', options.prefix ?? 'relprim:circuit-breaker:'),
    replica: randomUUID(),
    clock,
    events,
    onChange,
  });
  shared.begin();
  return shared;
}

function sourceOf(given: ShareCircuitBreakersOptions['breakers']): () => readonly CircuitBreaker[] {
  // A test may have put something simpler in a breaker's place.
  if (given instanceof CircuitBreakerRegistry)
    return () => given.list().filter((breaker) => breaker instanceof CircuitBreaker);
  const list: unknown = given;
  if (!Array.isArray(list) || !list.every((one) => one instanceof CircuitBreaker))
    return refuse('breakers', given, 'give a CircuitBreakerRegistry, or a list of circuit breakers');
  const names = list.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return () => list;
  throw new ConfigurationError({
    option: 'breakers',
    problem: `has two named '${twice}'`,
    cure: 'give each breaker a name of its own, as they are shared by their names',
  });
}
