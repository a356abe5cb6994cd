/**
 * Copies data, so that whoever changes it changes nobody else's: plain objects, lists, maps, sets, dates and bytes, as
 * deep as they go, with what they share and their circles. Instances of other classes and functions stay the same:
 * what they hold (connections, private fields) has no copy that works.
 */
export function copyData(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? copyObject(value, new Map()) : value;
}

function copyObject(source: object, known: Map<object, unknown>): unknown {
  const before = known.get(source);
  if (before !== undefined) return before;
  const prototype: unknown = Object.getPrototypeOf(source);
  if (prototype === Array.prototype && Array.isArray(source)) return copyList(source, known);
  if (prototype === Object.prototype || prototype === null) return copyRecord(source, prototype, known);
  if (prototype === Date.prototype) return new Date((source as Date).getTime());
  if (prototype === Map.prototype) return copyMap(source as Map<unknown, unknown>, known);
  if (prototype === Set.prototype) return copySet(source as Set<unknown>, known);
  if (prototype === ArrayBuffer.prototype) return (source as ArrayBuffer).slice();
  if (ArrayBuffer.isView(source)) return copyView(source);
  return source;
}

function copyPart(value: unknown, known: Map<object, unknown>): unknown {
  return typeof value === 'object' && value !== null ? copyObject(value, known) : value;
}

function copyList(source: readonly unknown[], known: Map<object, unknown>): unknown[] {
  const copy = new Array<unknown>(source.length);
  known.set(source, copy);
  for (let index = 0; index < source.length; index += 1)
    if (index in source) copy[index] = copyPart(source[index], known);
  // What a regular expression found has more than its items.
  const keys = Object.keys(source);
  if (keys.length > source.length) copyProperties(source, copy, keys.slice(source.length), known);
  return copy;
}

function copyRecord(source: object, prototype: object | null, known: Map<object, unknown>): object {
  const copy = (prototype === null ? Object.create(null) : {}) as object;
  known.set(source, copy);
  copyProperties(source, copy, Object.keys(source), known);
  const symbols = Object.getOwnPropertySymbols(source);
  if (symbols.length > 0) copyProperties(source, copy, symbols.filter(isEnumerable, source), known);
  return copy;
}

function copyProperties(
  source: object,
  copy: object,
  keys: readonly PropertyKey[],
  known: Map<object, unknown>,
): void {
  for (const key of keys) {
    const value = copyPart((source as Record<PropertyKey, unknown>)[key], known);
    // Assigning to it would change the prototype.
    if (key === '__proto__') Object.defineProperty(copy, key, { ...WRITABLE, value });
    else (copy as Record<PropertyKey, unknown>)[key] = value;
  }
}

function isEnumerable(this: object, key: PropertyKey): boolean {
  return Object.prototype.propertyIsEnumerable.call(this, key);
}

const WRITABLE = { enumerable: true, writable: true, configurable: true };

function copyMap(source: Map<unknown, unknown>, known: Map<object, unknown>): Map<unknown, unknown> {
  const copy = new Map<unknown, unknown>();
  known.set(source, copy);
  for (const [key, value] of source) copy.set(copyPart(key, known), copyPart(value, known));
  return copy;
}

function copySet(source: Set<unknown>, known: Map<object, unknown>): Set<unknown> {
  const copy = new Set<unknown>();
  known.set(source, copy);
  for (const value of source) copy.add(copyPart(value, known));
  return copy;
}

function copyView(source: ArrayBufferView): unknown {
  if (Buffer.isBuffer(source)) return Buffer.from(source);
  if (!(source instanceof DataView)) return (source as Uint8Array).slice();
  const { buffer, byteOffset, byteLength } = source;
  return new DataView(buffer.slice(byteOffset, byteOffset + byteLength));
}
