import { ConfigurationError } from '../../errors/configuration-error.js';
import { describeValue } from '../../errors/describe-value.js';

/**
 * Compact JSON whose keys are in order. What JSON would change on the way is refused; only `undefined` is left out.
 * @throws {ConfigurationError} for a number that is not finite, or anything else that JSON has no form for.
 */
export function canonicalJson(option: string, value: unknown): string {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return JSON.stringify(value);
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (Array.isArray(value)) {
    const items = value.map((item, index) => canonicalJson(`${option}[${index}]`, item));
    return `[${items.join()}]`;
  }
  if (isPlain(value)) return objectJson(option, value);
  throw new ConfigurationError({
    option,
    problem: `is ${describeValue(value)}`,
    cure: 'give what JSON has a form for: finite numbers, texts, booleans, null, lists and plain objects',
  });
}

function objectJson(option: string, value: Readonly<Record<string, unknown>>): string {
  let entries = '';
  for (const key of Object.keys(value).sort()) {
    const item = value[key];
    if (item === undefined) continue;
    if (entries !== '') entries += ',';
    entries += `${JSON.stringify(key)}:${canonicalJson(`${option}.${key}`, item)}`;
  }
  return `{${entries}}`;
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Of another realm, as under some test runners, it is as plain.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
