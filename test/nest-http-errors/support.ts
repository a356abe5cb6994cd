import type { INestApplication, LoggerService, ModuleMetadata } from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { brandError } from '../../lib/errors/brand.js';
import { RelPrimError } from '../../lib/index.js';
import { build, closing } from '../nest/support.js';

export type Platform = 'Express' | 'Fastify';
export const PLATFORMS: readonly Platform[] = ['Express', 'Fastify'];

const adapters: Record<Platform, () => AbstractHttpAdapter> = {
  Express: () => new ExpressAdapter(),
  Fastify: () => new FastifyAdapter(),
};

/** What an HTTP client sees. */
export interface Reply {
  readonly status: number;
  /** The media type, without parameters. */
  readonly type: string | undefined;
  readonly retryAfter: string | null;
  readonly body: unknown;
  /** All of it as one text. */
  readonly everything: string;
}

export interface Site {
  readonly app: INestApplication;
  readonly url: string;
  /** What Nest has logged as errors. */
  readonly logged: readonly unknown[];
  ask(path: string, init?: RequestInit): Promise<Reply>;
}

/** An application on a loopback port, with its resilience module. */
export async function serveOn(
  platform: Platform,
  metadata: ModuleMetadata,
  options?: Parameters<typeof build>[1],
  adapt?: (app: INestApplication) => void,
  override?: Parameters<typeof build>[2],
): Promise<Site> {
  const logged: unknown[] = [];
  const nothing = () => undefined;
  const logger: LoggerService = { log: nothing, warn: nothing, error: (error) => void logged.push(error) };
  const testing = await build(metadata, options, override);
  const app = closing(
    testing.createNestApplication(adapters[platform](), { logger, forceCloseConnections: true }),
  );
  adapt?.(app);
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  return { app, url, logged, ask: async (path, init) => readReply(await fetch(`${url}${path}`, init)) };
}

async function readReply(response: Response): Promise<Reply> {
  const text = await response.text();
  const type = response.headers.get('content-type')?.split(';')[0];
  return {
    status: response.status,
    type,
    retryAfter: response.headers.get('retry-after'),
    body: type?.endsWith('json') === true && text !== '' ? JSON.parse(text) : text,
    everything: `${JSON.stringify([...response.headers].filter(([name]) => name !== 'date'))} ${text}`,
  };
}

/** The answer that a problem of ours should be. */
export function problem(status: number, code: string, title: string, retryAfter: string | null = null) {
  const kind = code.replace('RELPRIM_', '').toLowerCase().replaceAll('_', '-');
  return {
    status,
    type: 'application/problem+json',
    retryAfter,
    body: { type: `urn:relprim:problem:${kind}`, title, status, code },
  };
}

/** An error of ours that another copy or a later version of the package made. */
export function errorOfOurs(code: string, fields: object = {}): RelPrimError {
  class Elsewhere extends RelPrimError {}
  brandError(Elsewhere, `Elsewhere${code}`, code);
  return Object.assign(new Elsewhere('elsewhere'), fields);
}

export const OPEN = [
  503,
  'RELPRIM_CIRCUIT_BREAKER_OPEN',
  'A service that is needed here is not available',
] as const;
export const TIMEOUT = [
  504,
  'RELPRIM_TIMEOUT',
  'A service that is needed here did not answer in time',
] as const;
export const LIMITED = [429, 'RELPRIM_RATE_LIMITED', 'Too many requests'] as const;
