import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The header by which the page says that a request is its own. */
const TOKEN_HEADER = 'x-relprim-dashboard';

/** Tells the requests of the page from those that another site makes a browser send. */
export class OwnPage {
  /** Known to whoever may read the page, and to nobody else. Of this process: its page operates it alone. */
  readonly token = randomBytes(18).toString('base64url');

  /** Why a request is not the page's; `undefined` when it is. */
  refusalOf({ headers }: IncomingMessage): string | undefined {
    if (!isSameSite(headers)) return 'the request comes from another site';
    const given = headers[TOKEN_HEADER];
    if (typeof given === 'string' && isSame(given, this.token)) return undefined;
    return 'the page belongs to another process: reload it';
  }
}

/** As browsers say it. What is no browser says nothing, and has the token to show. */
function isSameSite({ origin, host, 'sec-fetch-site': site }: IncomingMessage['headers']): boolean {
  // Over plain HTTP browsers leave this one out; a proxy leaves it as it is, other than the host.
  if (site !== undefined) return site === 'same-origin';
  if (origin === undefined) return true;
  try {
    return new URL(origin).host === host;
  } catch {
    return false;
  }
}

function isSame(given: string, token: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(token)];
  return one.length === other.length && timingSafeEqual(one, other);
}
