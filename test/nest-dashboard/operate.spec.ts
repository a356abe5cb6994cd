import { describe, expect, it } from '@jest/globals';
import { InMemoryEventSink } from '../../lib/index.js';
import { breakerEvents } from '../nest-state/support.js';
import { ANYBODY, HeaderGuard, PLATFORMS, scene, type Scene, type SceneOptions } from './support.js';

const dashboard = { unsafe: true, operatorGuard: ANYBODY };

/** A scene and what its page would send. */
async function operating(platform: string, options: SceneOptions = {}) {
  const made = await scene(platform, { dashboard, ...options });
  const post = async (body: unknown, headers: Record<string, string> = {}) => {
    const { status, text } = await made.ask('/resilience/operate', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status, body: JSON.parse(text) };
  };
  return { ...made, post, token: await tokenOf(made) };
}

async function tokenOf({ ask }: Scene): Promise<Record<string, string>> {
  const { text } = await ask('/resilience', { headers: { 'x-admin': 'yes' } });
  return { 'x-relprim-dashboard': /data-token="([\w-]+)"/.exec(text)?.[1] ?? '' };
}

const holdOpen = { name: 'payments', action: 'force_open', reason: ' the bank asked for it ' };

describe.each(PLATFORMS)('operating circuit breakers from a dashboard on %s', (platform) => {
  it('is impossible unless somebody may do it', async () => {
    const { post, token, state } = await operating(platform, { dashboard: { unsafe: true } });
    expect((await post(holdOpen, token)).status).toBe(404);
    expect(state.circuitBreaker('payments').state).toBe('closed');
  });

  it('needs the leave of the guards of the page and of its own', async () => {
    const [guard, operatorGuard] = [new HeaderGuard('x-admin'), new HeaderGuard('x-operator')];
    const { post, token } = await operating(platform, { dashboard: { guard, operatorGuard } });
    const status = async (headers: Record<string, string>) =>
      (await post(holdOpen, { ...token, ...headers })).status;
    expect(await status({})).toBe(403);
    expect(await status({ 'x-admin': 'yes' })).toBe(403);
    expect(await status({ 'x-operator': 'yes' })).toBe(403);
    expect(await status({ 'x-operator': 'yes', 'x-admin': 'yes' })).toBe(200);
  });

  it('holds, lets go and resets with a reason, and tells the sinks', async () => {
    const sink = new InMemoryEventSink();
    const { post, token, state } = await operating(platform, { options: { eventSinks: [sink] } });
    const { status, body } = await post(holdOpen, token);
    expect([status, body]).toEqual([200, { circuit_breaker: state.circuitBreaker('payments') }]);
    expect(body.circuit_breaker).toMatchObject({ forced: 'open', forced_reason: 'the bank asked for it' });
    const closed = await post({ ...holdOpen, action: 'force_closed', reason: 'a try' }, token);
    expect(closed.body.circuit_breaker).toMatchObject({ forced: 'closed', forced_reason: 'a try' });
    const reset = await post({ ...holdOpen, action: 'reset', reason: 'over' }, token);
    expect(reset.body.circuit_breaker).toMatchObject({ forced: null, state: 'closed' });
    expect(breakerEvents(sink).map(({ payload }) => (payload as { reason?: string }).reason)).toEqual([
      'the bank asked for it',
      'a try',
      'over',
    ]);
  });

  it.each([
    [{ ...holdOpen, reason: ' ' }, 'reason is a blank string; give a text that is not blank'],
    [{ ...holdOpen, reason: undefined }, 'reason is undefined; give a text that is not blank'],
    [{ ...holdOpen, reason: 'x'.repeat(501) }, 'give at most 500 letters'],
    [{ ...holdOpen, name: 'payment' }, 'payments'],
    [{ ...holdOpen, action: 'explode' }, "give 'force_open', 'force_closed' or 'reset'"],
    [[holdOpen], 'name is undefined'],
    [{}, 'name is undefined'],
  ])('does nothing for %j', async (body, problem) => {
    const { post, token, state } = await operating(platform);
    const answer = await post(body, token);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toContain(problem);
    expect(state.circuitBreakers().map(({ state: one }) => one)).toEqual(['closed', 'closed']);
  });

  it.each([
    ['without the token of the page', {}, 'the page belongs to another process: reload it'],
    [
      'with another token',
      { 'x-relprim-dashboard': 'x'.repeat(24) },
      'the page belongs to another process: reload it',
    ],
    ['from another site', { 'sec-fetch-site': 'cross-site' }, 'the request comes from another site'],
    ['from a sister site', { 'sec-fetch-site': 'same-site' }, 'the request comes from another site'],
    ['from an address in the browser', { 'sec-fetch-site': 'none' }, 'the request comes from another site'],
    ['from another origin', { origin: 'http://evil.example' }, 'the request comes from another site'],
    ['from a sandbox', { origin: 'null' }, 'the request comes from another site'],
  ])('is refused to a request %s', async (title, headers, problem) => {
    const { post, token, state } = await operating(platform);
    const given = title.endsWith('token of the page') ? headers : { ...token, ...headers };
    expect(await post(holdOpen, given as Record<string, string>)).toEqual({
      status: 403,
      body: { error: problem },
    });
    expect(state.circuitBreaker('payments').forced).toBeNull();
  });

  it('is open to a request of the page itself', async () => {
    const { post, token, url } = await operating(platform);
    expect((await post(holdOpen, { ...token, origin: url })).status).toBe(200);
    const fetched = { ...token, origin: 'https://behind-a-proxy.example', 'sec-fetch-site': 'same-origin' };
    expect((await post(holdOpen, fetched)).status).toBe(200);
  });

  it('works without a body parser, and reads no more than it needs', async () => {
    if (platform === 'Fastify') return expect(platform).toBe('Fastify'); // which has its own
    const { post, token } = await operating(platform, { nestOptions: { bodyParser: false } });
    expect((await post(holdOpen, token)).status).toBe(200);
    expect((await post('{"name":', token)).status).toBe(400);
    expect((await post({ ...holdOpen, more: 'x'.repeat(9_000) }, token)).status).toBe(400);
  });
});
