import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResourceUpdatedNotificationSchema, type CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { childProcesses } from '../support/child-processes.js';
import { deferred } from '../support/deferred.js';
import { describeWithSqlite } from '../sqlite/driver.js';
import { peerFolder } from '../sqlite/find-driver.js';
import { atEnd, inTurn, json, startUpstream, status, structured, textsOf } from './support.js';

const { built } = childProcesses('mcp');
const bin = (): string => built('lib/mcp/bin.js');

interface Ended {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

function command(
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      // From Node 22 on SQLite is part of it, and Node says that this is an experiment.
      ['--disable-warning=ExperimentalWarning', file, ...args],
      { timeout: 30_000, env },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    );
    child.stdin?.end();
  });
}

async function start(args: readonly string[], env: Record<string, string> = {}) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bin(), ...args],
    stderr: 'pipe',
    env,
  });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  atEnd(() => client.close());
  const call = (name: string, args_: Record<string, unknown> = {}) =>
    client.callTool({ name, arguments: args_ }) as Promise<CallToolResult>;
  return { client, transport, call };
}

describe('relprim-mcp without the SDK', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'relprim-bare-'));
    await cp(built('lib'), path.join(folder, 'lib'), { recursive: true });
    await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('helps, and tells its version', async () => {
    const file = path.join(folder, 'lib/mcp/bin.js');
    const helped = await command(file, ['--help']);
    expect(helped).toMatchObject({ code: 0, stderr: '' });
    expect(helped.stdout).toContain('Usage: relprim-mcp --allow-host HOST [options]');
    expect(await command(file, ['--version'])).toMatchObject({ code: 0, stdout: '1.0.0-rc.1\n' });
  });

  it('says what to install, and that it failed', async () => {
    expect(await command(path.join(folder, 'lib/mcp/bin.js'), [])).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'relprim-mcp needs the MCP SDK, which is not installed here. Install it beside relprim:\n\n' +
        '  npm install @modelcontextprotocol/sdk zod\n',
    });
  });
});

describe('relprim-mcp', () => {
  it.each([
    [['--allow-hots', 'a'], 2, "Unknown option '--allow-hots'"],
    [['stray'], 2, 'Unexpected argument'],
    [['--secret-header', 'api.example.com=A'], 2, '--secret-header: write HOST:NAME=VARIABLE'],
    [['--max-breakers', '0'], 2, '--max-breakers: give a whole number above 0'],
    [['--http', '8765'], 2, '--http: write HOST:PORT'],
    [['--http', ':1', '--http-token', 'NOWHERE_TO_BE_FOUND'], 2, '--http-token: the environment variable'],
    [['--allow-host', '*'], 1, '--allow-host number 1 is no host; give a host such as'],
    [['--secret-header', 'a.example.com:x=NOWHERE_TO_BE_FOUND'], 1, 'NOWHERE_TO_BE_FOUND, which is not set'],
    [
      ['--http', '0.0.0.0:0'],
      1,
      '--http is an address that others than this machine can reach; give a token',
    ],
    [['--http', 'nowhere.invalid:0', '--http-token', 'PATH'], 1, 'which is no address of this machine'],
    [['--http-token', 'PATH'], 2, '--http-token: is for --http HOST:PORT'],
    [['--http-public-host', 'a.example.com'], 2, '--http-public-host: is for --http HOST:PORT'],
    [['--history', ' '], 1, '--history: is a blank string; give a text that is not blank'],
  ])('refuses %j', async (args, code, problem) => {
    const ended = await command(bin(), args);
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).toContain(problem);
  });

  it('says what to do about a port that is taken', async () => {
    const upstream = await startUpstream(status(200));
    expect(await command(bin(), ['--http', upstream.host, '--allow-host', 'a.example.com'])).toEqual({
      code: 1,
      stdout: '',
      stderr:
        `relprim-mcp: --http: cannot listen at ${upstream.host}, as something listens there already; ` +
        'stop that, or give another port (0 for any free one)\n',
    });
  });

  it('ends when its client goes away', async () => {
    expect(await command(bin(), [])).toEqual({
      code: 0,
      stdout: '',
      stderr: 'relprim-mcp: no --allow-host is given, so no call will be made\n',
    });
  });

  it('opens a breaker, answers with the fallback, and recovers, over stdio', async () => {
    const upstream = await startUpstream(status(500));
    const { call } = await start(['--allow-host', upstream.host]);
    await call('create_breaker', { name: 'api', window: 2, cooldownSeconds: 0.2, probe: 1 });
    const get = (args: Record<string, unknown> = {}) =>
      call('reliable_http_call', { breaker: 'api', url: upstream.origin, baseDelaySeconds: 0.001, ...args });
    expect(structured(await get({ maxAttempts: 2 }))).toMatchObject({
      attempts: 2,
      breaker: { state: 'open' },
    });
    expect(structured(await get({ fallback: 'old' }))).toMatchObject({ outcome: 'fallback', requests: 0 });
    expect(upstream.requests).toHaveLength(2);
    upstream.handle = json('new');
    // Real time is the subject: no clock can be handed to another process.
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect(structured(await get())).toMatchObject({ outcome: 'ok', breaker: { state: 'closed' } });
    expect(upstream.requests).toHaveLength(3);
  });

  it('lists, tells subscribers, ends cancelled requests and refuses bad arguments, over stdio', async () => {
    const arrived = deferred();
    const closed = deferred();
    const upstream = await startUpstream((request) => {
      void once(request.socket, 'close').then(() => closed.resolve());
      arrived.resolve();
    });
    const { client, call } = await start(['--allow-host', upstream.host, '--allow-control']);
    expect((await client.listTools()).tools).toHaveLength(10);
    expect((await client.listPrompts()).prompts).toHaveLength(1);
    await call('create_breaker', { name: 'api' });
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual([
      'reliable://breaker/api',
    ]);

    const told = deferred<string>();
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) =>
      told.resolve(params.uri),
    );
    await client.subscribeResource({ uri: 'reliable://breaker/api' });
    await call('force_breaker', { name: 'api', state: 'open', reason: 'test' });
    expect(await told.promise).toBe('reliable://breaker/api');
    await call('reset_breaker', { name: 'api' });

    const controller = new AbortController();
    const args = { breaker: 'api', url: upstream.origin };
    const outcome = client
      .callTool({ name: 'reliable_http_call', arguments: args }, undefined, { signal: controller.signal })
      .catch(() => 'cancelled');
    await arrived.promise;
    controller.abort();
    expect(await outcome).toBe('cancelled');
    await closed.promise;

    const wrong = await call('reliable_http_call', { ...args, maxAttempts: 'many' });
    expect(wrong).toMatchObject({ isError: true });
    expect(textsOf(wrong)[0]).toMatch(/^reliable_http_call: maxAttempts: /);
    await expect(call('no_such_tool')).rejects.toMatchObject({ code: -32_602 });
    await expect(client.readResource({ uri: 'reliable://breaker/no' })).rejects.toMatchObject({
      code: -32_002,
    });
  });

  it('answers fifty calls at once, over stdio', async () => {
    const upstream = await startUpstream((request, response, number) =>
      (number % 7 === 0 ? status(503) : json({ number }))(request, response, number),
    );
    const { call } = await start(['--allow-host', upstream.host]);
    await call('create_breaker', { name: 'api', failureRate: 1, window: 1_000, minimumCalls: 1_000 });
    const args = { breaker: 'api', url: upstream.origin, baseDelaySeconds: 0.001 };
    const results = await Promise.all(Array.from({ length: 50 }, () => call('reliable_http_call', args)));
    const told = results.map(structured);
    expect(told.map(({ outcome }) => outcome)).toEqual(Array(50).fill('ok'));
    expect(told.reduce((sum, one) => sum + one.attempts, 0)).toBe(upstream.requests.length);
  });

  it('writes nothing but the protocol to stdout', async () => {
    const upstream = await startUpstream(inTurn(status(503), json({ text: 'line\nend' })));
    const child = spawn(process.execPath, [bin(), '--allow-host', upstream.host], { stdio: 'pipe' });
    atEnd(() => void child.kill());
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    const say = (message: object): void =>
      void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const answered = async (id: number): Promise<void> => {
      while (!out.includes(`"id":${id}`)) await once(child.stdout, 'data');
    };
    const tool = (id: number, name: string, args: object): void =>
      say({ id, method: 'tools/call', params: { name, arguments: args, _meta: { progressToken: id } } });
    const clientInfo = { name: 'test', version: '1' };
    say({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
    });
    await answered(1);
    child.stdin.write('this is no JSON\n');
    say({ method: 'notifications/initialized' });
    tool(2, 'create_breaker', { name: 'api' });
    tool(3, 'reliable_http_call', { breaker: 'api', url: upstream.origin, baseDelaySeconds: 0.001 });
    tool(4, 'reliable_http_call', { breaker: 'api', url: 'file:///etc/passwd' });
    await answered(3);
    await answered(4);
    child.stdin.end();
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
    const lines = out.trimEnd().split('\n');
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    expect(lines.filter((line) => line.includes('notifications/progress'))).toHaveLength(3);
  });

  it('that is killed loses its requests; started again it serves as before', async () => {
    const arrived = deferred();
    const closed = deferred();
    const upstream = await startUpstream((request) => {
      void once(request.socket, 'close').then(() => closed.resolve());
      arrived.resolve();
    });
    const first = await start(['--allow-host', upstream.host]);
    await first.call('create_breaker', { name: 'api' });
    const outcome = first
      .call('reliable_http_call', { breaker: 'api', url: upstream.origin })
      .catch(() => 'lost');
    await arrived.promise;
    process.kill(first.transport.pid as number, 'SIGKILL');
    expect(await outcome).toBe('lost');
    await closed.promise;
    upstream.handle = json('back');
    const second = await start(['--allow-host', upstream.host]);
    expect(structured(await second.call('list_breakers')).breakers).toEqual([]);
    await second.call('create_breaker', { name: 'api' });
    const told = await second.call('reliable_http_call', { breaker: 'api', url: upstream.origin });
    expect(structured(told)).toMatchObject({ outcome: 'ok', upstream: { body: '"back"' } });
  });

  it('takes secrets from its environment', async () => {
    const upstream = await startUpstream(
      (request, response) => void response.end(request.headers.authorization),
    );
    const { call } = await start(
      ['--allow-host', upstream.host, '--secret-header', `${upstream.host}:authorization=API_AUTH`],
      { API_AUTH: 'Bearer 0123456789' },
    );
    await call('create_breaker', { name: 'api' });
    const result = await call('reliable_http_call', { breaker: 'api', url: upstream.origin });
    expect(upstream.requests[0]?.headers.authorization).toBe('Bearer 0123456789');
    expect(structured(result).upstream.body).toBe('[secret API_AUTH]');
  });

  it('serves streamable HTTP, until it is told to stop', async () => {
    const child = spawn(process.execPath, [bin(), '--http', '127.0.0.1:0'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    atEnd(() => void child.kill('SIGKILL'));
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    while (!said.includes('/mcp')) await once(child.stderr, 'data');
    const url = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(said)?.[0] as string;
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    expect((await client.listTools()).tools).toHaveLength(8);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    await client.close();
  });
});

describeWithSqlite('relprim-mcp with a history', () => {
  beforeAll(async () => {
    const modules = built('node_modules');
    await mkdir(modules, { recursive: true });
    if (peerFolder !== undefined) await symlink(peerFolder, path.join(modules, 'better-sqlite3'));
  });

  it.each([
    ['a text', 'my notes of today', 'file is not a database'],
    ['the beginning of a database', 'SQLite format 3\0'.padEnd(300, '\0'), 'file is not a database'],
  ])('ends at once where the file is %s, and leaves it as it is', async (_what, content, why) => {
    const file = built('broken.db');
    await writeFile(file, content);
    expect(await command(bin(), ['--history', file])).toEqual({
      code: 1,
      stdout: '',
      stderr:
        `relprim-mcp: --history: ${JSON.stringify(file)} cannot be used: ${why}\n` +
        'Give an SQLite file of this command, or a new one in a folder that is there and may be written; or leave it out.\n',
    });
    expect(await readFile(file, 'utf8')).toBe(content);
    expect(await readdir(built('.'))).not.toContainEqual(expect.stringMatching(/^broken\.db-/));
  });

  it.each([
    ['is a folder', () => built('lib')],
    ['would be in a folder that is not there', () => '/nowhere/to/be/found.db'],
  ])('ends at once where the file %s', async (_what, file) => {
    const { code, stdout, stderr } = await command(bin(), ['--history', file()]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`--history: ${JSON.stringify(file())} cannot be used: `);
    expect(stderr).toContain('\nGive an SQLite file of this command, or a new one');
  });

  it('remembers calls after it was started again', async () => {
    const upstream = await startUpstream(json(1));
    const args = ['--allow-host', upstream.host, '--history', built('history.db')];
    const first = await start(args);
    await first.call('create_breaker', { name: 'api' });
    const told = structured(await first.call('reliable_http_call', { breaker: 'api', url: upstream.origin }));
    await first.client.close();

    const second = await start(args);
    const { executions } = structured(await second.call('recent_executions'));
    expect(executions).toMatchObject([{ callId: told.callId, status: 'succeeded', attempts: 1 }]);
    expect(structured(await second.call('get_execution', { callId: told.callId })).report).toEqual(
      told.report,
    );
    const explained = structured(await second.call('explain_execution', { callId: told.callId }));
    expect(explained).toEqual({ explanation: told.explanation, breakerNow: null });
  });
});
