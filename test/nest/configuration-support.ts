import { Injectable, Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { Test, type TestingModule, type TestingModuleBuilder } from '@nestjs/testing';
import { CircuitBreaker, Resilient } from '../../lib/index.js';
import {
  InjectCircuitBreaker,
  ResilienceModule,
  type CircuitBreakerRegistration,
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
  return closing(app).init();
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
