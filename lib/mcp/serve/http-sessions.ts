import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Clock } from '../../time/clock.js';
import type { ReliabilityMcp } from '../reliability-mcp.js';

interface Session {
  readonly transport: StreamableHTTPServerTransport;
  usedMs: number;
  /** Requests that are being answered, streams of events among them. */
  open: number;
}

const MOST_SESSIONS = 100;
/** A client without a word for so long, and without a stream of events, may have gone: when its place is needed, it loses it. */
const IDLE_MS = 60_000;

/** The clients of one HTTP server: each has a session, which the SDK names in a header. */
export class HttpSessions {
  private readonly sessions = new Map<string, Session>();
  /** Clients whose first request has not been read to its end: they take a place, too. */
  private beginning = 0;

  constructor(
    private readonly mcp: ReliabilityMcp,
    private readonly clock: Clock,
  ) {}

  /** Answers in any case: nobody has to do anything about what goes wrong. */
  async handle(request: IncomingMessage, response: ServerResponse, body?: unknown): Promise<void> {
    try {
      await this.serve(request, response, body);
    } catch {
      if (response.headersSent) response.destroy();
      else fail(response, 500, 'the request could not be served');
    }
  }

  private async serve(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    const id = request.headers['mcp-session-id'];
    if (typeof id !== 'string') return this.begin(request, response, body);
    const session = this.sessions.get(id);
    if (session === undefined) return fail(response, 404, 'there is no such session; initialize a new one');
    session.usedMs = this.clock.monotonicMs();
    session.open += 1;
    response.once('close', () => (session.open -= 1));
    await session.transport.handleRequest(request, response, body);
  }

  private async begin(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    if (request.method !== 'POST') return fail(response, 400, 'a session is needed; initialize one by POST');
    if (this.isFull()) await this.forgetLongestIdle();
    if (this.isFull()) return fail(response, 503, 'too many clients are connected; come back in a minute');
    this.beginning += 1;
    try {
      await this.initialize(request, response, body);
    } finally {
      this.beginning -= 1;
    }
  }

  private isFull(): boolean {
    return this.sessions.size + this.beginning >= MOST_SESSIONS;
  }

  private async initialize(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        this.sessions.set(id, { transport, usedMs: this.clock.monotonicMs(), open: 0 });
      },
    });
    await this.mcp.connect(transport);
    const { onclose } = transport;
    transport.onclose = () => {
      if (transport.sessionId !== undefined) this.sessions.delete(transport.sessionId);
      onclose?.();
    };
    await transport.handleRequest(request, response, body);
    // Whatever it was, it did not begin a session.
    if (transport.sessionId === undefined) await transport.close();
  }

  private async forgetLongestIdle(): Promise<void> {
    const before = this.clock.monotonicMs() - IDLE_MS;
    const idle = [...this.sessions.values()].filter(({ open, usedMs }) => open === 0 && usedMs <= before);
    const [longest] = idle.sort((one, other) => one.usedMs - other.usedMs);
    await longest?.transport.close();
  }
}

/** An error as the protocol has it. */
export function fail(response: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null });
  const challenge = status === 401 ? { 'www-authenticate': 'Bearer' } : {};
  response.writeHead(status, { 'content-type': 'application/json', ...challenge }).end(body);
}
