import type { DynamicModule, ModuleMetadata } from '@nestjs/common';
import { Test, type TestingModule, type TestingModuleBuilder } from '@nestjs/testing';
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
