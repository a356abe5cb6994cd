import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import type { LookupFunction } from 'node:net';
import { AllowList } from '../../lib/mcp/hosts/allow-list.js';
import { exchange } from '../../lib/mcp/http/exchange.js';
import { ReliabilityMcp } from '../../lib/mcp/index.js';
import { mistakeOf } from '../support/mistake-of.js';
import {
  connectUnlisted as connect,
  json,
  startUpstream,
  status,
  structured,
  textsOf,
  type Handler,
} from './support.js';

async function scene(handle: Handler, options: Parameters<typeof connect>[0] = {}) {
  const upstream = await startUpstream(handle);
  const session = await connect({
    allowHosts: [upstream.host, 'api.example.com', '*.example.org'],
    ...options,
  });
  await session.call('create_breaker', { name: 'api' });
  const get = (url: string, args: Record<string, unknown> = {}) =>
    session.call('reliable_http_call', { breaker: 'api', url, maxAttempts: 1, ...args });
  return { upstream, ...session, get };
}

const redirect =
  (location: string, code = 302): Handler =>
  (_request, response) =>
    void response.writeHead(code, { location }).end();

describe('a URL that is not plainly of a listed host', () => {
  const ATTACKS = [
    ['a host that is not listed', 'https://evil.example.net/', 'may not be called'],
    ['a look-alike suffix', 'https://api.example.com.evil.net/', 'may not be called'],
    ['a look-alike prefix', 'https://evil-api.example.com/', 'may not be called'],
    ['the apex of a pattern', 'https://example.org/', 'may not be called'],
    ['a name that only ends like a pattern', 'https://evilexample.org/', 'may not be called'],
    ['another port', 'https://api.example.com:8443/', 'may not be called'],
    ['another loopback address', 'http://127.0.0.2:PORT/', 'may not be called'],
    ['localhost for its address', 'http://localhost:PORT/', 'may not be called'],
    ['a user in front of the host', 'http://api.example.com@127.0.0.1:PORT/', 'holds a user or a password'],
    [
      'a listed host as the user of another',
      'https://api.example.com@evil.net/',
      'holds a user or a password',
    ],
    ['an empty user', 'https://@api.example.com/', 'holds a user or a password'],
    ['a decimal address', 'http://2130706433:PORT/', 'misleading form'],
    ['a hexadecimal address', 'http://0x7f000001:PORT/', 'misleading form'],
    ['an octal address', 'http://0177.0.0.1:PORT/', 'misleading form'],
    ['an abbreviated address', 'http://127.1:PORT/', 'misleading form'],
    ['an IPv6 form of an address', 'http://[::ffff:127.0.0.1]:PORT/', 'misleading form'],
    ['the plain IPv6 form of it', 'http://[::ffff:7f00:1]:PORT/', 'may not be called'],
    ['the IPv6 loopback', 'http://[::1]:PORT/', 'may not be called'],
    ['a final dot', 'https://api.example.com./', 'ends its host with a dot'],
    ['letters that look like others', 'https://\u0430pi.example.com/', 'misleading form'],
    ['full-width letters', 'https://\uff41pi.example.com/', 'misleading form'],
    ['an encoded host', 'https://%61pi.example.com/', 'misleading form'],
    ['a file', 'file:///etc/passwd', 'only http: and https:'],
    ['a data URL', 'data:text/plain,hi', 'only http: and https:'],
    ['another protocol', 'gopher://api.example.com/', 'only http: and https:'],
    ['a script', 'javascript:alert(1)', 'only http: and https:'],
    ['no authority', 'http:127.0.0.1:PORT/', 'names no host'],
    ['an empty authority', 'http:///127.0.0.1:PORT/', 'misleading form'],
    ['a backslash', 'http:\\\\127.0.0.1:PORT/', 'backslashes'],
    ['a backslash in the authority', 'https://evil.net\\@api.example.com/', 'backslashes'],
    ['a line end', 'http://127.0.0.1:PORT/\r\nx: y', 'control characters'],
    ['a tab in the host', 'http://127.0.0\t.1:PORT/', 'control characters'],
    ['no URL at all', 'nonsense', 'cannot be read'],
    ['a relative one', '/data', 'cannot be read'],
  ] as const;

  it.each(ATTACKS)('is refused, and nothing is sent: %s', async (_what, url, problem) => {
    const { get, upstream } = await scene(status(200));
    const result = await get(url.replace('PORT', upstream.host.split(':')[1] as string));
    expect(result.isError).toBe(true);
    expect(textsOf(result)[0]).toContain(problem);
    expect(upstream.requests).toEqual([]);
  });

  it('is refused where the user has listed nothing, with what to do', async () => {
    const { get } = await scene(status(200), { allowHosts: [] });
    expect(textsOf(await get('https://api.example.com/'))).toEqual([
      'reliable_http_call: no host may be called: the user of this server has listed none; ask the user to start it ' +
        'with --allow-host, such as --allow-host api.example.com',
    ]);
  });
});

describe('a redirect', () => {
  it.each([
    ['to an unlisted host', 'http://evil.example.net/', 'may not be called'],
    ['to the same machine by another name', 'http://localhost:PORT/x', 'may not be called'],
    ['by a relative protocol', '//evil.example.net/', 'may not be called'],
    ['with a user', 'http://a@127.0.0.1:PORT/', 'user or a password'],
    ['in decimal', 'http://2130706433:PORT/', 'misleading form'],
    ['to a file', 'file:///etc/passwd', 'only http: and https:'],
  ])('is not followed %s', async (_what, location, problem) => {
    const { get, upstream } = await scene(status(200));
    upstream.handle = redirect(location.replace('PORT', upstream.host.split(':')[1] as string));
    const told = structured(await get(`${upstream.origin}/start`, { maxAttempts: 5 }));
    expect(told).toMatchObject({
      outcome: 'failed',
      attempts: 1,
      requests: 1,
      error: { type: 'TargetRefusedError' },
    });
    expect(told.error.message).toContain(problem);
    expect(told.breaker.failureCount).toBe(0);
    expect(upstream.requests).toHaveLength(1);
  });

  it('is followed on a listed host, as often as is sensible', async () => {
    const { get, upstream } = await scene(status(200));
    upstream.handle = (request, response, number) =>
      request.url === '/end'
        ? json('here')(request, response, number)
        : redirect('/end')(request, response, number);
    expect(structured(await get(`${upstream.origin}/start#part`))).toMatchObject({
      outcome: 'ok',
      attempts: 1,
      requests: 2,
      upstream: { url: `${upstream.origin}/end`, redirects: 1, body: '"here"' },
    });
    upstream.handle = redirect('/again');
    expect(structured(await get(`${upstream.origin}/start`))).toMatchObject({
      outcome: 'failed',
      requests: 6,
      error: { message: 'the upstream redirected more than 5 times' },
    });
  });

  it('to another origin takes no credentials along', async () => {
    const other = await startUpstream(status(200));
    const { get, upstream } = await scene(redirect(`${other.origin}/there`), { allowHosts: ['127.0.0.1:1'] });
    expect(structured(await get(upstream.origin))).toBeUndefined();
    const both = await scene(redirect(`${other.origin}/there`));
    const session = await connect({ allowHosts: [both.upstream.host, other.host] });
    await session.call('create_breaker', { name: 'api' });
    const headers = { authorization: 'Bearer abcdefgh', cookie: 'a=b', 'x-api-key': 'k', 'x-trace': 't' };
    await session.call('reliable_http_call', { breaker: 'api', url: both.upstream.origin, headers });
    expect(both.upstream.requests[0]?.headers).toMatchObject(headers);
    const [arrived] = other.requests;
    expect(arrived?.headers).toMatchObject({ 'x-trace': 't' });
    for (const name of ['authorization', 'cookie', 'x-api-key'])
      expect(arrived?.headers).not.toHaveProperty(name);
  });

  it.each([
    [303, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [307, 'POST', 'POST'],
    [308, 'PUT', 'PUT'],
  ])('with status %i turns %s into %s', async (code, method, then) => {
    const { get, upstream } = await scene(status(200));
    upstream.handle = (request, response, number) =>
      request.url === '/end'
        ? status(200)(request, response, number)
        : redirect('/end', code)(request, response, number);
    expect(structured(await get(`${upstream.origin}/`, { method, body: 'text' }))).toMatchObject({
      outcome: 'ok',
    });
    expect(upstream.requests.map((request) => request.method)).toEqual([method, then]);
    expect(upstream.requests[1]?.headers['content-length']).toBe(then === 'GET' ? undefined : '4');
  });
});

describe('a listed name', () => {
  const allowList = (address: string, isAllowed = false) => {
    const resolve: LookupFunction = (_name, _options, callback) =>
      callback(null, [{ address, family: address.includes(':') ? 6 : 4 }]);
    return new AllowList(['api.example.com'], isAllowed, resolve);
  };
  const look = (list: AllowList) =>
    new Promise<string>((resolve) => {
      const url = list.check('https://api.example.com/');
      list.lookupFor(url)('api.example.com', {}, (error, address) =>
        resolve(error?.message ?? JSON.stringify(address)),
      );
    });

  it.each(
    ['127.0.0.1', '10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0'].concat(
      ['::1', 'fd00::1', 'fe80::1', '::ffff:127.0.0.1', '64:ff9b::7f00:1'],
    ),
  )('that leads to %s is refused at the connection', async (address) => {
    expect(await look(allowList(address))).toBe(
      'the host "api.example.com" leads to a private address; the user of this server can allow that with --allow-private',
    );
  });

  it('is refused by Node itself before a connection is made', async () => {
    const upstream = await startUpstream(status(200));
    const [, port] = upstream.host.split(':');
    const list = new AllowList([`api.example.com:${port}`], false, (_name, _options, callback) =>
      callback(null, [{ address: '127.0.0.1', family: 4 }]),
    );
    const url = list.check(`http://api.example.com:${port}/`);
    const outgoing = { method: 'GET', headers: {}, body: undefined };
    const options = { signal: new AbortController().signal, lookup: list.lookupFor(url) };
    await expect(exchange(url, outgoing, options)).rejects.toMatchObject({ name: 'TargetRefusedError' });
    expect(upstream.requests).toEqual([]);
  });

  it('may lead to a public address, or where the user allows it to a private one', async () => {
    expect(await look(allowList('93.184.216.34'))).toBe('"93.184.216.34"');
    expect(await look(allowList('2606:2800:220:1::1'))).toBe('"2606:2800:220:1::1"');
    const list = allowList('10.1.2.3', true);
    const url = list.check('https://api.example.com/');
    expect(list.lookupFor(url)).toBeInstanceOf(Function);
  });
});

describe('a list of hosts', () => {
  it.each([
    ['*', 'is no host'],
    ['*.com', 'is a pattern for far too many hosts'],
    ['http://a.example.com/path', 'is no host'],
    ['user@a.example.com', 'is no host'],
    ['2130706433', 'is a host in another form than its plain one'],
    ['a.example.com.', 'is no host'],
    ['a.example.com:0', 'has no such port'],
    ['a.example.com:99999', 'has no such port'],
    ['ftp://a.example.com', 'is no host'],
    ['', 'is no host'],
  ])('may not hold %j', (host, problem) => {
    expect(mistakeOf(() => new ReliabilityMcp({ allowHosts: [host] }))).toMatchObject({
      option: 'allowHosts[0]',
      problem,
    });
  });
});

describe('a header', () => {
  it.each([
    [{ 'x-a': 'b\r\nhost: evil.net' }, 'line ends'],
    [{ 'x-a': 'b\nc' }, 'line ends'],
    [{ 'x-a\r\nb': 'c' }, 'no name of a header'],
    [{ 'x a': 'b' }, 'no name of a header'],
    [{ Host: 'evil.net' }, 'host is set by this server'],
    [{ 'Content-Length': '0' }, 'content-length is set by this server'],
    [{ 'Transfer-Encoding': 'chunked' }, 'transfer-encoding is set by this server'],
    [{ Connection: 'upgrade' }, 'connection is set by this server'],
    [{ 'X-A': '1', 'x-a': '2' }, 'x-a is given twice'],
    [{ 'x-a': 'a'.repeat(20_000) }, 'at most 16384 letters'],
  ])('that could smuggle something is refused: %j', async (headers, problem) => {
    const { get, upstream } = await scene(status(200));
    expect(textsOf(await get(upstream.origin, { headers }))[0]).toContain(problem);
    expect(upstream.requests).toEqual([]);
  });

  it('of an answer is shown only where it is harmless', async () => {
    const { get, upstream } = await scene(
      json(1, 200, { 'set-cookie': 'session=1', 'x-secret': 'x', etag: '"1"', 'retry-after': '5' }),
    );
    const { headers } = structured(await get(upstream.origin)).upstream;
    expect(headers).toMatchObject({ 'content-type': 'application/json', etag: '"1"', 'retry-after': '5' });
    expect(headers).not.toHaveProperty('set-cookie');
    expect(headers).not.toHaveProperty('x-secret');
  });
});

describe('a body', () => {
  it('of a gigabyte is read up to the limit, and its connection closed', async () => {
    const chunk = Buffer.alloc(65_536, 'a');
    let sent = 0;
    const closed: Promise<unknown>[] = [];
    const { get, upstream } = await scene(
      (_request, response) => {
        closed.push(once(response, 'close'));
        response.writeHead(200, { 'content-type': 'text/plain', 'content-length': String(2 ** 30) });
        const more = (): void => {
          while (sent < 2 ** 30 && !response.destroyed) {
            sent += chunk.length;
            if (!response.write(chunk)) return void response.once('drain', more);
          }
        };
        more();
      },
      { maxResponseBytes: 100_000 },
    );
    const result = await get(upstream.origin, { maxBodyBytes: 10 });
    expect(structured(result).upstream).toMatchObject({
      body: 'aaaaaaaaaa',
      bytes: 100_000,
      cut: true,
      description: 'the first 10 of more than 100000 bytes; the rest is cut',
    });
    expect(textsOf(result)[1]).toMatch(/\[cut: the first 10 of more than 100000 bytes; the rest is cut\]$/);
    await Promise.all(closed);
    expect(sent).toBeLessThan(20_000_000);
  });

  it('that comes drop by drop is given up with the attempt', async () => {
    const closed: Promise<unknown>[] = [];
    const { get, upstream } = await scene((_request, response) => {
      closed.push(once(response, 'close'));
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.write('a');
    });
    expect(structured(await get(upstream.origin, { timeoutSeconds: 3 }))).toMatchObject({
      outcome: 'failed',
      error: { type: 'OperationTimeoutError', message: 'the attempt did not end within its timeout of 3 s' },
    });
    await Promise.all(closed);
  });

  it.each([
    ['an image', 'image/png', Buffer.from([137, 80, 78, 71]), {}],
    ['text that is none', 'text/plain', Buffer.from([0, 1, 2, 3]), {}],
    ['a packed text', 'text/plain', Buffer.from([31, 139, 8, 0]), { 'content-encoding': 'gzip' }],
  ])('of %s is described, not dumped', async (_what, type, bytes, more) => {
    const { get, upstream } = await scene((_request, response) => {
      response.writeHead(200, { 'content-type': type, ...more }).end(bytes);
    });
    const result = await get(upstream.origin);
    const description = `binary data (${type}, 4 bytes), which is not shown`;
    expect(structured(result).upstream).toMatchObject({ body: null, bytes: 4, description });
    expect(textsOf(result)[1]).toBe(`the body: ${description}`);
  });
});
