import { ConfigurationError } from '../../errors/configuration-error.js';
import { ArgumentError } from '../tools/argument-error.js';

/** A token of RFC 9110 (5.6.2). */
const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]{1,100}$/i;
/** Visible letters, spaces and tabs: no line ends, so no header can become two. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const MOST_HEADERS = 64;
const MOST_LETTERS = 16_384;

/** They frame the message or belong to the connection: whoever writes them could smuggle a second request. */
const OURS = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The headers of a request that somebody else wrote, with names in lower case. @throws {ArgumentError} for bad ones. */
export function checkRequestHeaders(given: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(given);
  if (entries.length > MOST_HEADERS) throw new ArgumentError(`headers: give at most ${MOST_HEADERS}`);
  const headers: Record<string, string> = Object.create(null) as Record<string, string>;
  let letters = 0;
  for (const [name, value] of entries) {
    const key = name.toLowerCase();
    if (!NAME.test(name)) throw new ArgumentError('headers: a name is no name of a header');
    if (OURS.has(key)) throw new ArgumentError(`headers: ${key} is set by this server; leave it out`);
    if (!VALUE.test(value))
      throw new ArgumentError(
        `headers: the value of ${key} holds line ends or letters that no header may hold`,
      );
    if (key in headers) throw new ArgumentError(`headers: ${key} is given twice`);
    letters += name.length + value.length;
    headers[key] = value;
  }
  if (letters > MOST_LETTERS) throw new ArgumentError(`headers: give at most ${MOST_LETTERS} letters in all`);
  return headers;
}

/** @throws {ConfigurationError} for a header of the user that no request could carry. */
export function checkSecretHeader(
  option: string,
  { name, variable, value }: { readonly name: string; readonly variable: string; readonly value: string },
): void {
  const key = name.toLowerCase();
  const problem = !NAME.test(name)
    ? 'names no header'
    : OURS.has(key)
      ? `names ${key}, which this server sets itself`
      : VALUE.test(value)
        ? undefined
        : `names the environment variable ${variable}, which holds letters that no header may hold`;
  if (problem === undefined) return;
  throw new ConfigurationError({
    option,
    problem,
    cure: 'give a header such as authorization, and a value of plain ASCII letters',
  });
}

/** What must not follow a redirect to another origin. */
export function withoutCredentials(headers: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !CREDENTIAL.test(name));
  return Object.fromEntries(kept);
}

const CREDENTIAL =
  /^(?!idempotency-key$).*(?:auth|cookie|credential|key|passw|secret|session|signature|token)/;
