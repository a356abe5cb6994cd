import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { afterEach } from '@jest/globals';
import { ReliabilityMcp, type ReliabilityMcpOptions } from '../../lib/mcp/index.js';
import { FakeClock, seededRandom } from '../../lib/testing/index.js';

export type Handler = (request: IncomingMessage, response: ServerResponse, number: number) => void;

/** What must be ended after each test. */
const ends: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

export function atEnd(end: () => Promise<unknown> | void): void {
  ends.push(end);
}

export interface TestUpstream {
  readonly origin: string;
  readonly host: string;
  /** What arrived, in order. */
  readonly requests: {
    readonly method: string;
    readonly path: string;
    readonly headers: IncomingMessage['headers'];
  }[];
  /** What it does with the next requests. */
  handle: Handler;
}

/** A real server on the loopback interface. */
export async function startUpstream(handle: Handler): Promise<TestUpstream> {
  const requests: TestUpstream['requests'] = [];
  const server: Server = createServer((request, response) => {
    requests.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers });
    upstream.handle(request, response, requests.length);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const upstream: TestUpstream = { origin: `http://${host}`, host, requests, handle };
  atEnd(async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  });
  return upstream;
}

export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Handler {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
  };
}

export function status(code: number, headers: Record<string, string> = {}): Handler {
  return (_request, response) => void response.writeHead(code, headers).end();
}

/** The handlers in turn, the last one for ever. */
export function inTurn(...handlers: readonly Handler[]): Handler {
  let asked = 0;
  return (request, response, number) => {
    const handler = handlers[Math.min(asked, handlers.length - 1)] as Handler;
    asked += 1;
    handler(request, response, number);
  };
}

export interface Session {
  readonly clock: FakeClock;
  readonly mcp: ReliabilityMcp;
  readonly client: Client;
  call(name: string, args?: Record<string, unknown>): Promise<CallToolResult>;
}

/** The SDK's own client, connected to a server on a fake clock. */
export async function connect(options: ReliabilityMcpOptions = {}): Promise<Session> {
  const session = await connectUnlisted(options);
  // Knowing the output schemas, the client checks every structured result against them.
  await session.client.listTools();
  return session;
}

/** The same, where what results look like is not the subject. */
export async function connectUnlisted(options: ReliabilityMcpOptions = {}): Promise<Session> {
  const clock = new FakeClock();
  const mcp = new ReliabilityMcp({ clock, random: seededRandom(1), ...options });
  const client = await join(mcp);
  atEnd(() => mcp.close());
  const call = async (name: string, args: Record<string, unknown> = {}): Promise<CallToolResult> =>
    clock.settle(client.callTool({ name, arguments: args }) as Promise<CallToolResult>);
  return { clock, mcp, client, call };
}

/** One more client of a server. */
export async function join(mcp: ReliabilityMcp): Promise<Client> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '1' });
  await mcp.connect(theirs);
  await client.connect(ours);
  atEnd(() => client.close());
  return client;
}

/** The text blocks of a result. */
export function textsOf(result: CallToolResult): readonly string[] {
  return result.content.map((block) => (block.type === 'text' ? block.text : block.type));
}

export function structured(result: CallToolResult): any {
  return result.structuredContent;
}
