import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import {
  ProgressNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { CircuitBreakerRegistry } from '../../lib/index.js';
import { deferred } from '../support/deferred.js';
import { connect, inTurn, join, json, startUpstream, status, structured, textsOf } from './support.js';

async function scene(handle: Parameters<typeof startUpstream>[0]) {
  const upstream = await startUpstream(handle);
  const session = await connect({ allowHosts: [upstream.host], allowControl: true });
  await session.call('create_breaker', { name: 'api' });
  return { upstream, ...session, args: { breaker: 'api', url: upstream.origin } };
}

describe('a breaker as a resource', () => {
  it('is listed, described by a template, and read live', async () => {
    const { client, call, args } = await scene(json(1));
    expect((await client.listResources()).resources).toEqual([
      {
        uri: 'reliable://breaker/api',
        name: 'api',
        title: 'Circuit breaker api',
        description: 'State and numbers, live',
        mimeType: 'application/json',
      },
    ]);
    expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([
      { uriTemplate: 'reliable://breaker/{name}', name: 'breaker' },
    ]);
    await call('reliable_http_call', args);
    const { contents } = await client.readResource({ uri: 'reliable://breaker/api' });
    expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({
      name: 'api',
      state: 'closed',
      totals: { succeeded: 1 },
    });
    await expect(client.readResource({ uri: 'reliable://breaker/other' })).rejects.toMatchObject({
      code: -32_002,
    });
    await expect(client.readResource({ uri: 'file:///etc/passwd' })).rejects.toMatchObject({ code: -32_002 });
  });

  it('tells its subscribers, and nobody else, of each change of state', async () => {
    const { client, mcp, call } = await scene(status(200));
    const other = await join(mcp);
    const told: string[] = [];
    client.setNotificationHandler(
      ResourceUpdatedNotificationSchema,
      ({ params }) => void told.push(params.uri),
    );
    other.setNotificationHandler(ResourceUpdatedNotificationSchema, () => void told.push('other'));
    await client.subscribeResource({ uri: 'reliable://breaker/api' });
    await call('force_breaker', { name: 'api', state: 'open', reason: 'test' });
    expect(told).toEqual(['reliable://breaker/api']);
    await call('reset_breaker', { name: 'api' });
    expect(told).toHaveLength(2);
    await client.unsubscribeResource({ uri: 'reliable://breaker/api' });
    await call('force_breaker', { name: 'api', state: 'open', reason: 'test' });
    expect(told).toHaveLength(2);
    await expect(client.subscribeResource({ uri: 'reliable://breaker/no' })).rejects.toMatchObject({
      code: -32_002,
    });
  });

  it('that is made is told to all clients', async () => {
    const { client, mcp, call } = await scene(status(200));
    const other = await join(mcp);
    let told = 0;
    for (const one of [client, other])
      one.setNotificationHandler(ResourceListChangedNotificationSchema, () => void (told += 1));
    await call('create_breaker', { name: 'new' });
    await call('create_breaker', { name: 'new' });
    expect(told).toBe(2);
  });

  it('may be one of the application', async () => {
    const circuitBreakers = new CircuitBreakerRegistry();
    const breaker = circuitBreakers.create({ name: 'payments', failureThreshold: 1 });
    const { client, call } = await connect({ circuitBreakers });
    expect((await client.listResources()).resources.map(({ name }) => name)).toEqual(['payments']);
    await breaker.run(() => Promise.reject(new Error('down'))).catch(() => undefined);
    expect(structured(await call('get_breaker_state', { name: 'payments' }))).toMatchObject({
      state: 'open',
      totals: { opened: 1 },
    });
    expect((await call('create_breaker', { name: 'payments' })).isError).toBe(true);
  });
});

describe('the prompt', () => {
  it('builds a diagnosis from the state and the latest calls', async () => {
    const { client, call, args } = await scene(status(503));
    await call('reliable_http_call', { ...args, maxAttempts: 2 });
    expect((await client.listPrompts()).prompts).toMatchObject([
      { name: 'diagnose_breaker', arguments: [{ name: 'name', required: true }] },
    ]);
    const { messages } = await client.getPrompt({ name: 'diagnose_breaker', arguments: { name: 'api' } });
    const text = (messages[0]?.content as { text: string }).text;
    expect(text).toContain('"state": "closed"');
    expect(text).toContain('#2 failed after');
    expect(text).toContain('HttpStatusError (the upstream answered 503)');
    await expect(client.getPrompt({ name: 'diagnose_breaker', arguments: { name: 'apo' } })).rejects.toThrow(
      "did you mean 'api'?",
    );
    await expect(client.getPrompt({ name: 'diagnose_breaker' })).rejects.toThrow(
      'give the name of a breaker',
    );
  });

  it('completes the names of breakers', async () => {
    const { client, call } = await scene(status(200));
    await call('create_breaker', { name: 'billing' });
    const ref = { type: 'ref/prompt' as const, name: 'diagnose_breaker' };
    const { completion } = await client.complete({ ref, argument: { name: 'name', value: 'b' } });
    expect(completion.values).toEqual(['billing']);
  });
});

describe('a call that retries', () => {
  it('tells the client how far it is, with a number that always grows', async () => {
    const { client, clock, args } = await scene(inTurn(status(503), status(503), json(1)));
    const told: [number, number | undefined, string | undefined][] = [];
    const call = client.callTool(
      { name: 'reliable_http_call', arguments: { ...args, jitter: 0 } },
      undefined,
      {
        onprogress: ({ progress, total, message }) => void told.push([progress, total, message]),
      },
    );
    await clock.settle(call);
    expect(told).toEqual([
      [0, 5, 'attempt 1 of 5'],
      [0.5, 5, 'attempt 1 failed; the next one in 0.2 s (back-off)'],
      [1, 5, 'attempt 2 of 5'],
      [1.5, 5, 'attempt 2 failed; the next one in 0.4 s (back-off)'],
      [2, 5, 'attempt 3 of 5'],
    ]);
  });

  it('tells nothing to a client that did not ask', async () => {
    const { client, call, args } = await scene(inTurn(status(503), json(1)));
    let told = 0;
    client.setNotificationHandler(ProgressNotificationSchema, () => void (told += 1));
    await call('reliable_http_call', args);
    expect(told).toBe(0);
  });
});

describe('a client that gives up', () => {
  it('ends the request at the upstream, and nothing is tried again', async () => {
    const arrived = deferred();
    const closed = deferred();
    const { client, call, upstream, args } = await scene((request) => {
      void once(request.socket, 'close').then(() => closed.resolve());
      arrived.resolve();
    });
    const controller = new AbortController();
    const outcome = client
      .callTool({ name: 'reliable_http_call', arguments: args }, undefined, { signal: controller.signal })
      .catch((error: unknown) => error);
    await arrived.promise;
    controller.abort('enough');
    expect(await outcome).toMatchObject({ message: expect.stringContaining('enough') });
    await closed.promise;
    const { executions } = structured(await call('recent_executions'));
    expect(executions).toMatchObject([{ status: 'cancelled', attempts: 1 }]);
    expect(structured(await call('get_breaker_state', { name: 'api' }))).toMatchObject({
      failureCount: 0,
      totals: { cancelled: 1 },
    });
    expect(upstream.requests).toHaveLength(1);
  });

  it('ends a wait, too', async () => {
    const { client, clock, call, upstream, args } = await scene(status(503));
    const controller = new AbortController();
    const waits = deferred();
    const outcome = client
      .callTool({ name: 'reliable_http_call', arguments: args }, undefined, {
        signal: controller.signal,
        onprogress: ({ progress }) => void (progress === 0.5 && waits.resolve()),
      })
      .catch(() => 'given up');
    await waits.promise;
    controller.abort();
    expect(await outcome).toBe('given up');
    await clock.advance(0);
    expect(structured(await call('recent_executions')).executions).toMatchObject([{ status: 'cancelled' }]);
    expect(upstream.requests).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is one that goes away, too', async () => {
    const arrived = deferred();
    const closed = deferred();
    const { client, mcp, args } = await scene((request) => {
      void once(request.socket, 'close').then(() => closed.resolve());
      arrived.resolve();
    });
    const other = await join(mcp);
    expect(mcp.clients).toBe(2);
    const outcome = client.callTool({ name: 'reliable_http_call', arguments: args }).catch(() => 'closed');
    await arrived.promise;
    await client.close();
    expect(await outcome).toBe('closed');
    await closed.promise;
    expect(mcp.clients).toBe(1);
    expect((await other.listTools()).tools.length).toBeGreaterThan(0);
  });
});

describe('fifty calls at once', () => {
  it('are all answered, and counted as the upstream counts them', async () => {
    let running = 0;
    let most = 0;
    const upstream = await startUpstream((request, response, number) => {
      most = Math.max(most, (running += 1));
      response.once('close', () => (running -= 1));
      (number % 5 === 0 ? status(503) : json({ number }))(request, response, number);
    });
    const { call } = await connect({ allowHosts: [upstream.host], maxConcurrent: 8 });
    // No share of failures opens it.
    await call('create_breaker', { name: 'api', failureRate: 1, window: 1_000, minimumCalls: 1_000 });
    const results = await Promise.all(
      Array.from({ length: 50 }, () => call('reliable_http_call', { breaker: 'api', url: upstream.origin })),
    );
    const told = results.map(structured);
    expect(told.every(({ outcome }) => outcome === 'ok')).toBe(true);
    const attempts = told.reduce((sum, one) => sum + one.attempts, 0);
    expect(attempts).toBe(upstream.requests.length);
    expect(attempts).toBeGreaterThan(50);
    expect(most).toBeLessThanOrEqual(8);
    expect(new Set(told.map(({ callId }) => callId)).size).toBe(50);
  });

  it('share a breaker that opens: no storm reaches the upstream', async () => {
    const { call, upstream, args } = await scene(status(500));
    const results = await Promise.all(
      Array.from({ length: 50 }, () => call('reliable_http_call', { ...args, fallback: 'cached' })),
    );
    const told = results.map(structured);
    const attempts = told.reduce((sum, one) => sum + one.attempts, 0);
    expect(attempts).toBe(upstream.requests.length);
    // Each once before anybody knows; of the 200 retries of fifty callers hardly any is sent.
    expect(attempts).toBeLessThan(100);
    expect(told.filter(({ outcome }) => outcome === 'fallback').length).toBe(50);
  });
});

describe('the history', () => {
  it('remembers the latest calls, and explains each of them', async () => {
    const { call, upstream, args } = await scene(inTurn(status(503), json(1), status(404)));
    const first = structured(await call('reliable_http_call', args));
    const second = structured(await call('reliable_http_call', args));
    const all = structured(await call('recent_executions')).executions;
    expect(all).toMatchObject([
      {
        callId: second.callId,
        status: 'failed',
        attempts: 1,
        error: 'HttpStatusError: the upstream answered 404',
      },
      { callId: first.callId, operation: `api GET ${upstream.host}`, status: 'succeeded', attempts: 2 },
    ]);
    expect(structured(await call('recent_executions', { status: 'failed' })).executions).toHaveLength(1);
    expect(structured(await call('recent_executions', { breaker: 'other' })).executions).toEqual([]);
    expect(structured(await call('get_execution', { callId: first.callId })).report).toEqual(first.report);
    const explained = await call('explain_execution', { callId: first.callId });
    expect(structured(explained)).toEqual({
      explanation: first.explanation,
      breakerNow: 'api: closed, 1 of the last 2 calls failed',
    });
    expect(textsOf(await call('get_execution', { callId: 'nothing' }))).toEqual([
      'get_execution: callId: no such call is remembered; recent_executions lists those that are',
    ]);
  });

  it('says so where it cannot be read, and calls go on', async () => {
    const upstream = await startUpstream(json(1));
    const history = {
      onReport: () => undefined,
      reports: () => Promise.reject(new Error('database disk image is malformed')),
    };
    const { client, call } = await connect({ allowHosts: [upstream.host], history });
    await call('create_breaker', { name: 'api' });
    const told = structured(await call('reliable_http_call', { breaker: 'api', url: upstream.origin }));
    expect(told).toMatchObject({ outcome: 'ok', attempts: 1 });
    const why =
      'the history cannot be read: database disk image is malformed; calls do not need it and go on';
    const recent = await call('recent_executions');
    expect(recent).toMatchObject({ isError: true });
    expect(textsOf(recent)).toEqual([`recent_executions: ${why}`]);
    expect(textsOf(await call('get_execution', { callId: 'any' }))).toEqual([`get_execution: ${why}`]);
    const { messages } = await client.getPrompt({ name: 'diagnose_breaker', arguments: { name: 'api' } });
    expect(JSON.stringify(messages)).toContain(why);
  });

  it('forgets the oldest when there are too many', async () => {
    const upstream = await startUpstream(json(1));
    const { call } = await connect({ allowHosts: [upstream.host], maxExecutions: 2 });
    await call('create_breaker', { name: 'api' });
    const ids: string[] = [];
    for (let made = 0; made < 3; made += 1)
      ids.push(structured(await call('reliable_http_call', { breaker: 'api', url: upstream.origin })).callId);
    const { executions } = structured(await call('recent_executions'));
    expect(executions.map(({ callId }: { callId: string }) => callId)).toEqual([ids[2], ids[1]]);
  });
});
