/** The kind of a value, for messages. Texts and objects are never shown: they may be secrets. */
export function describeValue(value: unknown): string {
  try {
    return kindOf(value);
  } catch {
    // A proxy may throw whatever it likes at who looks.
    return 'an object that lets nobody look';
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'number') return Number.isFinite(value) ? `the number ${value}` : String(value);
  if (typeof value === 'boolean' || value === undefined) return String(value);
  if (typeof value === 'string') return value.trim() === '' ? 'a blank string' : 'a string';
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') {
    if (typeof (value as { then?: unknown }).then === 'function') return 'a promise';
    return value instanceof Map ? 'a Map' : 'an object';
  }
  return `a ${typeof value}`;
}
