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

let allWait = (): void => undefined;
const waiting = new Promise<void>((resolve) => (allWait = resolve));

class Sink implements EventSink {
  private waits = 0;

  emit({ eventType }: { eventType: string }): void {
    if (eventType !== 'retry.scheduled') return;
    this.waits += 1;
    if (this.waits > CALLS) allWait();
  }

  flush(): void {
    console.log(`flushed ${this.waits}`);
  }
}

@Module({
  imports: [
    ResilienceModule.forRoot({
      eventSinks: [Sink],
      exceptionFilter: true,
      silenceWarnings: ['retries-without-retry-on'],
    }),
  ],
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
await waiting;

void outcomes.then((settled) => {
  const codes = settled.map((outcome) =>
    outcome.status === 'rejected' ? (outcome.reason as { code: string }).code : outcome.status,
  );
  console.log(`${codes.length} calls ended with ${[...new Set(codes)].join()}`);
});
void asked.then((status) => console.log(`request ended with ${status}`));

let start = { cpu: process.cpuUsage(), ms: performance.now() };
const begin = (): void => void (start = { cpu: process.cpuUsage(), ms: performance.now() });
process.on('exit', () => {
  // The machine may be busy with something else: that takes time, too, but not this process's own.
  const { user, system } = process.cpuUsage(start.cpu);
  const hasWaited = performance.now() - start.ms > 10_000;
  console.log(`ended within a second: ${(user + system) / 1e6 < 1 && !hasWaited}`);
});

if (process.argv.includes('--close')) {
  begin();
  await app.close();
  console.log('closed');
} else {
  // With a listener of its own the process does not end by the signal, but when nothing is left to do.
  process.on('SIGTERM', begin);
  console.log('ready');
}
