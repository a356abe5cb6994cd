import type { CanActivate, ExecutionContext, INestApplication, ModuleMetadata } from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { FakeClock } from '../../lib/testing/index.js';
import {
  ResilienceDashboardModule,
  type ResilienceDashboardOptions,
} from '../../nest-module/dashboard/index.js';
import { DashboardSite } from '../../nest-module/dashboard/dashboard-site.js';
import { ResilienceState, type ResilienceModuleOptions } from '../../nest-module/index.js';
import { circuitBreakers, onClock, PaymentsClient } from '../nest-state/support.js';
import { build, closing } from '../nest/support.js';
import { watchEvents, type Watching } from './watching.js';

export { PLATFORMS, type Platform } from '../nest/support.js';

/** Lets everybody do what it guards. */
export const ANYBODY: CanActivate = { canActivate: () => true };

/** Lets in whoever says so in a header, and notes what was asked for. */
export class HeaderGuard implements CanActivate {
  readonly asked: string[] = [];

  constructor(private readonly header: string) {}

  canActivate(context: ExecutionContext): boolean {
    const { method, url, headers } = context.switchToHttp().getRequest<Request>();
    this.asked.push(`${method} ${url}`);
    return headers[this.header] === 'yes';
  }
}

interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** An application with a dashboard, listening on a loopback port, on a fake clock. */
export interface Site {
  readonly app: INestApplication;
  readonly url: string;
  readonly clock: FakeClock;
  readonly state: ResilienceState;
  readonly site: DashboardSite;
  ask(path: string, init?: RequestInit): Promise<Answer>;
  json(path: string, init?: RequestInit): Promise<unknown>;
  watch(path?: string): Promise<Watching>;
}

/** One with a client whose upstream does as a test says. */
export interface Scene extends Site {
  readonly client: PaymentsClient;
}

export interface SceneOptions {
  readonly dashboard?: ResilienceDashboardOptions;
  readonly metadata?: ModuleMetadata;
  readonly options?: ResilienceModuleOptions;
  readonly adapt?: (app: INestApplication) => void;
  readonly nestOptions?: object;
  readonly port?: number;
}

export async function scene(platform: string, options: SceneOptions = {}): Promise<Scene> {
  const { metadata = {} } = options;
  const providers = [PaymentsClient, ...(metadata.providers ?? [])];
  const made = await serveDashboard(platform, {
    ...options,
    metadata: { ...metadata, providers },
    options: { circuitBreakers, ...options.options },
  });
  return { ...made, client: made.app.get(PaymentsClient) };
}

export async function serveDashboard(
  platform: string,
  { dashboard = { unsafe: true }, metadata = {}, options, adapt, nestOptions, port = 0 }: SceneOptions = {},
): Promise<Site> {
  const clock = new FakeClock();
  const imports = [ResilienceDashboardModule.forRoot(dashboard), ...(metadata.imports ?? [])];
  const testing = await build({ ...metadata, imports }, options, onClock(clock));
  const adapter: AbstractHttpAdapter = platform === 'Fastify' ? new FastifyAdapter() : new ExpressAdapter();
  const app = closing(testing.createNestApplication(adapter, { logger: false, ...nestOptions }));
  adapt?.(app);
  await app.listen(port, '127.0.0.1');
  const url = await app.getUrl();
  const ask = async (path: string, init?: RequestInit): Promise<Answer> => {
    // A kept connection would be nobody's fault when the application closes.
    const headers = { connection: 'close', ...(init?.headers as object | undefined) };
    const response = await fetch(url + path, { ...init, headers });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  return {
    app,
    url,
    clock,
    ask,
    state: app.get(ResilienceState),
    site: app.get(DashboardSite),
    json: async (path, init) => JSON.parse((await ask(path, init)).text) as unknown,
    watch: (path = '/resilience/events') => watchEvents(url + path),
  };
}

/** Lets I/O and what it wakes happen, until something is so. */
export async function until(isSo: () => boolean): Promise<void> {
  for (let turn = 0; turn < 20_000 && !isSo(); turn += 1)
    await new Promise((resolve) => void setImmediate(resolve));
  if (!isSo()) throw new Error('it has not come to that');
}
