import type { Outgoing } from '../http/exchange.js';
import { checkRequestHeaders } from '../http/request-headers.js';
import { ArgumentError } from '../tools/argument-error.js';
import type { CallArguments } from './call-arguments.js';

const MOST_BYTES = 1_048_576;

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
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  if (typeof body !== 'string') headers['content-type'] ??= 'application/json';
  const bytes = Buffer.from(text);
  if (bytes.length > MOST_BYTES) throw new ArgumentError(`body: give at most ${MOST_BYTES} bytes`);
  return { method, headers, body: bytes };
}
