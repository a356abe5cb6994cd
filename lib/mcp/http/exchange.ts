import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';

export interface Outgoing {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

export interface ExchangeOptions {
  /** Ends it at once: no byte is sent or read afterwards. */
  readonly signal: AbortSignal;
  readonly lookup: LookupFunction;
}

/**
 * One request and the head of its answer. Follows nothing, keeps no connection, and believes no proxy settings: what
 * is connected to is the host of the URL, as this very lookup finds it.
 */
export function exchange(url: URL, outgoing: Outgoing, options: ExchangeOptions): Promise<IncomingMessage> {
  const { method, body } = outgoing;
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const headers = { ...outgoing.headers, ...(body !== undefined && { 'content-length': body.length }) };
  return new Promise((resolve, reject) => {
    const request = send(url, { method, headers, agent: false, maxHeaderSize: 16_384, ...options });
    // An answer may come before the request is through; afterwards its errors are those of the answer.
    request.on('error', reject);
    request.on('response', resolve);
    request.end(body);
  });
}
