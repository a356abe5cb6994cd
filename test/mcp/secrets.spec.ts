import { describe, expect, it } from '@jest/globals';
import { ReliabilityMcp } from '../../lib/mcp/index.js';
import { mistakeOf } from '../support/mistake-of.js';
import { connectUnlisted as connect, startUpstream, structured, type Handler } from './support.js';

const environment = { API_AUTH: 'Bearer s3cr3t-t0ken', API_KEY: 'k&y/ with space' };

/** An upstream that says all that it was told, in several forms. */
const echo: Handler = (request, response) => {
  const told = {
    headers: request.headers,
    url: request.url,
    base64: Buffer.from('Bearer s3cr3t-t0ken').toString('base64'),
  };
  response
    .writeHead(200, { 'content-type': 'application/json', link: `<${request.url}>` })
    .end(JSON.stringify(told));
};

describe('a secret', () => {
  it('is sent, and never comes back to the agent', async () => {
    const upstream = await startUpstream(echo);
    const session = await connect({
      allowHosts: [upstream.host],
      secretHeaders: { [upstream.host]: { Authorization: 'API_AUTH' } },
      secretParameters: { [upstream.host]: { key: 'API_KEY' } },
      environment,
    });
    await session.call('create_breaker', { name: 'api' });
    const args = { breaker: 'api', url: `${upstream.origin}/a?b=1`, headers: { authorization: 'mine' } };
    const result = await session.call('reliable_http_call', args);
    expect(upstream.requests[0]).toMatchObject({
      path: '/a?b=1&key=k%26y%2F+with+space',
      headers: { authorization: 'Bearer s3cr3t-t0ken' },
    });
    const all = JSON.stringify(result);
    expect(all).not.toMatch(/s3cr3t|k%26y|k&y|QmVhcmVy/);
    expect(structured(result).upstream).toMatchObject({ url: `${upstream.origin}/a?b=1` });
    expect(JSON.parse(structured(result).upstream.body)).toMatchObject({
      headers: { authorization: '[secret API_AUTH]' },
      url: '/a?b=1&key=[secret API_KEY]',
      base64: '[secret API_AUTH]',
    });
    expect(structured(result).upstream.headers.link).toBe('</a?b=1&key=[secret API_KEY]>');
    const kept = await session.call('get_execution', { callId: structured(result).callId });
    expect(JSON.stringify(kept)).not.toContain('s3cr3t');
  });

  it('is not seen in part where the body is cut in it', async () => {
    const upstream = await startUpstream((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.end(`${'s3cr3t-t0ken '.repeat(40)}${'x'.repeat(400)}s3cr3t-t0ken${'y'.repeat(400)}`);
    });
    for (let maxResponseBytes = 918; maxResponseBytes < 936; maxResponseBytes += 1) {
      const session = await connect({
        allowHosts: [upstream.host],
        secretHeaders: { [upstream.host]: { authorization: 'API_AUTH' } },
        environment,
        maxResponseBytes,
      });
      await session.call('create_breaker', { name: 'api' });
      const told = await session.call('reliable_http_call', { breaker: 'api', url: upstream.origin });
      expect(JSON.stringify(told)).not.toMatch(/s3c/);
    }
  });

  it('goes only to its own host', async () => {
    const upstream = await startUpstream(echo);
    const session = await connect({
      allowHosts: [upstream.host],
      secretHeaders: { 'api.example.com': { authorization: 'API_AUTH' } },
      environment,
    });
    await session.call('create_breaker', { name: 'api' });
    await session.call('reliable_http_call', { breaker: 'api', url: upstream.origin });
    expect(upstream.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('goes over the network by https only', async () => {
    const session = await connect({
      allowHosts: ['api.example.com'],
      secretHeaders: { 'api.example.com': { authorization: 'API_AUTH' } },
      environment,
    });
    await session.call('create_breaker', { name: 'api' });
    const told = structured(
      await session.call('reliable_http_call', { breaker: 'api', url: 'http://api.example.com/' }),
    );
    expect(told).toMatchObject({
      outcome: 'failed',
      requests: 0,
      error: { message: 'a secret is sent to api.example.com by https only; write the URL with https:' },
    });
  });

  it.each([
    ['NOWHERE', 'names the environment variable NOWHERE, which is not set'],
    ['SHORT', 'names the environment variable SHORT, which is shorter than 6 letters'],
    ['LINES', 'names the environment variable LINES, which holds line ends or control characters'],
  ])('in %s is refused when the server is made, without its value', (variable, problem) => {
    const options = {
      secretHeaders: { 'api.example.com': { authorization: variable } },
      environment: { SHORT: 'abc', LINES: 'abcdef\r\nx: y' },
    };
    const mistake = mistakeOf(() => new ReliabilityMcp(options));
    expect(mistake).toMatchObject({ option: 'secretHeaders', problem });
    expect(mistake.message).not.toContain('abc');
  });
});
