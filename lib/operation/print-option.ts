import { describeValue } from '../errors/describe-value.js';

/** An option's value for people: what was written where that is short, else what kind of thing it is. */
export function printOption(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value === 'number') return String(value);
  if (typeof value === 'function') return value.name === '' ? 'a function' : value.name;
  if (Array.isArray(value)) return `[${value.map(printOption).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return describeValue(value);
  const { constructor, name } = value as { constructor?: { name?: unknown }; name?: unknown };
  const given = typeof constructor?.name === 'string' ? constructor.name : '';
  const kind = given === '' || given === 'Object' ? 'an object' : given;
  return typeof name === 'string' ? `${kind} '${name}'` : kind;
}
