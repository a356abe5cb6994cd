import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isLoopback, withoutBrackets } from '../hosts/addresses.js';

/** Why a request is not served; `undefined` when it is. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

export interface GuardOptions {
  /** The hosts that clients may call the server by, in lower case and without brackets, beside those of this machine. */
  readonly hosts: readonly string[];
  readonly token: string | undefined;
}

/**
 * Whether a request is from somebody who may use the server. A web page in the user's browser is not: its origin is
 * another one, and a name that its owner points at this machine is none of the server's.
 */
export function refusalOf({ headers }: IncomingMessage, { hosts, token }: GuardOptions): Refusal | undefined {
  const host = nameIn(headers.host ?? '');
  const isKnown = (name: string): boolean => hosts.includes(name) || isLoopback(name);
  if (!isKnown(host)) {
    const message = 'this server is not called by that host; --http-public-host (publicHosts) adds a name';
    return { status: 403, message };
  }
  const { origin } = headers;
  if (origin !== undefined && !isKnown(hostOf(origin)))
    return { status: 403, message: 'this server is not for pages of that origin' };
  const given = /^bearer +(.*)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
  if (token !== undefined && !isSame(given, token))
    return { status: 401, message: 'a bearer token is needed' };
  return undefined;
}

function nameIn(host: string): string {
  return withoutBrackets(host.replace(/:\d+$/, '').toLowerCase());
}

/** Of pages without an origin of their own it is empty, as of what is no URL. */
function hostOf(origin: string): string {
  return URL.canParse(origin) ? withoutBrackets(new URL(origin).hostname) : '';
}

/** Takes as long for a nearly right token as for a wrong one. */
function isSame(given: string, wanted: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
