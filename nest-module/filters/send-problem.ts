import type { ServerResponse } from 'node:http';
import type { HttpServer } from '@nestjs/common';
import { isObject } from '../../lib/container.js';
import type { Problem } from './problem.js';

/** Sends a problem by whatever platform the application runs on. A text, so that no serialiser changes it. */
export function sendProblem(platform: HttpServer, response: object, { body, retryAfter }: Problem): void {
  const headers = [
    ['Content-Type', 'application/problem+json'],
    ...(retryAfter === undefined ? [] : [['Retry-After', retryAfter]]),
  ] as [string, string][];
  const text = JSON.stringify(body);
  if (isOfNode(response)) {
    response.statusCode = body.status;
    for (const [name, value] of headers) response.setHeader(name, value);
    response.end(text);
    return;
  }
  for (const [name, value] of headers) platform.setHeader?.(response, name, value);
  platform.reply(response, text, body.status);
}

/** Code that Nest runs for others, with filters, may call itself HTTP by default and have no response. */
export function isResponse(value: unknown): value is object {
  if (!isObject(value)) return false;
  const { setHeader, header } = value as { readonly setHeader?: unknown; readonly header?: unknown };
  return typeof setHeader === 'function' || typeof header === 'function';
}

/** Middleware on Fastify gets the response of Node itself, and the adapter of Nest 11 cannot set headers on that. */
function isOfNode(response: object): response is ServerResponse {
  return !('status' in response);
}
