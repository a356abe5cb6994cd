import { describe, expect, it } from '@jest/globals';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResourceUpdatedNotificationSchema, type CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { Test } from '@nestjs/testing';
import { Resilient } from '../../lib/index.js';
import type { ExecutionHistory } from '../../lib/mcp/index.js';
import { fakeResult } from '../../lib/testing/index.js';
import { ResilienceMcpModule, type ResilienceMcpOptions } from '../../nest-module/mcp/index.js';
import { deferred } from '../support/deferred.js';
import { build, PLATFORMS, serve, type Platform } from '../nest/support.js';
import { atEnd, json, startUpstream, structured, textsOf } from '../mcp/support.js';

@Injectable()
class Payments {
  isDown = true;

  @Resilient({ retries: 1, circuitBreaker: 'payments' })
  async charge(): Promise<string> {
    if (this.isDown) throw new Error('payments are down');
    return 'receipt';
  }
}

class HeaderGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return context.switchToHttp().getRequest<Request>().headers['x-key' as never] === 'right';
  }
}

/** A store with one report in it. */
class ExecutionStore implements ExecutionHistory {
  written = 0;

  onReport(): void {
    this.written += 1;
  }

  async reports() {
    return [fakeResult(1, { operationName: 'stored' })];
  }
}

const MODULE = {
  circuitBreakers: [{ name: 'payments', failureThreshold: 2 }],
  shields: [{ name: 'github', profile: 'api' as const }],
};

async function scene(platform: Platform, options: ResilienceMcpOptions) {
  const imports = [ResilienceMcpModule.forRoot(options)];
  const { app } = await serve({ imports, providers: [Payments] }, MODULE, undefined, platform);
  return { app, url: `${await app.getUrl()}${options.path ?? '/mcp'}`, payments: app.get(Payments) };
}

async function connect(url: string, headers: Record<string, string> = {}) {
  const client = new Client({ name: 'test', version: '1' });
  atEnd(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  const call = (name: string, args: Record<string, unknown> = {}) =>
    client.callTool({ name, arguments: args }) as Promise<CallToolResult>;
  return { client, call };
}

describe.each(PLATFORMS)('ResilienceMcpModule on %s', (platform) => {
  it('shows the breakers, shields and reports of the application, and lets agents only look', async () => {
    const { url, payments } = await scene(platform, { guard: HeaderGuard });
    const { client, call } = await connect(url, { 'x-key': 'right' });
    const { tools } = await client.listTools();
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
    expect(tools.map(({ name }) => name)).toContain('list_shields');

    const changed = deferred<string>();
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) =>
      changed.resolve(params.uri),
    );
    await client.subscribeResource({ uri: 'reliable://breaker/payments' });
    await payments.charge().catch(() => undefined);
    expect(await changed.promise).toBe('reliable://breaker/payments');

    expect(structured(await call('get_breaker_state', { name: 'payments' }))).toMatchObject({
      state: 'open',
      openedBy: 'consecutive_failures',
      totals: { opened: 1 },
    });
    expect(structured(await call('list_shields')).shields).toMatchObject([
      { name: 'github', engaged: false },
    ]);
    const { executions } = structured(await call('recent_executions', { operation: 'Payments.charge' }));
    expect(executions).toMatchObject([{ operation: 'Payments.charge', status: 'failed', attempts: 2 }]);
    const [explained] = textsOf(await call('explain_execution', { callId: executions[0].callId }));
    expect(explained).toContain('#2 failed after');
    await expect(call('reliable_http_call')).rejects.toThrow('this server only shows what is there');
    await expect(call('force_breaker')).rejects.toThrow('force_breaker is switched off');
  });

  it('is not for whoever the guard does not let in', async () => {
    const { url } = await scene(platform, { guard: HeaderGuard, path: '/agents/mcp' });
    await expect(connect(url)).rejects.toThrow('403');
    await expect(connect(url, { 'x-key': 'wrong' })).rejects.toThrow('403');
    const { client } = await connect(url, { 'x-key': 'right' });
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  });

  it('lets agents control breakers, and call hosts, where the application says so', async () => {
    const upstream = await startUpstream(json('hello'));
    const { url, payments } = await scene(platform, {
      unsafe: true,
      allowControl: true,
      calls: { allowHosts: [upstream.host] },
    });
    const { call } = await connect(url);
    await call('force_breaker', { name: 'payments', state: 'open', reason: 'test' });
    payments.isDown = false;
    await expect(payments.charge()).rejects.toMatchObject({ name: 'CircuitBreakerOpenError' });
    await call('reset_breaker', { name: 'payments' });
    expect(await payments.charge()).toBe('receipt');
    const told = await call('reliable_http_call', { breaker: 'payments', url: upstream.origin });
    expect(structured(told)).toMatchObject({ outcome: 'ok', upstream: { body: '"hello"' } });
  });

  it('takes nothing from a form of a page, whatever the guard thinks of its user', async () => {
    const { url } = await scene(platform, { guard: HeaderGuard });
    const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=a',
    ]) {
      const headers = {
        'x-key': 'right',
        'content-type': type,
        accept: 'application/json, text/event-stream',
      };
      expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(415);
    }
  });

  it('is not for pages in a browser, where everybody may connect', async () => {
    const { url } = await scene(platform, { unsafe: true });
    await expect(connect(url, { origin: 'http://127.0.0.1' })).rejects.toMatchObject({ code: 403 });
    await connect(url);
  });

  it('lets the application stop while a client listens', async () => {
    const { app, url } = await scene(platform, { unsafe: true });
    const { client } = await connect(url);
    await client.subscribeResource({ uri: 'reliable://breaker/payments' });
    await app.close();
    await expect(client.listTools()).rejects.toThrow();
  });
});

describe('ResilienceMcpModule.forRoot', () => {
  it.each([
    [{}, 'guard is missing, so that everybody could look into the application'],
    [{ guard: HeaderGuard, unsafe: true }, 'guard, unsafe are given together; give the guard alone'],
    [{ guard: [] }, 'guard is an empty list'],
    [{ guard: () => true }, 'give a class or an object with a canActivate(context) method'],
    [{ unsafe: 1 }, 'unsafe is the number 1; give true or false'],
    [{ unsafe: true, path: '/a/:b' }, 'give a fixed path'],
    [{ unsafe: true, allowControl: 'yes' }, 'allowControl is a string; give true or false'],
    [{ unsafe: true, calls: true }, 'calls is true; give an object of options'],
    [{ unsafe: true, gaurd: HeaderGuard }, 'gaurd is not an option here; did you mean guard?'],
  ])('refuses %j', (options, problem) => {
    expect(() => ResilienceMcpModule.forRoot(options as ResilienceMcpOptions)).toThrow(problem);
  });

  it('reads the store that the application fills', async () => {
    const store = new ExecutionStore();
    const STORE = Symbol('store');
    const elsewhere = {
      module: class {},
      providers: [{ provide: STORE, useValue: store }],
      exports: [STORE],
    };
    for (const history of [store, STORE]) {
      const imports = [ResilienceMcpModule.forRoot({ unsafe: true, history, imports: [elsewhere] })];
      const { app } = await serve({ imports, providers: [Payments] }, MODULE);
      await app
        .get(Payments)
        .charge()
        .catch(() => undefined);
      const { call } = await connect(`${await app.getUrl()}/mcp`);
      expect(structured(await call('recent_executions')).executions).toMatchObject([{ operation: 'stored' }]);
    }
    // It is the application's to fill: nothing is written twice.
    expect(store.written).toBe(0);
  });

  it('says what is missing where it is imported as it is, or without the ResilienceModule', async () => {
    const imports = [ResilienceMcpModule.forRoot({ unsafe: true })];
    await expect(Test.createTestingModule({ imports }).compile()).rejects.toThrow(
      'ResilienceMcpModule finds no ResilienceModule; import ResilienceModule.forRoot() in the root module, too',
    );
    await expect(build({ imports: [ResilienceMcpModule] })).rejects.toThrow(
      'ResilienceMcpModule is imported as it is; import ResilienceMcpModule.forRoot({ guard })',
    );
  });

  it('says which host is none when the application starts', async () => {
    const imports = [ResilienceMcpModule.forRoot({ unsafe: true, calls: { allowHosts: ['*'] } })];
    await expect(build({ imports })).rejects.toThrow('ResilienceMcpModule.forRoot: allowHosts[0] is no host');
  });
});
