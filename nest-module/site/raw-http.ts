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
