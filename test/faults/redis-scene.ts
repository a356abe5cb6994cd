import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import { Inject, Injectable } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';
import {
  CircuitBreakerRegistry,
  currentAttempt,
  httpCircuitBreaker,
  IdempotencyPolicy,
  isRetryableHttp,
  Resilient,
  type CircuitBreaker,
  type ExecutionReport,
} from '../../lib/index.js';
import {
  RedisIdempotencyStore,
  shareCircuitBreakers,
  type SharedCircuitBreakers,
} from '../../lib/adapters/redis.js';
import { ResilienceExecutor } from '../../nest-module/index.js';
import { build, inTime } from '../nest/support.js';
import { everySeconds } from '../operation/support.js';
import { RedisServer } from '../redis/redis-server.js';
import { freshKey, PACKAGES, until, type PackageName } from '../redis/support.js';
import { CLIENTS, type Client } from './clients.js';
import { FaultProxy } from './fault-proxy.js';
import { Upstream } from './upstream.js';

/** What a busy machine needs for an answer that comes, as well. */
export const COMMAND_MS = 300;
export const INTERVAL_MS = 100;

const HTTP = Symbol('the client of the upstream');
const ORIGIN = Symbol('where the upstream is');

@Injectable()
class Payments {
  constructor(
    @Inject(HTTP) private readonly http: Client,
    @Inject(ORIGIN) private readonly origin: string,
  ) {}

  @Resilient('keyed')
  async charge(_order: string): Promise<string> {
    return this.http.get(`${this.origin}/sized`, currentAttempt().signal);
  }

  @Resilient('plain')
  async list(): Promise<string> {
    return this.http.get(`${this.origin}/sized`, currentAttempt().signal);
  }
}

/** One process of a fleet that shares its breaker and its keys. */
export interface Replica {
  readonly app: TestingModule;
  readonly payments: Payments;
  readonly reports: ExecutionReport[];
  readonly shared: SharedCircuitBreakers;
  readonly breaker: CircuitBreaker;
}

/** What stands between the applications of a file and the rest of the world. */
export function surroundings() {
  let server: RedisServer;
  let toRedis: FaultProxy;
  let upstream: Upstream;
  let toUpstream: FaultProxy;
  const endings: (() => unknown)[] = [];

  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    upstream = await Upstream.start();
    toUpstream = await FaultProxy.to(upstream.port);
    toRedis = await FaultProxy.to(server.port);
  });
  afterEach(async () => {
    for (const end of endings.splice(0).reverse()) await inTime(Promise.resolve(end()));
    await toUpstream.close();
    await toRedis.close();
    expect([toUpstream.open, toRedis.open]).toEqual([0, 0]);
    await upstream.stop();
  });

  async function replica(
    name: string,
    kind: PackageName,
    onStoreError: 'fail' | 'run' = 'run',
  ): Promise<Replica> {
    const { client, close } = await PACKAGES[kind](`redis://127.0.0.1:${toRedis.port}`);
    endings.push(close);
    const http = CLIENTS['undici']!();
    const store = new RedisIdempotencyStore({
      client,
      lease: '1200ms',
      commandTimeout: `${COMMAND_MS}ms`,
      prefix: `${name}:`,
    });
    const app = await build(
      {
        providers: [
          Payments,
          { provide: HTTP, useValue: { ...http, onApplicationShutdown: () => http.close() } },
          { provide: ORIGIN, useValue: `http://127.0.0.1:${toUpstream.port}` },
        ],
      },
      {
        circuitBreakers: [httpCircuitBreaker(name, { failureThreshold: 3, recoveryTimeout: '10s' })],
        policies: {
          plain: { retryOn: isRetryableHttp, timeout: '2s', circuitBreaker: name },
          keyed: {
            retries: 1,
            retryOn: isRetryableHttp,
            backoff: everySeconds(0.005),
            timeout: '2s',
            circuitBreaker: name,
            idempotency: new IdempotencyPolicy({ key: (order: string) => order, store, onStoreError }),
          },
        },
      },
    );
    await app.init();
    const reports: ExecutionReport[] = [];
    app.get(ResilienceExecutor).observe((report) => reports.push(report));
    const registry = app.get(CircuitBreakerRegistry);
    const shared = shareCircuitBreakers({ client, breakers: registry, interval: `${INTERVAL_MS}ms` });
    endings.push(
      () => store.close(),
      () => shared.stop(),
      () => app.close(),
    );
    return { app, payments: app.get(Payments), reports, shared, breaker: registry.get(name) };
  }

  const fleet = async (kind: PackageName): Promise<[Replica, Replica]> => {
    const name = freshKey();
    const both: [Replica, Replica] = [await replica(name, kind), await replica(name, kind, 'fail')];
    await until(() => both.every(({ shared }) => shared.state === 'shared' && shared.replicas === 2));
    return both;
  };

  return {
    fleet,
    upstream: () => upstream,
    toUpstream: () => toUpstream,
    toRedis: () => toRedis,
  };
}
