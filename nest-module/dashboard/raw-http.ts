import type { IncomingMessage, ServerResponse } from 'node:http';

/** What Express or Fastify gives a handler for its request. */
export interface GivenRequest {
  /** Node's request, where the platform wraps it. */
  readonly raw?: IncomingMessage;
  /** What the platform has read of the body, if it has. */
  readonly body?: unknown;
}

/** What Express or Fastify gives a handler for its response. */
export interface GivenResponse {
  readonly raw?: ServerResponse;
  /** Fastify: takes the response over, so that nothing else answers. */
  hijack?(): void;
}

/** Node's request below that of the platform. */
export function rawRequest(given: GivenRequest): IncomingMessage {
  return given.raw ?? (given as IncomingMessage);
}

/**
 * Node's response below that of the platform. Whatever the application has put around its answers, envelopes,
 * compression, leave for other sites, is left out.
 */
export function takeResponse(given: GivenResponse): ServerResponse {
  if (given.raw === undefined || given.hijack === undefined) return given as ServerResponse;
  given.hijack();
  return given.raw;
}

/** On every answer: nothing is kept, guessed or shown on pages of others. */
const ALWAYS = {
  'Cache-Control': 'no-store, no-transform',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

/** Begins an answer. */
export function writeHead(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
): void {
  response.statusCode = status;
  // On Express other sites have been given leave by now, where the application gives it for everything.
  for (const name of response.getHeaderNames())
    if (name.startsWith('access-control-')) response.removeHeader(name);
  for (const [name, value] of Object.entries({ ...ALWAYS, ...headers })) response.setHeader(name, value);
}

export function sendJson(response: ServerResponse, status: number, body: object): void {
  writeHead(response, status, { 'Content-Type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(body));
}
