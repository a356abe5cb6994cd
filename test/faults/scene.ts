import { afterEach, expect, jest } from '@jest/globals';
import { Inject, Injectable } from '@nestjs/common';
import {
  CircuitBreakerRegistry,
  currentAttempt,
  httpCircuitBreaker,
  InMemoryEventSink,
  isRetryableHttp,
  Resilient,
  type CircuitBreaker,
  type CircuitBreakerOptions,
  type ExecutionReport,
} from '../../lib/index.js';
import { ResilienceExecutor, type ResilienceModuleOptions } from '../../nest-module/index.js';
import { build, inTime } from '../nest/support.js';
import { everySeconds } from '../operation/support.js';
import { until } from '../redis/support.js';
import type { Client, MakeClient } from './clients.js';
import { FaultProxy } from './fault-proxy.js';
import { Upstream, type PATHS } from './upstream.js';

type Policy = NonNullable<ResilienceModuleOptions['policies']>[string];

/** A machine that does other things is late, but not for ever. */
export const SLACK_MS = 3_000;
jest.setTimeout(20_000);

const CLIENT = Symbol('the client of the upstream');
const ADDRESS = Symbol('where the upstream is');

/** The service of an application: it asks an upstream, hands its signal on, and reads the body itself. */
@Injectable()
export class Catalog {
  constructor(
    @Inject(CLIENT) private readonly client: Client,
    @Inject(ADDRESS) private readonly origin: string,
  ) {}

  @Resilient('upstream')
  async read(path: (typeof PATHS)[number] = '/sized'): Promise<string> {
    const { signal } = currentAttempt();
    return this.client.get(this.origin + path, signal);
  }

  async fromShelf(): Promise<string> {
    return 'from the shelf';
  }
}

/** Three tries, close after each other, and never a limit of time. */
export const PATIENT = {
  retries: 2,
  retryOn: isRetryableHttp,
  backoff: everySeconds(0.005),
  circuitBreaker: 'catalog',
} satisfies Policy;

export interface SceneOptions {
  readonly policy?: Policy;
  readonly breaker?: Omit<CircuitBreakerOptions, 'name'>;
  /** In place of the address of the proxy. */
  readonly host?: string;
}

export interface Scene {
  readonly upstream: Upstream;
  readonly proxy: FaultProxy;
  readonly catalog: Catalog;
  readonly breaker: CircuitBreaker;
  readonly sink: InMemoryEventSink;
  /** Of each call, in the order of their ends. */
  readonly reports: ExecutionReport[];
}

const scenes: (Scene & { close(): Promise<unknown>; readonly socketsBefore: number })[] = [];

/** Of this process, on either end. */
const sockets = (): number =>
  process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;

/** Whatever has happened: an application ends at once, the sockets of its client with it. */
afterEach(async () => {
  for (const { close, proxy, upstream, socketsBefore } of scenes.splice(0)) {
    await inTime(close());
    // Global fetch lets go of its connections when the other end does.
    await proxy.close();
    await until(() => upstream.open === 0 && sockets() <= socketsBefore);
    expect([proxy.open, upstream.open]).toEqual([0, 0]);
    await upstream.stop();
  }
});

/** An application whose catalog asks a healthy upstream through a proxy that has faults. */
export async function scene(make: MakeClient, options: SceneOptions = {}): Promise<Scene> {
  const socketsBefore = sockets();
  const { policy = PATIENT, breaker = {}, host = '127.0.0.1' } = options;
  const upstream = await Upstream.start();
  const proxy = await FaultProxy.to(upstream.port);
  const sink = new InMemoryEventSink();
  const reports: ExecutionReport[] = [];
  const client = make();
  const app = await build(
    {
      providers: [
        Catalog,
        { provide: CLIENT, useValue: { ...client, onApplicationShutdown: () => client.close() } },
        { provide: ADDRESS, useValue: `http://${host}:${proxy.port}` },
      ],
    },
    {
      policies: { upstream: policy },
      circuitBreakers: [httpCircuitBreaker('catalog', { failureThreshold: 100, ...breaker })],
      eventSinks: [sink],
    },
  );
  await app.init();
  app.get(ResilienceExecutor).observe((report) => reports.push(report));
  const made = {
    upstream,
    proxy,
    sink,
    reports,
    catalog: app.get(Catalog),
    breaker: app.get(CircuitBreakerRegistry).get('catalog'),
  };
  scenes.push({ ...made, socketsBefore, close: () => app.close() });
  return made;
}

/** Some errors are of another realm than the test. */
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** An error and what lies beneath it, each by its code, or its name where it has none. */
export function marksOf(error: unknown): string[] {
  const marks: string[] = [];
  for (let layer = error; isObject(layer) && marks.length < 8; layer = (layer as Error).cause) {
    const { code, name } = layer as Error & { code?: unknown };
    marks.push(typeof code === 'string' ? code : name);
  }
  return marks;
}

/** What a report says of its attempts: how each ended, and whether another was worth it. */
export function attemptsOf({ attempts }: ExecutionReport): string[] {
  return attempts.map(({ status, error, fallback }) => {
    const worth = error?.retryable === true ? ', retryable' : '';
    return `${fallback ? 'fallback ' : ''}${status}${worth}`;
  });
}

/** A report's figures hold together: nothing in it lasts longer than the call, by the clock of the test. */
export function checkTimes(report: ExecutionReport, measuredMs: number): void {
  const inside = report.attempts.reduce((sum, each) => sum + each.durationSeconds + each.waitedSeconds, 0);
  expect(inside).toBeLessThanOrEqual(report.durationSeconds + 0.001);
  expect(report.durationSeconds * 1_000).toBeLessThanOrEqual(measuredMs + 1);
}

export async function timed<T>(work: () => Promise<T>): Promise<[outcome: T, ms: number]> {
  const startMs = performance.now();
  const outcome = await work();
  return [outcome, performance.now() - startMs];
}
