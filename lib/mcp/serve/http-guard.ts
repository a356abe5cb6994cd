import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../hosts/addresses.js';

/** Why a request is not served; `undefined` when it is. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

export interface GuardOptions {
  /** The hosts that clients may call the server by. */
  readonly hosts: readonly string[];
  readonly token: string | undefined;
}

/**
 * Whether a request is from somebody who may use the server. A web page in the user's browser is not: its origin is
 * another one, and a name that its owner points at this machine is none of the server's.
 */
export function refusalOf({ headers }: IncomingMessage, { hosts, token }: GuardOptions): Refusal | undefined {
  const host = nameIn(headers.host ?? '');
  if (!hosts.includes(host) && !isLoopback(host))
    return { status: 403, message: 'this server is not called by that host' };
  const { origin } = headers;
  if (origin !== undefined && !isOwn(origin, hosts))
    return { status: 403, message: 'this server is not for pages of that origin' };
  if (token !== undefined && !isSame(headers.authorization ?? '', `Bearer ${token}`))
    return { status: 401, message: 'a bearer token is needed' };
  return undefined;
}

function nameIn(host: string): string {
  return host.replace(/:\d+$/, '').toLowerCase();
}

function isOwn(origin: string, hosts: readonly string[]): boolean {
  if (!URL.canParse(origin)) return false;
  const { hostname } = new URL(origin);
  return hosts.includes(hostname) || isLoopback(hostname);
}

/** Takes as long for a nearly right token as for a wrong one. */
function isSame(given: string, wanted: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
