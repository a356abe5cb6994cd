import { jest } from '@jest/globals';
import { Injectable, Logger, Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { Test, type TestingModule, type TestingModuleBuilder } from '@nestjs/testing';
import { CircuitBreaker, Resilient } from '../../lib/index.js';
import {
  InjectCircuitBreaker,
  ResilienceModule,
  type CircuitBreakerRegistration,
  type ResilienceModuleOptions,
} from '../../nest-module/index.js';
import { closing } from './support.js';

/** An initialised application whose resilience module a test has made itself. */
export async function startWith(
  root: DynamicModule,
  metadata: ModuleMetadata = {},
  adapt: (builder: TestingModuleBuilder) => TestingModuleBuilder = (builder) => builder,
): Promise<TestingModule> {
  const imports = [root, ...(metadata.imports ?? [])];
  const app = await adapt(Test.createTestingModule({ ...metadata, imports })).compile();
  // One that could not start has nothing to close, and Nest 11 says so by failing again.
  await app.init();
  return closing(app);
}

/** What keeps an application from starting. */
export async function messageOf(starting: Promise<unknown>): Promise<string> {
  const error: unknown = await starting.then(
    () => new Error('it started'),
    (reason: unknown) => reason,
  );
  return (error as Error).message;
}

/** A module with the breaker `db`, and a provider in it that injects the breaker. */
export function featureWith(...circuitBreakers: CircuitBreakerRegistration[]) {
  @Injectable()
  class Holder {
    constructor(@InjectCircuitBreaker('db') readonly breaker: CircuitBreaker) {}
  }
  @Module({ imports: [ResilienceModule.forFeature({ circuitBreakers })], providers: [Holder] })
  class FeatureModule {}
  return { FeatureModule, Holder };
}

/** Uses the breaker by its name. */
@Injectable()
export class Client {
  @Resilient({ circuitBreaker: 'db' })
  async call(): Promise<never> {
    throw new Error('down');
  }
}

/** What an application warns of when it starts; of each warning the text and the code. */
export async function warningsOf(
  metadata: ModuleMetadata,
  options: ResilienceModuleOptions = {},
): Promise<readonly (readonly [text: string, code: string])[]> {
  const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  try {
    await startWith(ResilienceModule.forRoot(options), metadata);
    const lines = warn.mock.calls.map(([line]) => String(line));
    return lines.map((line) => {
      const [, text, code, page] = /^(.*) \[([a-z-]+): docs\/warnings\/([a-z-]+)\.md\]$/.exec(line) ?? [];
      if (text === undefined || code === undefined || code !== page) throw new Error(`no warning: ${line}`);
      return [text, code];
    });
  } finally {
    warn.mockRestore();
  }
}

/** The codes alone. */
export async function codesOf(...given: Parameters<typeof warningsOf>): Promise<readonly string[]> {
  return (await warningsOf(...given)).map(([, code]) => code);
}
