import type { Server } from 'node:http';
import { NestFactory } from '@nestjs/core';
import { ResilienceExecutor } from 'relprim/nestjs';
import { ShopModule } from './app/shop.module.js';
import type { UpstreamUrls } from './app/upstream-urls.js';

/** The application, listening. */
export interface Application {
  readonly url: string;
  readonly executor: ResilienceExecutor;
  close(): Promise<void>;
}

export async function startApplication(upstreamUrls: UpstreamUrls): Promise<Application> {
  const app = await NestFactory.create(ShopModule.callingUpstreamsAt(upstreamUrls), {
    logger: ['warn', 'error'],
  });
  await app.listen(0, '127.0.0.1');
  // Its visitors keep their connections; it must not close one just as the next request comes.
  (app.getHttpServer() as Server).keepAliveTimeout = 60_000;
  return { url: await app.getUrl(), executor: app.get(ResilienceExecutor), close: () => app.close() };
}
