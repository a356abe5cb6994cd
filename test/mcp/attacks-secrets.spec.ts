import { describe, expect, it } from '@jest/globals';
import { ReliabilityMcp } from '../../lib/mcp/index.js';
import { mistakeOf } from '../support/mistake-of.js';
import { connectUnlisted as connect, startUpstream, status, structured, type Handler } from './support.js';

const TOKEN = 'AbC/dEf&0123~xYz';
const environment = { API_AUTH: `Bearer ${TOKEN}`, BASIC: 'Basic dXNlcjpwYTU1dzByZC8yMA==' };

async function scene(handle: Handler, variable = 'API_AUTH') {
  const upstream = await startUpstream(handle);
  const session = await connect({
    allowHosts: [upstream.host],
    secretHeaders: { [upstream.host]: { authorization: variable } },
    environment,
  });
  await session.call('create_breaker', { name: 'api' });
  const get = (args: Record<string, unknown> = {}) =>
    session.call('reliable_http_call', { breaker: 'api', url: upstream.origin, maxAttempts: 1, ...args });
  return { upstream, ...session, get };
}

const say =
  (text: string, type = 'text/plain'): Handler =>
  (_request, response) =>
    void response.writeHead(200, { 'content-type': type }).end(text);

describe('a secret that the upstream repeats', () => {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  it.each([
    ['in lower case', TOKEN.toLowerCase()],
    ['as PHP writes JSON', TOKEN.replace('/', '\\/')],
    ['with escapes of Unicode', TOKEN.replace('&', '\\u0026')],
    ['as HTML', TOKEN.replace('&', '&amp;')],
    ['percent-encoded in lower case', encodeURIComponent(TOKEN).toLowerCase()],
    ['in hexadecimal', Buffer.from(TOKEN).toString('hex')],
    ['in Base64 one letter on', base64(`>${TOKEN}<`)],
    ['in Base64 two letters on', base64(`>>${TOKEN}<`)],
    ['in Base64 three letters on', base64(`>>>${TOKEN}<`)],
    ['in the Base64 of URLs', Buffer.from(`a:${TOKEN}`).toString('base64url')],
  ])('is not seen %s', async (_how, text) => {
    const { get } = await scene(say(`before ${text} after`));
    expect(structured(await get()).upstream.body).toMatch(/^before \S{0,5}\[secret API_AUTH\]\S{0,5} after$/);
  });

  it.each(['pa55w0rd/20', 'user:pa55w0rd/20', 'pa55w0rd\\/20'])(
    'is not seen when Basic credentials are unpacked: %s',
    async (text) => {
      const { get } = await scene(say(`hello ${text}`), 'BASIC');
      expect(structured(await get()).upstream.body).toBe('hello [secret BASIC]');
    },
  );

  it('does not take the name of its scheme away', async () => {
    const { get } = await scene(say('use a Bearer token'));
    expect(structured(await get()).upstream.body).toBe('use a Bearer token');
  });

  it('is not seen in the type of the content', async () => {
    const upstream = await startUpstream(say('x', 'text/abc-0123456789'));
    const session = await connect({
      allowHosts: [upstream.host],
      secretHeaders: { [upstream.host]: { 'x-key': 'KEY' } },
      environment: { KEY: 'ABC-0123456789' },
    });
    await session.call('create_breaker', { name: 'api' });
    const told = await session.call('reliable_http_call', { breaker: 'api', url: upstream.origin });
    expect(JSON.stringify(told)).not.toMatch(/abc-0123456789/i);
    expect(structured(told).upstream.contentType).toBe('text/[secret KEY]');
  });

  it('is not seen in the host of a redirect: not in the result, the report, the history or the prompt', async () => {
    const upstream = await startUpstream((_request, response) => {
      response.writeHead(302, { location: 'https://ABC-0123456789.evil.example.net/' }).end();
    });
    const session = await connect({
      allowHosts: [upstream.host],
      secretHeaders: { [upstream.host]: { 'x-key': 'KEY' } },
      environment: { KEY: 'ABC-0123456789' },
    });
    await session.call('create_breaker', { name: 'api' });
    const told = await session.call('reliable_http_call', { breaker: 'api', url: upstream.origin });
    const { callId } = structured(told);
    const prompt = session.client.getPrompt({ name: 'diagnose_breaker', arguments: { name: 'api' } });
    const all = [
      told,
      await session.call('get_execution', { callId }),
      await session.call('explain_execution', { callId }),
      await session.call('recent_executions'),
      await session.call('get_breaker_state', { name: 'api' }),
      await prompt,
    ];
    for (const one of all) expect(JSON.stringify(one)).not.toMatch(/abc-0123456789/i);
    expect(structured(told).error.message).toContain('it leads to an address with a secret in it');
  });
});

describe('a secret of one host', () => {
  it('does not go along where another origin redirects to it', async () => {
    const bank = await startUpstream(status(200));
    const hostile = await startUpstream((_request, response) => {
      response.writeHead(307, { location: `${bank.origin}/transfer?to=evil` }).end();
    });
    const session = await connect({
      allowHosts: [hostile.host, bank.host],
      secretHeaders: { [bank.host]: { authorization: 'API_AUTH' } },
      secretParameters: { [bank.host]: { key: 'API_AUTH' } },
      environment,
    });
    await session.call('create_breaker', { name: 'api' });
    const args = { breaker: 'api', url: hostile.origin, method: 'POST', body: 'x' };
    await session.call('reliable_http_call', args);
    expect(bank.requests).toMatchObject([{ method: 'POST', path: '/transfer?to=evil' }]);
    expect(bank.requests[0]?.headers).not.toHaveProperty('authorization');
    await session.call('reliable_http_call', { ...args, url: bank.origin });
    expect(bank.requests[1]?.headers).toMatchObject({ authorization: environment.API_AUTH });
  });

  it('goes along where its own origin redirects to itself', async () => {
    const { get, upstream } = await scene((request, response) => {
      if (request.url === '/end') response.writeHead(200).end();
      else response.writeHead(302, { location: '/end' }).end();
    });
    expect(structured(await get())).toMatchObject({ outcome: 'ok', requests: 2 });
    expect(upstream.requests[1]?.headers).toMatchObject({ authorization: environment.API_AUTH });
  });
});

describe('a secret that no request can carry', () => {
  it.each([
    ['content-length', 'long enough', 'names content-length, which this server sets itself'],
    ['Host', 'long enough', 'names host, which this server sets itself'],
    ['x y', 'long enough', 'names no header'],
    [
      'authorization',
      'Bearer …abcdef',
      'names the environment variable KEY, which holds letters that no header may hold',
    ],
  ])('as %s is refused when the server is made', (name, value, problem) => {
    const options = { secretHeaders: { 'api.example.com': { [name]: 'KEY' } }, environment: { KEY: value } };
    expect(mistakeOf(() => new ReliabilityMcp(options))).toMatchObject({ option: 'secretHeaders', problem });
  });
});
