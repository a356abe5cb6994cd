import type { Type } from '@nestjs/common';
import { isRecord, refuse } from '../lib/container.js';
import { ConfigurationError, type EventSink } from '../lib/index.js';
import type { Kind } from './named/kind.js';
import type { EventSinkRegistration } from './options.js';

export function checkList<T>(
  option: string,
  list: readonly T[] | undefined,
  check?: (entry: T, option: string) => void,
): void {
  if (list === undefined) return;
  if (!Array.isArray(list)) refuse(option, list, 'give a list');
  (list as readonly T[]).forEach((entry, index) => check?.(entry, `${option}[${index}]`));
}

/** Things by name, as an object whose keys are the names. */
export function checkByName(option: string, entries: unknown): void {
  if (!isRecord(entries)) refuse(option, entries, 'give an object whose keys are the names');
}

export function isSinkClass(sink: EventSinkRegistration): sink is Type<EventSink> {
  return typeof sink === 'function';
}

/** What a class makes in its constructor is looked at when the sink is made. */
export function checkSink(entry: EventSinkRegistration, option: string): void {
  const isSink = isSinkClass(entry)
    ? isClass(entry)
    : typeof (entry as Partial<EventSink> | undefined)?.emit === 'function';
  if (!isSink) refuse(option, entry, 'give a class or an object with an emit(event) method');
}

function isClass(entry: { readonly prototype?: unknown }): boolean {
  return typeof entry.prototype === 'object' && entry.prototype !== null;
}

/** Two names of one list must differ: Nest would keep the last of two, without a word. */
export function checkNoTwice(
  { option, word }: Kind,
  member: string | undefined,
  names: readonly string[],
): void {
  const index = names.findIndex((name, at) => names.indexOf(name) !== at);
  if (index < 0) return;
  throw new ConfigurationError({
    option: `${option}[${index}]${member === undefined ? '' : `.${member}`}`,
    problem: `'${names[index]}' is given twice`,
    cure: `give each ${word} a name of its own`,
  });
}
