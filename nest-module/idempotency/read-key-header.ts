/** What a request says about its key: the key, or why there is none. */
export type KeyHeader = { readonly key: string } | { readonly problem: 'missing' | 'invalid' };

/** Long enough for everything that a client makes up, short enough to be kept. */
const LONGEST_KEY = 255;
/** A string of RFC 9651 (printable ASCII, with `\"` and `\\`), as the IETF draft wants it, with parameters that mean nothing here. */
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"(?:;.*)?$/;
/** What most clients send: the key alone. No comma, which is how two headers of one name arrive. */
const BARE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x7e]+$/;

/** Reads the header of an HTTP request. Two headers are no key: nobody could say which one counts. */
export function readKeyHeader(header: unknown): KeyHeader {
  if (header === undefined || (typeof header === 'string' && header.trim() === ''))
    return { problem: 'missing' };
  if (typeof header !== 'string') return { problem: 'invalid' };
  const text = header.trim();
  const quoted = QUOTED.exec(text)?.[1]?.replace(/\\(["\\])/g, '$1');
  const key = quoted ?? (BARE.test(text) ? text : '');
  return key.trim() === '' || key.length > LONGEST_KEY ? { problem: 'invalid' } : { key };
}
