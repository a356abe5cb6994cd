import { checkOptions, isRecord, located, nearest, refuse } from '../lib/container.js';
import { CircuitBreaker, ConfigurationError, type CircuitBreakerOptions } from '../lib/index.js';
import { checkByName, checkList, checkNoTwice } from './check-lists.js';
import { BREAKER_SETTINGS, readBreakerOptions } from './read-breaker-options.js';
import type {
  CircuitBreakerConfiguration,
  CircuitBreakerRegistration,
  ResilienceConfiguration,
} from './options.js';

/** A breaker that is yet to be made. */
type CircuitBreakerSettings = Exclude<CircuitBreakerRegistration, CircuitBreaker>;

const SETTINGS = BREAKER_SETTINGS;

/** The breakers of a list, by name. @throws {ConfigurationError} for the first that cannot work. */
export function readBreakers(
  list: readonly CircuitBreakerRegistration[] = [],
): ReadonlyMap<string, CircuitBreakerRegistration> {
  const read: CircuitBreakerRegistration[] = [];
  checkList('circuitBreakers', list, (entry, option) => void read.push(readBreaker(entry, option)));
  checkNoTwice(
    'circuitBreakers',
    'name',
    read.map(({ name }) => name),
  );
  return new Map(read.map((entry) => [entry.name, entry]));
}

/** The breakers that a factory gives settings for, which are exactly those that were named. */
export function readNamedBreakers(
  names: readonly string[],
  settings: ResilienceConfiguration['circuitBreakers'] = {},
): ReadonlyMap<string, CircuitBreakerRegistration> {
  checkByName('circuitBreakers', settings);
  for (const [name, given] of Object.entries(settings))
    if (given !== undefined && !names.includes(name)) refuseExtra(name, names);
  return new Map(
    names.map((name) => {
      const given = Object.hasOwn(settings, name) ? settings[name] : undefined;
      return [name, located(`ResilienceModule.circuitBreakers['${name}']`, () => readNamed(name, given))];
    }),
  );
}

export function checkBreakerNames(names: readonly string[] = []): void {
  checkList('circuitBreakers', names, (name: unknown, option) => {
    if (typeof name !== 'string' || name.trim() === '')
      refuse(option, name, 'give the name alone; the settings come from the options factory');
  });
  checkNoTwice('circuitBreakers', undefined, names);
}

/** A breaker with its settings read. Its clock is the application's. */
export function optionsOfBreaker(
  entry: CircuitBreakerSettings,
): CircuitBreakerOptions & { readonly name: string } {
  return readBreakerOptions(entry) as CircuitBreakerOptions & { readonly name: string };
}

function readBreaker(entry: CircuitBreakerRegistration, option: string): CircuitBreakerRegistration {
  if (entry instanceof CircuitBreaker) return entry;
  if (typeof entry !== 'object' || (entry as object | null) === null)
    refuse(option, entry, 'give an object of options');
  return located(`ResilienceModule.${option}`, () => {
    checkOptions(option, entry, ['name', ...SETTINGS]);
    if (typeof entry.name !== 'string') refuse('name', entry.name, 'give the name that methods use');
    return checked(entry);
  });
}

function readNamed(
  name: string,
  given: CircuitBreaker | CircuitBreakerConfiguration | undefined,
): CircuitBreakerRegistration {
  if (given === undefined)
    throw new ConfigurationError({
      option: 'circuitBreaker',
      problem: 'is named and has no settings',
      cure: 'let the options factory give its settings, {} for the defaults',
    });
  if (given instanceof CircuitBreaker) return checkOwnName(name, given);
  checkOptions('circuitBreaker', given, SETTINGS);
  return checked({ ...given, name });
}

/** A copy, which nobody changes any more. Building a breaker finds every mistake. */
function checked(entry: CircuitBreakerSettings): CircuitBreakerSettings {
  const copies = Object.entries(entry).map(([setting, value]) => [setting, copyOf(value)]);
  const copy = Object.freeze(Object.fromEntries(copies) as CircuitBreakerSettings);
  new CircuitBreaker(optionsOfBreaker(copy));
  return copy;
}

function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return [...(value as unknown[])];
  return isRecord(value) ? { ...value } : value;
}

function checkOwnName(name: string, breaker: CircuitBreaker): CircuitBreaker {
  if (breaker.name === name) return breaker;
  throw new ConfigurationError({
    option: 'circuitBreaker',
    problem: `is a breaker that is named '${breaker.name}'`,
    cure: 'give both the same name',
  });
}

function refuseExtra(name: string, names: readonly string[]): never {
  const meant = nearest(name, names);
  throw new ConfigurationError({
    option: `circuitBreakers['${name}']`,
    problem: 'is no circuit breaker that forRootAsync names',
    cure:
      meant === undefined
        ? `name it there: circuitBreakers: ['${name}'], or leave its settings out`
        : `did you mean '${meant}'?`,
  });
}
