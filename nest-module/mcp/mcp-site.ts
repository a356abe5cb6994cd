import { httpHandler, type McpHttpHandler, type ReliabilityMcp } from '../../lib/mcp/index.js';
import type { Clock } from '../../lib/index.js';
import { rawRequest, takeResponse, type GivenRequest, type GivenResponse } from '../site/raw-http.js';

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

  async handle(given: GivenRequest, givenResponse: GivenResponse): Promise<void> {
    const request = rawRequest(given);
    const response = takeResponse(givenResponse);
    // Where anybody may come, a page in somebody's browser may not: its owner is elsewhere, whatever its name leads to.
    if (this.parts.isOpen && request.headers.origin !== undefined) return void response.writeHead(403).end();
    await this.handler(request, response, request.method === 'POST' ? given.body : undefined);
  }

  async close(): Promise<void> {
    this.parts.endObserving();
    await this.parts.mcp.close();
  }
}
