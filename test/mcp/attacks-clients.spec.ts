import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect as connectSocket, type AddressInfo, type Socket } from 'node:net';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  httpHandler,
  ReliabilityMcp,
  serveHttp,
  type McpHttpServer,
  type ServeHttpOptions,
} from '../../lib/mcp/index.js';
import { deferred } from '../support/deferred.js';
import { FakeClock } from '../../lib/testing/index.js';
import {
  atEnd,
  connectUnlisted as connect,
  json,
  startUpstream,
  status,
  structured,
  textsOf,
} from './support.js';

async function serve(options: Partial<ServeHttpOptions> = {}) {
  const mcp = new ReliabilityMcp();
  const clock = new FakeClock();
  const server = await serveHttp(mcp, { port: 0, clock, ...options });
  atEnd(() => server.close());
  return { mcp, server, clock };
}

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const HELLO = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'clumsy', version: '1' } },
});

interface Asked {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

async function ask(
  { port }: McpHttpServer,
  { method = 'POST', headers = HEADERS, body = HELLO }: Asked = {},
) {
  const outgoing = request({ host: '127.0.0.1', port, path: '/mcp', method, headers, agent: false });
  // Who is refused early may not get rid of all that it has to say.
  outgoing.on('error', () => undefined);
  outgoing.end(method === 'POST' ? body : undefined);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of incoming) text += String(chunk);
  return { status: incoming.statusCode, text };
}

/** A request that is never sent to its end. */
async function beginAndStop({ port }: McpHttpServer): Promise<Socket> {
  const socket = connectSocket(port, '127.0.0.1');
  const headers = Object.entries(HEADERS).map(([name, value]) => `${name}: ${value}\r\n`);
  await once(socket, 'connect');
  socket.write(`POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\n${headers.join('')}content-length: 1000\r\n\r\n{`);
  return socket;
}

/** Asks again until it is so: other processes and sockets have their own time. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

describe('a server over HTTP', () => {
  it('counts clients that have not said what they want', async () => {
    const { mcp, server } = await serve();
    const sockets = await Promise.all(Array.from({ length: 130 }, () => beginAndStop(server)));
    await until(() => mcp.clients >= 100);
    expect((await ask(server)).status).toBe(503);
    expect(mcp.clients).toBe(100);
    for (const socket of sockets) socket.destroy();
    await until(() => mcp.clients === 0);
    expect((await ask(server)).status).toBe(200);
  });

  it('never has more sessions than it says, however many begin at once', async () => {
    const { mcp, server } = await serve();
    const asked = await Promise.all(Array.from({ length: 140 }, () => ask(server)));
    expect(asked.filter((one) => one.status === 200).length).toBe(mcp.clients);
    expect(mcp.clients).toBeLessThanOrEqual(100);
    expect(new Set(asked.map((one) => one.status))).toEqual(new Set([200, 503]));
  });

  it('forgets who was silent for a minute when places are needed, but none that listens', async () => {
    const { mcp, server, clock } = await serve();
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
    atEnd(() => client.close());
    for (let begun = 0; begun < 99; begun += 1) expect((await ask(server)).status).toBe(200);
    expect((await ask(server)).status).toBe(503);
    await clock.advance(61);
    for (let begun = 0; begun < 99; begun += 1) expect((await ask(server)).status).toBe(200);
    expect((await ask(server)).status).toBe(503);
    expect(mcp.clients).toBe(100);
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  });

  it.each<[string, Asked, number]>([
    ['no word of what it accepts', { headers: { 'content-type': 'application/json' } }, 406],
    ['the type of a form of a page', { headers: { ...HEADERS, 'content-type': 'text/plain' } }, 415],
    ['no JSON', { body: '{' }, 400],
    ['no message', { body: '{"a":1}' }, 400],
    ['a call before the beginning', { body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' }, 400],
    ['two beginnings', { body: `[${HELLO},${HELLO}]` }, 400],
    ['ten megabytes', { body: JSON.stringify({ a: 'a'.repeat(10_000_000) }) }, 413],
    ['a GET without a session', { method: 'GET' }, 400],
    ['a DELETE without a session', { method: 'DELETE' }, 400],
    ['a preflight of a page', { method: 'OPTIONS' }, 400],
    ['a session that is none', { headers: { ...HEADERS, 'mcp-session-id': 'x' } }, 404],
    ['another host', { headers: { ...HEADERS, host: '127.0.0.1.evil.net' } }, 403],
    ['a host in decimal', { headers: { ...HEADERS, host: '2130706433' } }, 403],
    ['a host with a user', { headers: { ...HEADERS, host: 'localhost@evil.net' } }, 403],
    ['a page of another host', { headers: { ...HEADERS, origin: 'http://localhost.evil.net' } }, 403],
  ])('answers %s, and remembers nothing', async (_what, asked, code) => {
    const { mcp, server } = await serve();
    const { status: given, text } = await ask(server, asked);
    expect(given).toBe(code);
    expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0', error: { message: expect.any(String) } });
    expect(text.length).toBeLessThan(500);
    expect(mcp.clients).toBe(0);
  });

  it('is called by its public hosts, of IPv6 too', async () => {
    const { server } = await serve({ publicHosts: ['mcp.example.com', '[fd00::1]'] });
    for (const host of ['mcp.example.com:8765', 'MCP.example.com', '[fd00::1]:8765'])
      expect((await ask(server, { headers: { ...HEADERS, host } })).status).toBe(200);
    const { text } = await ask(server, { headers: { ...HEADERS, host: 'other.example.com' } });
    expect(text).toContain('--http-public-host (publicHosts) adds a name');
  });

  it('takes the word of the scheme of its token in any case', async () => {
    const { server } = await serve({ token: 'a-long-random-token' });
    const authorization = 'bearer a-long-random-token';
    expect((await ask(server, { headers: { ...HEADERS, authorization } })).status).toBe(200);
  });

  it.each<[Record<string, unknown>, string]>([
    [{ port: 70_000 }, 'port'],
    [{ publicHosts: 'mcp.example.com' }, 'publicHosts'],
    [{ publicHosts: ['https://mcp.example.com'] }, 'publicHosts[0]'],
    [{ publicHosts: ['mcp.example.com:443'] }, 'publicHosts[0]'],
    [{ token: 1_234_567_890 }, 'token'],
  ])('refuses %j', async (options, option) => {
    const served = serveHttp(new ReliabilityMcp(), { port: 0, ...(options as Partial<ServeHttpOptions>) });
    await expect(served).rejects.toMatchObject({ code: 'RELPRIM_CONFIGURATION', option });
  });

  it('closes while clients begin, and lets nobody in afterwards', async () => {
    const { mcp, server } = await serve();
    const sockets = await Promise.all(Array.from({ length: 5 }, () => beginAndStop(server)));
    await until(() => mcp.clients === 5);
    const gone = Promise.all(sockets.map((socket) => once(socket, 'close')));
    await Promise.all([server.close(), server.close()]);
    await gone;
    expect(mcp.clients).toBe(0);
    const [, theirs] = InMemoryTransport.createLinkedPair();
    await expect(mcp.connect(theirs)).rejects.toThrow('this ReliabilityMcp is closed; make a new one');
  });
});

describe('httpHandler', () => {
  it('answers by itself when it cannot serve, so that nothing else has to', async () => {
    const mcp = new ReliabilityMcp();
    const handler = httpHandler(mcp);
    await mcp.close();
    const server = createServer((incoming, response) => void handler(incoming, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    atEnd(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: HEADERS,
      body: HELLO,
    });
    expect(answer.status).toBe(500);
    expect(await answer.json()).toMatchObject({ error: { message: 'the request could not be served' } });
  });
});

describe('a client over HTTP whose connection breaks in a call', () => {
  async function breakIn() {
    const arrived = deferred();
    const closed = deferred();
    const held: ServerResponse[] = [];
    const upstream = await startUpstream((incoming, response) => {
      void once(incoming.socket, 'close').then(() => closed.resolve());
      held.push(response);
      arrived.resolve();
    });
    const mcp = new ReliabilityMcp({ allowHosts: [upstream.host] });
    const server = await serveHttp(mcp, { port: 0 });
    atEnd(() => server.close());
    const transport = new StreamableHTTPClientTransport(new URL(server.url));
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transport);
    atEnd(() => client.close());
    await client.callTool({ name: 'create_breaker', arguments: { name: 'api' } });
    const headers = { ...HEADERS, 'mcp-session-id': transport.sessionId as string };
    const outgoing = request(server.url, { method: 'POST', headers, agent: false });
    outgoing.on('error', () => undefined);
    const params = { name: 'reliable_http_call', arguments: { breaker: 'api', url: upstream.origin } };
    outgoing.end(JSON.stringify({ jsonrpc: '2.0', id: 99, method: 'tools/call', params }));
    await arrived.promise;
    outgoing.destroy();
    return { held, transport, client, closed, mcp };
  }

  it('finds what became of it in the record, as the protocol does not count that as giving up', async () => {
    const { held, client } = await breakIn();
    for (const response of held) response.end('late');
    let executions: unknown[] = [];
    while (executions.length === 0) {
      const told = await client.callTool({ name: 'recent_executions', arguments: {} });
      executions = (told.structuredContent as { executions: unknown[] }).executions;
    }
    expect(executions).toMatchObject([{ status: 'succeeded', attempts: 1 }]);
  });

  it('ends it when it ends its session', async () => {
    const { transport, closed, mcp } = await breakIn();
    await transport.terminateSession();
    await closed.promise;
    expect(mcp.clients).toBe(0);
  });
});

describe('a call that is given up', () => {
  it('at any moment leaves its place, its timers and its probe', async () => {
    const upstream = await startUpstream(json({ ok: true }));
    const session = await connect({ allowHosts: [upstream.host], maxConcurrent: 1 });
    const { client, call, clock } = session;
    await call('create_breaker', { name: 'api', window: 1, minimumCalls: 1, cooldownSeconds: 1, probe: 1 });
    const args = { breaker: 'api', url: upstream.origin };
    for (let stage = 0; stage < 60; stage += 1) {
      if (stage % 2 === 1) {
        // Half of them are probes.
        upstream.handle = status(500);
        await call('reliable_http_call', { ...args, maxAttempts: 1 });
        await clock.advance(2);
        upstream.handle = json({ ok: true });
      }
      const controller = new AbortController();
      const ended = client
        .callTool({ name: 'reliable_http_call', arguments: args }, undefined, { signal: controller.signal })
        .catch(() => 'given up');
      for (let turn = 0; turn < stage / 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      controller.abort();
      await ended;
      await clock.settle(new Promise((resolve) => setImmediate(resolve)));
      const next = structured(await call('reliable_http_call', args));
      expect(next).toMatchObject({ outcome: 'ok', breaker: { probesInFlight: 0 } });
    }
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('clients that race', () => {
  it('make one breaker of a hundred wishes', async () => {
    const { call } = await connect();
    const made = await Promise.all(
      Array.from({ length: 100 }, () => call('create_breaker', { name: 'api' })),
    );
    expect(made.filter((one) => structured(one).created === true)).toHaveLength(1);
    const others = await Promise.all(
      Array.from({ length: 150 }, (_, index) => call('create_breaker', { name: `b${index}` })),
    );
    expect(others.filter((one) => one.isError === true)).toHaveLength(51);
    expect(structured(await call('list_breakers')).breakers).toHaveLength(100);
  });

  it('for a hundred calls, force and reset are all answered, and nothing hangs', async () => {
    const upstream = await startUpstream((_request, response, number) =>
      status(number % 3 === 0 ? 500 : 204)(_request, response, number),
    );
    const { call, clock } = await connect({ allowHosts: [upstream.host], allowControl: true });
    await call('create_breaker', { name: 'api', window: 5, minimumCalls: 5, cooldownSeconds: 0.1 });
    const calls = Array.from({ length: 100 }, (_, index) => {
      if (index % 10 === 5) return call('force_breaker', { name: 'api', state: 'open', reason: 'race' });
      if (index % 10 === 8) return call('reset_breaker', { name: 'api' });
      return call('reliable_http_call', { breaker: 'api', url: upstream.origin });
    });
    const told = (await Promise.all(calls)).map(structured).filter((one) => one.outcome !== undefined);
    expect(told).toHaveLength(80);
    expect(told.reduce((sum, one) => sum + one.requests, 0)).toBe(upstream.requests.length);
    await call('reset_breaker', { name: 'api' });
    const { probesInFlight, state } = structured(await call('get_breaker_state', { name: 'api' }));
    expect({ probesInFlight, state }).toEqual({ probesInFlight: 0, state: 'closed' });
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('enormous arguments', () => {
  const LONG = 'x'.repeat(3_000_000);
  it.each<[string, string, Record<string, unknown>]>([
    ['an unknown name', 'reliable_http_call', { [LONG]: 1 }],
    ['a name of a header', 'reliable_http_call', { breaker: 'a', url: 'b', headers: { [LONG]: 1 } }],
    ['a breaker', 'get_breaker_state', { name: LONG }],
    ['a URL', 'reliable_http_call', { breaker: 'api', url: `https://a.example.com/${LONG}` }],
    [
      'a body',
      'reliable_http_call',
      { breaker: 'api', url: 'https://a.example.com/', method: 'PUT', body: LONG },
    ],
    ['a pointer', 'reliable_http_call', { breaker: 'api', url: 'b', expect: { pointers: [`/${LONG}`] } }],
    ['a call', 'get_execution', { callId: LONG }],
  ])('are refused in few words: %s', async (_what, tool, args) => {
    const { call } = await connect({ allowHosts: ['a.example.com'] });
    await call('create_breaker', { name: 'api' });
    const result = await call(tool, args);
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result).length).toBeLessThan(1_000);
  });

  it('of prompts, tools and resources are refused in few words', async () => {
    const { client, call } = await connect();
    await call('create_breaker', { name: 'api' });
    const asked = [
      client.getPrompt({ name: 'diagnose_breaker', arguments: { name: LONG } }),
      client.getPrompt({ name: LONG }),
      client.readResource({ uri: `reliable://breaker/${LONG}` }),
      client.subscribeResource({ uri: 'reliable://breaker/%E0%A4%A' }),
      call(LONG),
    ];
    for (const one of asked) {
      const error = (await one.catch((thrown: unknown) => thrown)) as Error;
      expect(error).toBeInstanceOf(Error);
      expect(error.message.length).toBeLessThan(300);
    }
  });

  it('in depth are refused with what to do', async () => {
    const { call } = await connect({ allowHosts: ['a.example.com'] });
    await call('create_breaker', { name: 'api' });
    const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`) as unknown;
    const args = { breaker: 'api', url: 'https://a.example.com/', method: 'PUT' };
    for (const [name, value] of [
      ['body', deep],
      ['fallback', deep],
    ] as const)
      expect(textsOf(await call('reliable_http_call', { ...args, [name]: value }))).toEqual([
        `reliable_http_call: ${name}: it is nested too deeply; give less of it`,
      ]);
  });
});
