// One start of an application in a process of its own: `node bench/start-up/one.mjs plain|decorated <methods>`. The
// classes are the same, written without decorator syntax so that the bench needs no compiler.
import { performance } from 'node:perf_hooks';
import 'reflect-metadata';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

const METHODS_PER_CLASS = 10;
const CLASSES_PER_MODULE = 10;
const [, , kind, methods] = process.argv;
const relprim = kind === 'decorated' ? await withRelprim() : undefined;

class Http {}
class Config {}

const { result: AppModule, ...defined } = await timed(() => application(Number(methods) / METHODS_PER_CLASS));
const { result: app, ...started } = await timed(async () => {
  const made = await NestFactory.create(AppModule, { logger: false });
  return made.init();
});
const operations = relprim?.operationsOf(app) ?? Number(methods);
if (operations !== Number(methods)) throw new Error(`${operations} operations were found`);
console.log(JSON.stringify({ defined, started }));
process.exit(0);

async function withRelprim() {
  const { Resilient } = await import('relprim');
  const { ResilienceExecutor, ResilienceModule } = await import('relprim/nestjs');
  return {
    decorate: Resilient({ retries: 2, retryOn: [TypeError], timeout: '2s', circuitBreaker: 'upstream' }),
    module: ResilienceModule.forRoot({ circuitBreakers: [{ name: 'upstream' }] }),
    operationsOf: (made) => made.get(ResilienceExecutor).operationNames().length,
  };
}

function application(classes) {
  const shared = moduleOf({ providers: [Http, Config], exports: [Http, Config] });
  const features = Array.from({ length: Math.ceil(classes / CLASSES_PER_MODULE) }, (_, index) => {
    const first = index * CLASSES_PER_MODULE;
    const count = Math.min(CLASSES_PER_MODULE, classes - first);
    const providers = Array.from({ length: count }, (__, at) => client(first + at));
    return moduleOf({ imports: [shared], providers });
  });
  return moduleOf({ imports: [...(relprim === undefined ? [] : [relprim.module]), ...features] });
}

function moduleOf(metadata) {
  class FeatureModule {}
  Module(metadata)(FeatureModule);
  return FeatureModule;
}

function client(number) {
  class Client {
    constructor(http, config) {
      Object.assign(this, { http, config });
    }
  }
  Object.defineProperty(Client, 'name', { value: `Client${number}` });
  for (let index = 0; index < METHODS_PER_CLASS; index += 1) define(Client.prototype, `call${index}`);
  Injectable()(Client);
  Reflect.defineMetadata('design:paramtypes', [Http, Config], Client);
  return Client;
}

function define(prototype, name) {
  const methods = {
    async [name](order) {
      return [this.http, order];
    },
  };
  const descriptor = { ...Object.getOwnPropertyDescriptor(methods, name), enumerable: false };
  Object.defineProperty(prototype, name, descriptor);
  if (relprim === undefined) return;
  Reflect.defineMetadata('design:returntype', Promise, prototype, name);
  relprim.decorate(prototype, name, descriptor);
  Object.defineProperty(prototype, name, descriptor);
}

async function timed(work) {
  const [cpu, wall] = [process.cpuUsage(), performance.now()];
  const result = await work();
  const { user, system } = process.cpuUsage(cpu);
  return { result, wallMs: performance.now() - wall, cpuMs: (user + system) / 1e3 };
}
