// An application with a thousand calls that wait an hour. It is closed, by itself or by a signal, and the process must end.
import 'reflect-metadata';
import { Controller, Get, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Resilient, type EventSink } from '../../../lib/index.js';
import { ResilienceModule } from '../../../nest-module/index.js';

const CALLS = 1_000;

@Injectable()
class Client {
  @Resilient({ retries: 5, backoff: { delayForRetry: () => 3_600 }, timeout: '1h', deadline: '9h' })
  async charge(): Promise<void> {
    throw new Error('down');
  }
}

@Controller()
class OrdersController {
  constructor(private readonly client: Client) {}

  @Get()
  place(): Promise<void> {
    return this.client.charge();
  }
}

class Sink implements EventSink {
  private waits = 0;

  emit({ eventType }: { eventType: string }): void {
    if (eventType === 'retry.scheduled') this.waits += 1;
  }

  flush(): void {
    console.log(`flushed ${this.waits}`);
  }
}

@Module({
  imports: [ResilienceModule.forRoot({ eventSinks: [Sink], silenceWarnings: ['retries-without-retry-on'] })],
  controllers: [OrdersController],
  providers: [Client],
})
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] });
app.enableShutdownHooks();
await app.listen(0, '127.0.0.1');
const client = app.get(Client);
const outcomes = Promise.allSettled(Array.from({ length: CALLS }, () => client.charge()));
const asked = fetch(await app.getUrl()).then((response) => response.status);
await new Promise((resolve) => void setTimeout(resolve, 200));

let endedMs = Infinity;
void outcomes.then((settled) => {
  const codes = settled.map((outcome) =>
    outcome.status === 'rejected' ? (outcome.reason as { code: string }).code : outcome.status,
  );
  console.log(`${codes.length} calls ended with ${[...new Set(codes)].join()}`);
});
void asked.then((status) => console.log(`request ended with ${status}`));
process.on('exit', () => console.log(`ended within a second: ${performance.now() - endedMs < 1_000}`));
process.on('SIGTERM', () => (endedMs = performance.now()));

if (process.argv.includes('--close')) {
  endedMs = performance.now();
  await app.close();
  console.log('closed');
} else console.log('ready');
