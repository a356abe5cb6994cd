/** Where time comes from in this application. Override it in tests: `overrideProvider(RESILIENCE_CLOCK).useValue(new FakeClock())`. */
export const RESILIENCE_CLOCK = Symbol.for('relprim/clock');
/** Where chance comes from in this application. Override it in tests with `seededRandom(1)`. */
export const RESILIENCE_RANDOM = Symbol.for('relprim/random');
/** The executor, for code that may meet another copy of this package; otherwise inject `ResilienceExecutor`. */
export const RESILIENCE_EXECUTOR = Symbol.for('relprim/executor');
/** The application's event emitter, or `undefined` without event sinks. */
export const RESILIENCE_EVENTS = Symbol.for('relprim/events');

let tokens = 0;

/**
 * A token that no other registration has. Where Nest tells modules apart by their printed metadata, two registrations
 * with other settings look the same, and one of them would be dropped without a word.
 */
export function uniqueToken(name: string): symbol {
  tokens += 1;
  return Symbol(`${name} ${tokens}`);
}

/** The token of a named circuit breaker. A text, so that Nest's own messages name the breaker. */
export function getCircuitBreakerToken(name: string): string {
  return `relprim/circuit-breaker:${name}`;
}

/** The token of a named shield. */
export function getShieldToken(name: string): string {
  return `relprim/shield:${name}`;
}

/** The token of a named concurrency limit. */
export function getConcurrencyLimitToken(name: string): string {
  return `relprim/concurrency-limit:${name}`;
}
