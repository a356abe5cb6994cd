import { setTimeout as delay } from 'node:timers/promises';
import { describe } from '@jest/globals';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import {
  EventEmitter,
  IdempotencyPolicy,
  InMemoryEventSink,
  resilient,
  type Claim,
  type ClaimRequest,
  type IdempotencyPolicyOptions,
  type IdempotencyStore,
  type OperationResult,
  type ResilientFunctionOptions,
} from '../../lib/index.js';
import type { RedisClient } from '../../lib/adapters/redis.js';
import type { Fn } from '../operation/support.js';
import { hasRedis, WITHOUT_REDIS } from './redis-server.js';

/** Tests that need a Redis; without one they are skipped and their title says why. */
export function describeWithRedis(title: string, tests: () => void): void {
  if (hasRedis) describe(title, tests);
  else describe.skip(`${title} (${WITHOUT_REDIS})`, tests);
}

export interface Connected {
  readonly client: RedisClient;
  close(): void;
}

/** Both packages that the store takes a client of. */
export const PACKAGES = {
  ioredis: (url: string): Promise<Connected> => {
    const client = new Redis(url);
    client.on('error', () => undefined);
    return Promise.resolve({ client, close: () => client.disconnect() });
  },
  redis: async (url: string): Promise<Connected> => {
    const client = createClient({ url });
    client.on('error', () => undefined);
    await client.connect();
    return { client, close: () => client.destroy() };
  },
} as const;

export type PackageName = keyof typeof PACKAGES;

/** An operation on the machine's clock, as one process of several would have it. Its first argument is its key. */
export function place(
  store: IdempotencyStore,
  fn: Fn,
  policy: Partial<IdempotencyPolicyOptions> = {},
  options: ResilientFunctionOptions<Fn, any> = {},
) {
  const sink = new InMemoryEventSink();
  const idempotency = new IdempotencyPolicy({ key: (id: string) => id, store, ...policy });
  const signal = (_id: string, given?: unknown): AbortSignal | undefined =>
    given instanceof AbortSignal ? given : undefined;
  const events = new EventEmitter({ sinks: [sink] });
  const run = resilient<Fn, any>({ name: 'op', idempotency, signal, events, ...options }, fn);
  return {
    sink,
    run: run as (...args: unknown[]) => Promise<OperationResult<any>>,
    /** What was told of the store, and nothing else. */
    told: () =>
      sink
        .events()
        .filter(({ eventType }) => eventType.startsWith('idempotency.'))
        .map(({ eventType, payload }) => ({ eventType, ...payload })),
  };
}

/** A store that counts what it has answered, so that a test knows when somebody waits. */
export class Answering implements IdempotencyStore {
  answers = 0;

  constructor(private readonly store: IdempotencyStore) {}

  async claim(key: string, request: ClaimRequest): Promise<Claim> {
    const claim = await this.store.claim(key, request);
    this.answers += 1;
    return claim;
  }
}

/** Waits until something is so, and complains when that takes too long. */
export async function until(isSo: () => boolean | Promise<boolean>, mostMs = 5_000): Promise<void> {
  for (const endMs = performance.now() + mostMs; !(await isSo()); await delay(2))
    if (performance.now() > endMs) throw new Error(`still not so after ${mostMs} ms`);
}

export { delay };

let keys = 0;

/** A key that no other test uses. */
export function freshKey(): string {
  return `order ${(keys += 1)}`;
}
