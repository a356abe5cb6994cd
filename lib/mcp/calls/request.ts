import type { Outgoing } from '../http/exchange.js';
import { checkRequestHeaders } from '../http/request-headers.js';
import { ArgumentError } from '../tools/argument-error.js';
import type { CallArguments } from './call-arguments.js';
import { checkSize, jsonText } from './json-text.js';

/** The request of a call. @throws {ArgumentError} for headers or a body that cannot be sent. */
export function requestOf(args: CallArguments): Outgoing {
  const { method, body, idempotencyKey } = args;
  const headers = checkRequestHeaders(args.headers);
  headers['accept'] ??= '*/*';
  headers['user-agent'] ??= 'relprim-mcp';
  // What is not packed cannot grow when it is unpacked.
  headers['accept-encoding'] = 'identity';
  if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;
  if (body === undefined) return { method, headers, body: undefined };
  if (method === 'GET' || method === 'HEAD')
    throw new ArgumentError(`body: a ${method} request has none; leave it out, or use another method`);
  const text = typeof body === 'string' ? checkSize('body', body) : jsonText('body', body);
  if (typeof body !== 'string') headers['content-type'] ??= 'application/json';
  return { method, headers, body: Buffer.from(text) };
}
