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

/** How it is started. */
interface Start {
  /** Default: any that is free. */
  readonly port?: number;
  /** Whether people can look inside, at `/resilience`. Default false. */
  readonly hasDashboard?: boolean;
}

export async function startApplication(
  upstreamUrls: UpstreamUrls,
  { port = 0, hasDashboard = false }: Start = {},
): Promise<Application> {
  const app = await NestFactory.create(ShopModule.callingUpstreamsAt(upstreamUrls, hasDashboard), {
    logger: ['warn', 'error'],
  });
  await app.listen(port, '127.0.0.1');
  // Its visitors keep their connections; it must not close one just as the next request comes.
  (app.getHttpServer() as Server).keepAliveTimeout = 60_000;
  return { url: await app.getUrl(), executor: app.get(ResilienceExecutor), close: () => app.close() };
}
