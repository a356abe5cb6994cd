import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, Inject, type CanActivate, type Type } from '@nestjs/common';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, get, type ClientRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { resultOf, type ExecutionReport } from '../../lib/index.js';
import { ResilienceExceptionFilter, ResilienceExecutor } from '../../nest-module/index.js';
import { fencesOf, ROOT } from '../docs/fences.js';
import { deferred, type Deferred } from '../support/deferred.js';
import { PLATFORMS, serveOn, type Platform, type Site } from './support.js';

interface Recipe {
  readonly CallerSignal: () => ParameterDecorator;
  readonly OrdersClient: Type<{ find(id: string, caller?: AbortSignal): Promise<unknown> }>;
  readonly OrdersController: Type;
}

/** The recipe as readers of docs/errors.md have it. */
async function readRecipe(): Promise<Recipe> {
  const fence = fencesOf('docs/errors.md').find(({ module }) => module.includes('const CallerSignal'));
  const folder = join(ROOT, '.build/nest-http-errors');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'caller-went-away.ts');
  writeFileSync(path, fence?.module ?? '');
  return (await import(path)) as Recipe;
}

const { CallerSignal, OrdersClient, OrdersController } = await readRecipe();

let kept: AbortSignal | undefined;

@Controller('results')
class ResultsController {
  constructor(@Inject(OrdersClient) private readonly orders: InstanceType<typeof OrdersClient>) {}

  @Get()
  async find(@CallerSignal() signal: AbortSignal): Promise<unknown> {
    kept = signal;
    const { value } = await resultOf(() => this.orders.find('7'), { signal });
    return value;
  }
}

/** Answers when it is told to, and notes who went away. */
let upstream: {
  server: Server;
  asked: Deferred<void>;
  left: Deferred<void>;
  answer: Deferred<void>;
  requests: number;
};

beforeEach(async () => {
  const server = createServer((_request, response) => {
    upstream.requests += 1;
    upstream.asked.resolve();
    response.once('close', () => {
      if (!response.writableEnded) upstream.left.resolve();
    });
    void upstream.answer.promise.then(() => response.end('{"id":"7"}'));
  });
  upstream = { server, asked: deferred(), left: deferred(), answer: deferred(), requests: 0 };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  upstream.server.closeAllConnections();
  await new Promise((resolve) => upstream.server.close(resolve));
});

/** An application with the recipe in it, and the report of its next call. */
async function serve(
  platform: Platform,
  guard?: CanActivate,
): Promise<Site & { ended: Promise<ExecutionReport> }> {
  const url = `http://127.0.0.1:${(upstream.server.address() as AddressInfo).port}`;
  const providers = [OrdersClient, { provide: 'ORDERS_URL', useValue: url }];
  const site = await serveOn(
    platform,
    { controllers: [OrdersController, ResultsController], providers },
    {},
    (app) => {
      app.useGlobalFilters(new ResilienceExceptionFilter(app.getHttpAdapter()));
      if (guard !== undefined) app.useGlobalGuards(guard);
    },
  );
  const ended = deferred<ExecutionReport>();
  site.app.get(ResilienceExecutor).observe(ended.resolve);
  return { ...site, ended: ended.promise };
}

function request(url: string): ClientRequest {
  return get(url).on('error', () => undefined);
}

describe.each(PLATFORMS)('on %s, when the HTTP caller goes away', (platform) => {
  it.each(['/orders/7', '/results'])('the upstream call is aborted and not repeated (%s)', async (path) => {
    const { url, logged, ended } = await serve(platform);
    const visitor = request(`${url}${path}`);
    await upstream.asked.promise;
    visitor.destroy();
    await upstream.left.promise;
    const { status, attempts, operationName } = await ended;
    expect([operationName, status]).toEqual(['OrdersClient.find', 'cancelled']);
    expect(attempts.map((attempt) => attempt.status)).toEqual(['cancelled']);
    expect(upstream.requests).toBe(1);
    await new Promise(setImmediate); // Nest deals with the rejection
    expect(logged).toEqual([]);
  });

  it('before the handler was reached, nothing is called', async () => {
    const [asked, left] = [deferred(), deferred()];
    const guard: CanActivate = {
      async canActivate(context) {
        const { socket } = context.switchToHttp().getRequest<{ socket: NodeJS.EventEmitter }>();
        socket.once('close', left.resolve);
        asked.resolve();
        await left.promise;
        return true;
      },
    };
    const { url, ended } = await serve(platform, guard);
    const visitor = request(`${url}/orders/7`);
    await asked.promise;
    visitor.destroy();
    expect(await ended).toMatchObject({ status: 'cancelled', attemptCount: 0 });
    expect(upstream.requests).toBe(0);
  });
});

describe.each(PLATFORMS)('on %s, when the HTTP caller stays', (platform) => {
  it('it gets its answer', async () => {
    const { ask, ended } = await serve(platform);
    upstream.answer.resolve();
    expect(await ask('/orders/7')).toMatchObject({ status: 200, body: { id: '7' } });
    expect((await ended).status).toBe('succeeded');
  });

  it('its signal does not abort when the connection ends', async () => {
    const { app, ask } = await serve(platform);
    upstream.answer.resolve();
    expect(await ask('/results')).toMatchObject({ status: 200, body: { id: '7' } });
    await app.close();
    expect(kept?.aborted).toBe(false);
  });
});
