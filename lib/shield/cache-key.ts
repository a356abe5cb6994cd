import { createHash } from 'node:crypto';

/** Characters of the digest in a key. */
const DIGITS = 16;

/**
 * The key of a call: `<shield>:<16 hex digits>`, the same for equal arguments however their keys are ordered.
 * @throws {TypeError} for arguments that have no stable text: functions, symbols, instances of classes, circles.
 */
export function cacheKeyOf(
  shieldName: string,
  operationName: string | undefined,
  args: readonly unknown[],
): string {
  const parts = operationName === undefined ? args : [operationName, args];
  const text = canonical(parts, []);
  return `${shieldName}:${createHash('sha256').update(text).digest('hex').slice(0, DIGITS)}`;
}

/** JSON with sorted keys, in which each kind of value has a mark of its own. */
function canonical(value: unknown, above: readonly unknown[]): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value);
    case 'bigint':
      return `${value}n`;
    case 'boolean':
    case 'undefined':
      return String(value);
    case 'object':
      return value === null ? 'null' : canonicalObject(value, above);
    default:
      throw new TypeError(`a ${typeof value} has no stable text`);
  }
}

function canonicalObject(value: object, above: readonly unknown[]): string {
  if (above.includes(value)) throw new TypeError('a circle has no stable text');
  const inside = [...above, value];
  const list = (items: Iterable<unknown>): string[] => Array.from(items, (item) => canonical(item, inside));
  if (Array.isArray(value)) return `[${list(value).join(',')}]`;
  if (value instanceof Date) return `Date(${value.getTime()})`;
  if (value instanceof URL) return `URL(${JSON.stringify(value.href)})`;
  if (value instanceof Map) return `Map(${list(value).sort().join(',')})`;
  if (value instanceof Set) return `Set(${list(value).sort().join(',')})`;
  if (value instanceof Uint8Array) return `Bytes(${Buffer.from(value).toString('base64')})`;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return canonicalInstance(value, inside);
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item, inside)}`).join(',')}}`;
}

/** An instance that says itself how it is written, such as a Decimal, may be part of a key. */
function canonicalInstance(value: object, inside: readonly unknown[]): string {
  const { toJSON } = value as { toJSON?: unknown };
  const name = value.constructor.name;
  if (typeof toJSON !== 'function') throw new TypeError(`an instance of ${name} has no stable text`);
  return `${name}(${canonical((toJSON as () => unknown).call(value), inside)})`;
}
