import type { ServerResponse } from 'node:http';
import { httpHandler, type McpHttpHandler, type ReliabilityMcp } from '../../lib/mcp/index.js';
import type { Clock } from '../../lib/index.js';

/** What Express or Fastify gives a handler: its own objects, or Node's below them. */
export interface GivenRequest {
  readonly raw?: object;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  /** What the platform has read of the body, if it has. */
  readonly body?: unknown;
}

export interface GivenResponse {
  readonly raw?: object;
  /** Fastify: takes the response over, so that nothing else answers. */
  hijack?(): void;
}

export interface SiteParts {
  /** The server itself. */
  readonly mcp: ReliabilityMcp;
  readonly clock: Clock;
  /** Whether nothing in front of it finds out who may come. */
  readonly isOpen: boolean;
  endObserving(): void;
}

/** The server inside an application. Who may come has been found out before. */
export class McpSite {
  private readonly handler: McpHttpHandler;

  constructor(private readonly parts: SiteParts) {
    this.handler = httpHandler(parts.mcp, { clock: parts.clock });
  }

  async handle(request: GivenRequest, given: GivenResponse): Promise<void> {
    given.hijack?.();
    // Where anybody may come, a page in somebody's browser may not: its owner is elsewhere, whatever its name leads to.
    if (this.parts.isOpen && request.headers?.['origin'] !== undefined)
      return void ((given.raw ?? given) as ServerResponse).writeHead(403).end();
    const body = request.method === 'POST' ? request.body : undefined;
    await this.handler(request.raw ?? request, given.raw ?? given, body);
  }

  async close(): Promise<void> {
    this.parts.endObserving();
    await this.parts.mcp.close();
  }
}
