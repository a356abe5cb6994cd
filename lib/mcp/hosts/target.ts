/** A request that is not sent, as it would go where the user allowed none. Never retried, never counted by a breaker. */
export class TargetRefusedError extends Error {
  override readonly name = 'TargetRefusedError';
}

const LONGEST_URL = 8_192;
/** What parsers of URLs drop or turn into something else, so that people and programs read different addresses. */
// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const MISLEADING = /[\u0000-\u0020\u007f-\u00a0\\]/;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const AUTHORITY = /^(?:[a-z][a-z0-9+.-]*:)?\/\/([^/?#]*)/i;

/**
 * A URL that says plainly where it goes: `http` or `https`, no user, and the host in the one form that programs agree
 * on, so no decimal, octal or abbreviated addresses, no letters that only look like others, no final dot.
 * With `base`, a relative reference as in a redirect.
 * @throws {TargetRefusedError} for anything else. The message never holds more than the host.
 */
export function parseTarget(text: string, base?: URL): URL {
  if (text.length > LONGEST_URL) refuse(`is longer than ${LONGEST_URL} letters`);
  if (MISLEADING.test(text)) refuse('holds spaces, control characters or backslashes; percent-encode them');
  const url = parse(text, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    refuse(`begins with ${JSON.stringify(url.protocol.slice(0, 20))}; only http: and https: can be called`);
  const authority = AUTHORITY.exec(text)?.[1];
  if (authority === undefined && (base === undefined || SCHEME.test(text)))
    refuse('names no host; write it as https://host/path');
  if (url.username !== '' || url.password !== '' || authority?.includes('@') === true)
    refuse('holds a user or a password; secrets are given by the user of this server, from its environment');
  if (authority !== undefined) checkPlain(authority, url.hostname);
  if (url.hostname.endsWith('.')) refuse('ends its host with a dot; write the host without it');
  url.hash = '';
  return url;
}

function parse(text: string, base: URL | undefined): URL {
  try {
    return new URL(text, base);
  } catch {
    return refuse('cannot be read; write it as https://host/path');
  }
}

function checkPlain(authority: string, hostname: string): void {
  const written = authority.replace(/:\d*$/, '').toLowerCase();
  if (written !== hostname)
    refuse(`writes its host in a misleading form; write it as ${JSON.stringify(hostname.slice(0, 100))}`);
}

function refuse(problem: string): never {
  throw new TargetRefusedError(`the URL ${problem}`);
}
