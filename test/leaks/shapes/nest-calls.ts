import 'reflect-metadata';
import { Inject, Injectable } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { firstValueFrom, NEVER, timer, type Observable } from 'rxjs';
import { Resilient, resultOf, Shielded, type AnyEvent, type EventSink } from '../../../lib/index.js';
import { RESILIENCE_CLOCK, ResilienceExecutor, ResilienceModule } from '../../../nest-module/index.js';
import { endingOf, hang, later, noDelay, type Shape, type World } from './shape.js';

const SIGNAL = 'the signal of the application';

@Injectable()
class Sink implements EventSink {
  told = 0;

  emit(event: AnyEvent): void {
    if (event.payload !== undefined) this.told += 1;
  }
}

const signal = function (this: Client): AbortSignal {
  return this.signal;
};

@Injectable()
class Client {
  constructor(@Inject(SIGNAL) readonly signal: AbortSignal) {}

  @Resilient({ circuitBreaker: 'payments', timeout: '1h', deadline: '2h', signal })
  async charge(call: number): Promise<number> {
    await later();
    return call;
  }

  @Resilient({ retries: 2, backoff: noDelay, timeout: '1h', fallback: 'keep', signal })
  async send(_call: number): Promise<string> {
    throw new Error('down');
  }

  async keep(call: number): Promise<string> {
    return `${call} kept`;
  }

  @Resilient({ timeout: '2ms', signal })
  async wait(): Promise<void> {
    return hang();
  }

  @Shielded('search', { concurrencyLimit: 'db', signal })
  async search(): Promise<void> {
    return later();
  }

  @Resilient({ timeout: '1h', returns: 'observable', signal })
  ticks(ends: boolean): Observable<number> {
    return ends ? timer(0) : NEVER;
  }
}

async function start({ signal: ofApplication, clock, atEnd }: World): Promise<TestingModule> {
  const resilience = ResilienceModule.forRoot({
    circuitBreakers: [{ name: 'payments' }],
    shields: [{ name: 'search', profile: 'slow' }],
    concurrencyLimits: [{ name: 'db', maxConcurrent: 20, queue: { size: 1_000 } }],
    eventSinks: [Sink],
    silenceWarnings: ['retries-without-retry-on'],
  });
  const providers = [Client, { provide: SIGNAL, useValue: ofApplication }];
  const builder = Test.createTestingModule({ imports: [resilience], providers });
  const app = await builder.overrideProvider(RESILIENCE_CLOCK).useValue(clock).compile();
  atEnd(() => app.close());
  return app.init();
}

function nestShape(
  name: string,
  endings: Shape['endings'],
  run: (client: Client, call: number, app: TestingModule) => Promise<string>,
  more: Partial<Shape> = {},
): Shape {
  const begin = async (world: World) => {
    const app = await start(world);
    const client = app.get(Client);
    return (call: number) => run(client, call, app);
  };
  return { name: `in a Nest application, ${name}`, endings, begin, ...more };
}

async function unsubscribed(ticks: Observable<number>): Promise<string> {
  const subscription = ticks.subscribe();
  await later();
  subscription.unsubscribe();
  return String(subscription.closed);
}

export const nestCalls: readonly Shape[] = [
  nestShape(
    'the value of a decorated method',
    { value: 1 },
    async (client, call) => ((await client.charge(call)) === call ? 'value' : 'another value'),
    { timersLeft: 2 },
  ),
  nestShape(
    'its result form',
    { 'succeeded 1': 1 },
    (client, call) => endingOf(resultOf(client.charge(call))),
    { timersLeft: 2 },
  ),
  nestShape(
    'the result of the executor, with retries and a fallback',
    { 'succeeded 4': 1 },
    (client, call, app) => endingOf(app.get(ResilienceExecutor).run(client, 'send', call)),
    { timersLeft: 1 },
  ),
  nestShape('a timeout', { timed_out: 1 }, (client) => client.wait().then(String, () => 'timed_out'), {
    together: 1_000,
  }),
  nestShape(
    'a shield, and a limit that makes wait',
    { 'succeeded 1': 1 },
    (client) => endingOf(resultOf(client.search())),
    { timersLeft: 2 },
  ),
  nestShape(
    'an Observable that gives its value',
    { 0: 1 },
    async (client) => String(await firstValueFrom(client.ticks(true))),
    { timersLeft: 1 },
  ),
  nestShape('an Observable that is left', { true: 1 }, (client) => unsubscribed(client.ticks(false)), {
    timersLeft: 1,
  }),
];
