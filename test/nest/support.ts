import 'reflect-metadata';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach } from '@jest/globals';
import type { INestApplication, INestApplicationContext, ModuleMetadata } from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';
import { Test, type TestingModule, type TestingModuleBuilder } from '@nestjs/testing';
import type { ExecutionReport } from '../../lib/index.js';
import { standaloneHost } from '../../lib/operation/standalone-host.js';
import {
  ResilienceExecutor,
  ResilienceModule,
  type ResilienceModuleOptions,
} from '../../nest-module/index.js';

const running: { close(): Promise<void> }[] = [];
let seen: string[] = [];

afterEach(async () => {
  for (const app of running.splice(0)) await app.close();
  seen = [];
});

/** Closes an application when the test ends, however it ends. */
export function closing<A extends { close(): Promise<void> }>(app: A): A {
  running.push(app);
  return app;
}

/** A test module with the resilience module in it; `adapt` overrides providers. Nobody closes it. */
export async function build(
  metadata: ModuleMetadata,
  options?: ResilienceModuleOptions,
  adapt: (builder: TestingModuleBuilder) => TestingModuleBuilder = (builder) => builder,
): Promise<TestingModule> {
  const imports = [ResilienceModule.forRoot(options), ...(metadata.imports ?? [])];
  return await adapt(Test.createTestingModule({ ...metadata, imports })).compile();
}

/** An application before its `onModuleInit` hooks. */
export async function compile(...given: Parameters<typeof build>): Promise<TestingModule> {
  return closing(await build(...given));
}

/** An initialised application without a server. */
export async function start(...given: Parameters<typeof build>): Promise<TestingModule> {
  return initialised(await build(...given));
}

/** One that could not start has nothing to close, and Nest 11 says so by failing again. */
export async function initialised<A extends TestingModule>(app: A): Promise<A> {
  await app.init();
  return closing(app);
}

/** Where Nest would wait for ever, a test must not. */
export async function inTime<T>(work: Promise<T>): Promise<T> {
  const limit = new AbortController();
  const late = delay(2_000, undefined, { signal: limit.signal }).then(() =>
    Promise.reject(new Error('hangs')),
  );
  late.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    limit.abort();
  }
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** An application that listens on a loopback port, and a way to ask it. */
export interface Server {
  readonly app: INestApplication;
  ask(path: string, init?: RequestInit): Promise<Answer>;
}

/** The HTTP servers that Nest applications run on. */
export const PLATFORMS = ['Express', 'Fastify'] as const;
export type Platform = (typeof PLATFORMS)[number];

export async function serve(
  metadata: ModuleMetadata,
  options?: ResilienceModuleOptions,
  adapt?: (app: INestApplication) => void,
  platform: Platform = 'Express',
): Promise<Server> {
  const adapter = await adapterFor(platform);
  const app = closing((await build(metadata, options)).createNestApplication(adapter, { logger: false }));
  adapt?.(app);
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  return {
    app,
    async ask(path, init) {
      const response = await fetch(`${url}${path}`, init);
      return { status: response.status, text: await response.text() };
    },
  };
}

/** Loaded when asked for: most tests need none of them. */
async function adapterFor(platform: Platform): Promise<AbstractHttpAdapter> {
  if (platform === 'Fastify') return new (await import('@nestjs/platform-fastify')).FastifyAdapter();
  return new (await import('@nestjs/platform-express')).ExpressAdapter();
}

/** Notes the calls of an application under a label; calls on the stand-alone executor are noted as `DEFAULT`. */
export function watch<A extends INestApplicationContext>(app: A, label = 'APP'): A {
  app.get(ResilienceExecutor).observe((report) => note(label, report));
  return app;
}

/** Which executor ran which operation since the last time this was asked: `APP Client.call`. */
export function calls(): readonly string[] {
  const taken = seen;
  seen = [];
  return taken;
}

function note(label: string, { operationName }: ExecutionReport): void {
  seen.push(`${label} ${operationName}`);
}

(standaloneHost.observers as unknown[]).push((report: ExecutionReport) => note('DEFAULT', report));
