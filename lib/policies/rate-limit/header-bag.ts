import { isObject, read } from '../../errors/http-failure.js';

/** The headers of one answer: names in lower case, each with all of its values. */
export type HeaderBag = ReadonlyMap<string, readonly string[]>;

/** More than any server sends; whatever has more is no list of headers. */
const MOST_HEADERS = 256;
/** A longer value means nothing here. */
const LONGEST_VALUE = 1_024;
/** What is asked for where there is only a `get`. */
const COMMON_NAMES = [
  'date',
  'retry-after',
  'retry-after-ms',
  'ratelimit',
  'ratelimit-reset',
  'ratelimit-remaining',
  'x-ratelimit-reset',
  'x-ratelimit-remaining',
  'grpc-retry-pushback-ms',
];

/**
 * Headers from whatever form a client keeps them in: `Headers`, a map, pairs, a plain object, a flat list as in
 * `rawHeaders`, the metadata of gRPC, or an object with a `get`. What cannot be read is not there.
 */
export function readHeaders(source: unknown): HeaderBag {
  const bag = new Map<string, string[]>();
  try {
    let count = 0;
    for (const [name, value] of entriesOf(source)) {
      if ((count += 1) > MOST_HEADERS) break;
      const key = textOf(name)?.toLowerCase();
      if (key === undefined) continue;
      const values = (Array.isArray(value) ? value : [value])
        .map(textOf)
        .filter((text) => text !== undefined);
      bag.set(key, [...(bag.get(key) ?? []), ...values]);
    }
  } catch {
    // Someone else's object; what was read until now is true all the same.
  }
  return bag;
}

type Entries = Iterable<readonly [unknown, unknown]>;

function entriesOf(source: unknown): Entries {
  if (!isObject(source)) return [];
  if (Array.isArray(source) && !Array.isArray(source[0])) return flatEntries(source);
  if (Symbol.iterator in source) return source as Entries;
  const representation = read(source, 'internalRepr');
  if (isObject(representation) && Symbol.iterator in representation) return representation as Entries;
  const getMap = read(source, 'getMap');
  if (typeof getMap === 'function') return Object.entries(getMap.call(source) as object);
  const get = read(source, 'get');
  const asked =
    typeof get === 'function' ? COMMON_NAMES.map((name) => [name, get.call(source, name)] as const) : [];
  return [...Object.entries(source), ...asked];
}

function* flatEntries(list: readonly unknown[]): Entries {
  for (let at = 0; at + 1 < list.length; at += 2) yield [list[at], list[at + 1]];
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  const text = value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value;
  return typeof text === 'string' && text.length <= LONGEST_VALUE ? text.trim() : undefined;
}
