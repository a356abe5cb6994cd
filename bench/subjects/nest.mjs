// A decorated method where most of them live: in a provider of a Nest application that has the module.
import 'reflect-metadata';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ResilienceExecutor, ResilienceModule } from 'relprim/nestjs';
import { classWith } from './relprim.mjs';

export async function inNest(options, { fn, module = {} } = {}) {
  const Client = classWith(options, fn);
  Injectable()(Client);
  class AppModule {}
  Module({ imports: [ResilienceModule.forRoot(module)], providers: [Client] })(AppModule);
  const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
  const found = app.get(ResilienceExecutor).operationNames().length;
  if (found !== 1) throw new Error(`the application found ${found} operations`);
  const client = app.get(Client);
  return () => client.call();
}
