import type { IncomingMessage, ServerResponse } from 'node:http';
import { checkOptions, checkTimeOptions, type TimeOptions } from '../../errors/check.js';
import { systemClock } from '../../time/clock.js';
import type { ReliabilityMcp } from '../reliability-mcp.js';
import { HttpSessions } from './http-sessions.js';

/**
 * Answers one request of Node's `http`, whose body a framework may have read already; Node's types are left to whoever
 * has them.
 */
export type McpHttpHandler = (request: object, response: object, body?: unknown) => Promise<void>;

/**
 * Streamable HTTP inside the server of an application. It looks at no host, origin or token: what stands in front of it
 * decides who may come.
 */
export function httpHandler(mcp: ReliabilityMcp, options: Pick<TimeOptions, 'clock'> = {}): McpHttpHandler {
  checkOptions('httpHandler', options, ['clock']);
  checkTimeOptions(options);
  const sessions = new HttpSessions(mcp, options.clock ?? systemClock);
  return (request, response, body) =>
    sessions.handle(request as IncomingMessage, response as ServerResponse, body);
}
