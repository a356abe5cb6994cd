import { checkOptions, isRecord, located, nearest, refuse } from '../../lib/container.js';
import { ConfigurationError } from '../../lib/index.js';
import { checkByName, checkList, checkNoTwice } from '../check-lists.js';
import type { Kind, Named } from './kind.js';

type ByName = ReadonlyMap<string, Named>;

/** The things of a list, by name. @throws {ConfigurationError} for the first that cannot work. */
export function readRegistrations(kind: Kind, list: readonly Named[] = []): ByName {
  const read: Named[] = [];
  checkList(kind.option, list, (entry, option) => void read.push(readRegistration(kind, entry, option)));
  checkNoTwice(
    kind,
    'name',
    read.map(({ name }) => name),
  );
  return new Map(read.map((entry) => [entry.name, entry]));
}

/** The things that a factory gives settings for, which are exactly those that were named. */
export function readNamed(
  kind: Kind,
  names: readonly string[],
  settings: Readonly<Record<string, unknown>> = {},
): ByName {
  const { option } = kind;
  checkByName(option, settings);
  for (const [name, given] of Object.entries(settings))
    if (given !== undefined && !names.includes(name)) refuseExtra(kind, name, names);
  return new Map(
    names.map((name) => {
      const given = Object.hasOwn(settings, name) ? settings[name] : undefined;
      return [name, located(`ResilienceModule.${option}['${name}']`, () => readSettings(kind, name, given))];
    }),
  );
}

export function checkNames(kind: Kind, names: readonly string[] = []): void {
  checkList(kind.option, names, (name: unknown, option) => {
    if (typeof name !== 'string' || name.trim() === '')
      refuse(option, name, 'give the name alone; the settings come from the options factory');
  });
  checkNoTwice(kind, undefined, names);
}

function readRegistration(kind: Kind, entry: Named, option: string): Named {
  if (kind.is(entry)) return entry;
  if (typeof entry !== 'object' || (entry as object | null) === null)
    refuse(option, entry, 'give an object of options');
  return located(`ResilienceModule.${option}`, () => {
    checkOptions(option, entry, ['name', ...kind.settings]);
    if (typeof entry.name !== 'string') refuse('name', entry.name, 'give the name that methods use');
    return checked(kind, entry);
  });
}

function readSettings(kind: Kind, name: string, given: unknown): Named {
  const { single, settings, leastSettings } = kind;
  if (given === undefined)
    throw new ConfigurationError({
      option: single,
      problem: 'is named and has no settings',
      cure: `let the options factory give its settings${leastSettings}`,
    });
  if (kind.is(given)) return checkOwnName(kind, name, given as Named);
  checkOptions(single, given, settings);
  return checked(kind, { ...(given as object), name });
}

/** A copy, which nobody changes any more. Building the thing finds every mistake. */
function checked(kind: Kind, entry: Named): Named {
  const copies = Object.entries(entry).map(([setting, value]: [string, unknown]) => [
    setting,
    kind.ownObjects.includes(setting) ? value : copyOf(value),
  ]);
  const copy = Object.freeze(Object.fromEntries(copies) as Named);
  kind.make(copy);
  return copy;
}

function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return [...(value as unknown[])];
  return isRecord(value) ? { ...value } : value;
}

function checkOwnName({ single, word }: Kind, name: string, thing: Named): Named {
  if (thing.name === name) return thing;
  throw new ConfigurationError({
    option: single,
    problem: `is a ${word} that is named '${thing.name}'`,
    cure: 'give both the same name',
  });
}

function refuseExtra({ option, noun }: Kind, name: string, names: readonly string[]): never {
  const meant = nearest(name, names);
  throw new ConfigurationError({
    option: `${option}['${name}']`,
    problem: `is no ${noun} that forRootAsync names`,
    cure:
      meant === undefined
        ? `name it there: ${option}: ['${name}'], or leave its settings out`
        : `did you mean '${meant}'?`,
  });
}
