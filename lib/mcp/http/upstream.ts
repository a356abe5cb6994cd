import type { IncomingMessage } from 'node:http';
import type { AllowList } from '../hosts/allow-list.js';
import { TargetRefusedError } from '../hosts/target.js';
import type { HttpAnswer } from './answer.js';
import { makeBody, readBytes } from './body.js';
import { exchange, type Outgoing } from './exchange.js';
import { withoutCredentials } from './request-headers.js';
import type { Secrets } from './secrets.js';

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const MOST_REDIRECTS = 5;

export interface UpstreamParts {
  readonly allowList: AllowList;
  readonly secrets: Secrets;
  readonly maxResponseBytes: number;
}

export interface SendOptions {
  readonly signal: AbortSignal;
  /** Told just before each request is sent, those of redirects too. */
  readonly onRequest: () => void;
}

/** Sends requests to hosts that the user listed, and nowhere else. */
export class Upstream {
  constructor(private readonly parts: UpstreamParts) {}

  /** @throws {TargetRefusedError} for a redirect to where no request may go; the network's own errors. */
  async send(
    start: URL,
    outgoing: Outgoing,
    { signal, onRequest }: SendOptions,
  ): Promise<Omit<HttpAnswer, 'cost'>> {
    const { allowList, secrets } = this.parts;
    let url = start;
    let next = outgoing;
    const visited: URL[] = [];
    for (let redirects = 0; ; redirects += 1) {
      const headers = { ...next.headers };
      const target = secrets.apply(url, headers, visited);
      onRequest();
      const options = { signal, lookup: allowList.lookupFor(url) };
      const incoming = await exchange(target, { ...next, headers }, options);
      const location = REDIRECTS.has(incoming.statusCode ?? 0) ? incoming.headers.location : undefined;
      if (location === undefined) return this.read(incoming, url, redirects);
      incoming.destroy();
      if (redirects === MOST_REDIRECTS)
        throw new TargetRefusedError(`the upstream redirected more than ${MOST_REDIRECTS} times`);
      const from = url;
      visited.push(from);
      url = this.follow(location, from);
      next = redirected(next, incoming.statusCode as number, url.origin === from.origin);
    }
  }

  private follow(location: string, from: URL): URL {
    try {
      const url = this.parts.allowList.check(location, from);
      if (from.protocol === 'http:' || url.protocol === 'https:') return url;
      throw new TargetRefusedError('it leads from https: to http:');
    } catch (error) {
      if (!(error instanceof TargetRefusedError)) throw error;
      // The host may have been cut in the middle of a secret.
      const repeats = this.parts.secrets.redact(location) !== location;
      const why = repeats
        ? 'it leads to an address with a secret in it'
        : this.parts.secrets.redact(error.message);
      throw new TargetRefusedError(`the upstream answered with a redirect that is not followed: ${why}`);
    }
  }

  private async read(
    incoming: IncomingMessage,
    url: URL,
    redirects: number,
  ): Promise<Omit<HttpAnswer, 'cost'>> {
    const { secrets, maxResponseBytes } = this.parts;
    // Beyond the limit only to see a secret whole that reaches over it.
    const read = await readBytes(incoming, maxResponseBytes + secrets.longest);
    const { text, ...body } = makeBody(read.bytes, read.isCut, incoming.headers);
    const isCut = body.isCut || body.bytes > maxResponseBytes;
    const clean = text === null ? null : secrets.redact(text);
    // What is left of a secret that was cut must not be seen either.
    const end = read.isCut && clean !== null ? clean.length - secrets.longest : undefined;
    return {
      status: incoming.statusCode ?? 0,
      headers: incoming.headers,
      url: secrets.redact(url.href),
      host: url.host,
      redirects,
      body: {
        ...body,
        contentType: secrets.redact(body.contentType),
        text: clean?.slice(0, end) ?? null,
        bytes: Math.min(body.bytes, maxResponseBytes),
        isCut,
      },
    };
  }
}

/** As RFC 9110 (15.4) and browsers have it: 307 and 308 repeat the request, the others ask for the new place. */
function redirected({ method, headers, body }: Outgoing, status: number, isSameOrigin: boolean): Outgoing {
  const kept = isSameOrigin ? headers : withoutCredentials(headers);
  const repeats = status === 307 || status === 308 || method === 'HEAD' || method === 'GET';
  if (repeats) return { method, headers: kept, body };
  if (status !== 303 && method !== 'POST') return { method, headers: kept, body };
  const bodiless = Object.entries(kept).filter(([name]) => !name.startsWith('content-'));
  return { method: 'GET', headers: Object.fromEntries(bodiless), body: undefined };
}
