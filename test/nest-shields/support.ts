import { Injectable, type ModuleMetadata } from '@nestjs/common';
import type { TestingModule, TestingModuleBuilder } from '@nestjs/testing';
import { currentAttempt, InMemoryEventSink, Shielded, type ExecutionReport } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import {
  RESILIENCE_CLOCK,
  RESILIENCE_RANDOM,
  ResilienceExecutor,
  type ResilienceModuleOptions,
} from '../../nest-module/index.js';
import { start } from '../nest/support.js';

/** What the dependency says when it is asked too much. */
export class Overloaded extends Error {
  override name = 'Overloaded';
}

/** A dependency that a test slows down: it answers after so long, or with a failure. */
@Injectable()
export class GithubClient {
  answer: () => unknown = () => 'issues';
  calls = 0;

  @Shielded('github')
  async issues(): Promise<unknown> {
    this.calls += 1;
    return this.answer();
  }
}

/** Another one that shares its shield. */
@Injectable()
export class ReleasesClient {
  answer: () => unknown = () => 'releases';

  @Shielded('github')
  async releases(): Promise<unknown> {
    return this.answer();
  }
}

export function overloaded(): never {
  throw new Overloaded('429 sk-secret');
}

/** An answer that never comes, and ends with its attempt. */
export function hangs(): Promise<never> {
  const { signal } = currentAttempt();
  return new Promise((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
  );
}

export const GITHUB = { name: 'github', timeoutErrors: ['Overloaded'] } as const;

export interface Scene {
  readonly app: TestingModule;
  readonly clock: FakeClock;
  readonly sink: InMemoryEventSink;
  readonly reports: ExecutionReport[];
}

/** An application on a fake clock, where every back-off is half as long as it may be. */
export async function scene(
  metadata: ModuleMetadata,
  options: ResilienceModuleOptions = {},
  adapt: (builder: TestingModuleBuilder) => TestingModuleBuilder = (builder) => builder,
): Promise<Scene> {
  const [clock, sink] = [new FakeClock(), new InMemoryEventSink()];
  const reports: ExecutionReport[] = [];
  const app = await start(metadata, { shields: [GITHUB], eventSinks: [sink], ...options }, (builder) =>
    adapt(onClock(builder, clock)),
  );
  app.get(ResilienceExecutor).observe((report) => reports.push(report));
  return { app, clock, sink, reports };
}

export function onClock(builder: TestingModuleBuilder, clock: FakeClock): TestingModuleBuilder {
  return builder
    .overrideProvider(RESILIENCE_CLOCK)
    .useValue(clock)
    .overrideProvider(RESILIENCE_RANDOM)
    .useValue(() => 0.5);
}
