import { describe, expect, it } from '@jest/globals';
import { request } from 'node:http';
import { once } from 'node:events';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResourceUpdatedNotificationSchema, type CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { ReliabilityMcp, serveHttp, type McpHttpServer, type ServeHttpOptions } from '../../lib/mcp/index.js';
import { deferred } from '../support/deferred.js';
import { atEnd, json, startUpstream, status, structured } from './support.js';

async function serve(options: Partial<ServeHttpOptions> = {}, allowHosts: string[] = []) {
  const mcp = new ReliabilityMcp({ allowHosts, allowControl: true });
  const server = await serveHttp(mcp, { port: 0, ...options });
  atEnd(() => server.close());
  return { mcp, server };
}

async function clientOf({ url }: McpHttpServer, headers: Record<string, string> = {}) {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  await client.connect(transport);
  atEnd(() => client.close());
  const call = (name: string, args: Record<string, unknown> = {}) =>
    client.callTool({ name, arguments: args }) as Promise<CallToolResult>;
  return { client, transport, call };
}

/** What a browser or a stranger would send, headers and all. */
async function ask(
  { port }: McpHttpServer,
  headers: Record<string, string>,
  path = '/mcp',
): Promise<[number, string]> {
  const outgoing = request({ host: '127.0.0.1', port, path, method: 'POST', headers });
  outgoing.end('{}');
  const [incoming] = await once(outgoing, 'response');
  const chunks: string[] = [];
  for await (const chunk of incoming) chunks.push(String(chunk));
  return [incoming.statusCode, chunks.join('')];
}

describe('serveHttp', () => {
  it('serves calls by streamable HTTP, with progress', async () => {
    const upstream = await startUpstream(status(503));
    const { server } = await serve({}, [upstream.host]);
    expect(server.url).toBe(`http://127.0.0.1:${server.port}/mcp`);
    const { client, call } = await clientOf(server);
    expect((await client.listTools()).tools).toHaveLength(10);
    await call('create_breaker', { name: 'api' });
    const told: string[] = [];
    const result = await client.callTool(
      {
        name: 'reliable_http_call',
        arguments: {
          breaker: 'api',
          url: upstream.origin,
          maxAttempts: 2,
          baseDelaySeconds: 0.01,
          jitter: 0,
        },
      },
      undefined,
      { onprogress: ({ message }) => void told.push(message ?? '') },
    );
    expect(structured(result as CallToolResult)).toMatchObject({ outcome: 'failed', attempts: 2 });
    expect(upstream.requests).toHaveLength(2);
    expect(told).toEqual([
      'attempt 1 of 2',
      'attempt 1 failed; the next one in 0.01 s (back-off)',
      'attempt 2 of 2',
    ]);
  });

  it('gives several clients one set of breakers, and tells each what it subscribed to', async () => {
    const { mcp, server } = await serve();
    const one = await clientOf(server);
    const other = await clientOf(server);
    expect(mcp.clients).toBe(2);
    await one.call('create_breaker', { name: 'api' });
    const told = deferred<string>();
    other.client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) =>
      told.resolve(params.uri),
    );
    await other.client.subscribeResource({ uri: 'reliable://breaker/api' });
    await one.call('force_breaker', { name: 'api', state: 'open', reason: 'test' });
    expect(await told.promise).toBe('reliable://breaker/api');
    await one.transport.terminateSession();
    expect(mcp.clients).toBe(1);
  });

  it('ends the request at the upstream when a client cancels', async () => {
    const arrived = deferred();
    const closed = deferred();
    const upstream = await startUpstream((incoming) => {
      void once(incoming.socket, 'close').then(() => closed.resolve());
      arrived.resolve();
    });
    const { server } = await serve({}, [upstream.host]);
    const { client, call } = await clientOf(server);
    await call('create_breaker', { name: 'api' });
    const controller = new AbortController();
    const outcome = client
      .callTool(
        { name: 'reliable_http_call', arguments: { breaker: 'api', url: upstream.origin } },
        undefined,
        {
          signal: controller.signal,
        },
      )
      .catch(() => 'cancelled');
    await arrived.promise;
    controller.abort();
    expect(await outcome).toBe('cancelled');
    await closed.promise;
  });

  it('answers fifty clients that call at once', async () => {
    const upstream = await startUpstream(json({ ok: true }));
    const { server } = await serve({}, [upstream.host]);
    const { call } = await clientOf(server);
    await call('create_breaker', { name: 'api' });
    const results = await Promise.all(
      Array.from({ length: 50 }, () => call('reliable_http_call', { breaker: 'api', url: upstream.origin })),
    );
    expect(results.map((result) => structured(result).outcome)).toEqual(Array(50).fill('ok'));
    expect(upstream.requests).toHaveLength(50);
  });

  it('is not for pages in a browser, nor for names that somebody points at this machine', async () => {
    const { server } = await serve();
    expect(await ask(server, { origin: 'https://evil.example.net' })).toEqual([
      403,
      '{"jsonrpc":"2.0","error":{"code":-32000,"message":"this server is not for pages of that origin"},"id":null}',
    ]);
    expect((await ask(server, { host: 'evil.example.net' }))[0]).toBe(403);
    expect((await ask(server, { origin: 'null' }))[0]).toBe(403);
    expect((await ask(server, {}, '/other'))[0]).toBe(404);
    expect((await ask(server, { 'mcp-session-id': 'nobody' }))[0]).toBe(404);
  });

  it('leaves nothing behind of a request that begins no session', async () => {
    const { mcp, server } = await serve();
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    expect((await ask(server, headers))[0]).toBe(400);
    expect(mcp.clients).toBe(0);
  });

  it('asks for its token', async () => {
    const token = 'a-long-random-token';
    const { server } = await serve({ token });
    expect((await ask(server, {}))[0]).toBe(401);
    expect((await ask(server, { authorization: 'Bearer a-long-random-toket' }))[0]).toBe(401);
    const { client } = await clientOf(server, { authorization: `Bearer ${token}` });
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  });

  it('listens where others can reach it only with a token', async () => {
    const mcp = new ReliabilityMcp();
    await expect(serveHttp(mcp, { port: 0, host: '0.0.0.0' })).rejects.toMatchObject({
      option: 'host',
      problem: 'is an address that others than this machine can reach',
      cure: 'give a token, too, or listen on 127.0.0.1',
    });
    await expect(serveHttp(mcp, { port: 0, token: 'short' })).rejects.toMatchObject({ option: 'token' });
  });

  it('ends its clients when it is closed', async () => {
    const { mcp, server } = await serve();
    const { client } = await clientOf(server);
    await server.close();
    expect(mcp.clients).toBe(0);
    await expect(client.listTools()).rejects.toThrow();
  });
});
