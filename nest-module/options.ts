import type { ModuleMetadata, Type } from '@nestjs/common';
import { checkOptions, checkPolicyOptions, located, refuse, type ModuleDefaults } from '../lib/container.js';
import {
  CircuitBreaker,
  ConfigurationError,
  type CircuitBreakerOptions,
  type EventEmitterOptions,
  type EventSink,
} from '../lib/index.js';

/** A circuit breaker of the application: its settings, or the breaker itself. */
export type CircuitBreakerRegistration =
  CircuitBreaker | (Omit<CircuitBreakerOptions, 'clock'> & { readonly name: string });

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
    const { circuitBreakers, eventSinks, sinkErrors, defaults, imports } = options;
    checkList('circuitBreakers', circuitBreakers, checkBreaker);
    checkBreakerNames(circuitBreakers);
    checkList('eventSinks', eventSinks, checkSink);
    checkList('imports', imports);
    if (![undefined, 'isolate', 'propagate'].includes(sinkErrors))
      refuse('sinkErrors', sinkErrors, "give 'isolate' or 'propagate'");
    if (defaults !== undefined) located('ResilienceModule.defaults', () => checkDefaults(defaults));
  });
}

export function isSinkClass(sink: EventSinkRegistration): sink is Type<EventSink> {
  return typeof sink === 'function';
}

function checkList<T>(
  option: string,
  list: readonly T[] | undefined,
  check?: (entry: T, option: string) => void,
): void {
  if (list === undefined) return;
  if (!Array.isArray(list)) refuse(option, list, 'give a list');
  (list as readonly T[]).forEach((entry, index) => check?.(entry, `${option}[${index}]`));
}

function checkBreaker(entry: CircuitBreakerRegistration, option: string): void {
  if (entry instanceof CircuitBreaker) return;
  if (typeof entry !== 'object' || entry === null) refuse(option, entry, 'give an object of options');
  located(`ResilienceModule.${option}`, () => {
    checkOptions(option, entry, ['name', 'failureThreshold', 'recoveryTimeout', 'recordFailureOn']);
    if (typeof entry.name !== 'string') refuse('name', entry.name, 'give the name that methods use');
    // Building one finds every other mistake.
    return new CircuitBreaker(entry);
  });
}

/** Nest would keep the last of two, without a word. */
function checkBreakerNames(entries: ResilienceModuleOptions['circuitBreakers'] = []): void {
  const names = entries.map(({ name }) => name);
  const index = names.findIndex((name, at) => names.indexOf(name) !== at);
  if (index < 0) return;
  const problem = `'${names[index]}' is given twice`;
  throw new ConfigurationError({
    option: `circuitBreakers[${index}].name`,
    problem,
    cure: 'give each breaker a name of its own',
  });
}

/** What a class makes in its constructor is looked at when the sink is made. */
function checkSink(entry: EventSinkRegistration, option: string): void {
  const isSink = isSinkClass(entry)
    ? isClass(entry)
    : typeof (entry as Partial<EventSink> | undefined)?.emit === 'function';
  if (!isSink) refuse(option, entry, 'give a class or an object with an emit(event) method');
}

function isClass(entry: { readonly prototype?: unknown }): boolean {
  return typeof entry.prototype === 'object' && entry.prototype !== null;
}

function checkDefaults(defaults: ModuleDefaults): void {
  checkPolicyOptions(defaults, ['throws']);
  if (![undefined, 'original', 'execution-error'].includes(defaults.throws))
    refuse('throws', defaults.throws, "give 'original' or 'execution-error'");
}
