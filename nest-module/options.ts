import type { ModuleMetadata, Type } from '@nestjs/common';
import { checkOptions, checkPolicyOptions, located, refuse, type ModuleDefaults } from '../lib/container.js';
import { CircuitBreaker, type CircuitBreakerOptions, type EventEmitterOptions, type EventSink } from '../lib/index.js';

/** A circuit breaker of the application: its settings, or the breaker itself. */
export type CircuitBreakerRegistration = CircuitBreaker | (Omit<CircuitBreakerOptions, 'clock'> & { readonly name: string });

/** A sink of the application: a class, which becomes an injectable singleton, or the sink itself. */
export type EventSinkRegistration = Type<EventSink> | EventSink;

/** What an application says once about all its decorated methods. */
export interface ResilienceModuleOptions {
  /** Circuit breakers that methods use by name and classes inject with `@InjectCircuitBreaker(name)`. */
  readonly circuitBreakers?: readonly CircuitBreakerRegistration[] | undefined;
  /** Who is told what happens. Default: nobody, at no cost. */
  readonly eventSinks?: readonly EventSinkRegistration[] | undefined;
  /**
   * What a failing or slow sink may do to a call. `'isolate'` (default): nothing. `'propagate'`: sinks are awaited, and
   * an error of one reaches the caller.
   */
  readonly sinkErrors?: EventEmitterOptions['sinkErrors'];
  /** Policies laid under every decorator. */
  readonly defaults?: ModuleDefaults | undefined;
  /** Modules that export what the classes in `eventSinks` need. */
  readonly imports?: ModuleMetadata['imports'];
}

const OPTIONS = ['circuitBreakers', 'eventSinks', 'sinkErrors', 'defaults', 'imports'];

/** @throws {ConfigurationError} for options that cannot work, while the module is being defined. */
export function checkModuleOptions(options: ResilienceModuleOptions): void {
  located('ResilienceModule', () => {
    checkOptions('options', options, OPTIONS);
    const { circuitBreakers, eventSinks, sinkErrors, defaults } = options;
    checkList('circuitBreakers', circuitBreakers, checkBreaker);
    checkList('eventSinks', eventSinks, checkSink);
    if (![undefined, 'isolate', 'propagate'].includes(sinkErrors)) refuse('sinkErrors', sinkErrors, "give 'isolate' or 'propagate'");
    if (defaults !== undefined) located('ResilienceModule.defaults', () => checkPolicyOptions(defaults, ['throws']));
  });
}

export function isSinkClass(sink: EventSinkRegistration): sink is Type<EventSink> {
  return typeof sink === 'function';
}

function checkList<T>(option: string, list: readonly T[] | undefined, check: (entry: T, option: string) => void): void {
  if (list === undefined) return;
  if (!Array.isArray(list)) refuse(option, list, 'give a list');
  list.forEach((entry, index) => check(entry, `${option}[${index}]`));
}

function checkBreaker(entry: CircuitBreakerRegistration, option: string): void {
  if (entry instanceof CircuitBreaker) return;
  checkOptions(option, entry, ['name', 'failureThreshold', 'recoveryTimeout', 'recordFailureOn']);
  if (typeof entry.name !== 'string') refuse(`${option}.name`, entry.name, 'give the name that methods use');
  // Building one finds every other mistake.
  located(`ResilienceModule.${option}`, () => new CircuitBreaker(entry));
}

function checkSink(entry: EventSinkRegistration, option: string): void {
  const sink = (isSinkClass(entry) ? entry.prototype : entry) as Partial<EventSink> | undefined;
  if (typeof sink?.emit !== 'function') refuse(option, entry, 'give a class or an object with an emit(event) method');
}
