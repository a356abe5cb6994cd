import { describe, expect, it } from '@jest/globals';
import {
  applyDecorators,
  Controller,
  Inject,
  Injectable,
  Module,
  Scope,
  type INestApplicationContext,
} from '@nestjs/common';
import { EventEmitter2, EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import {
  EventPattern,
  MessagePattern,
  Payload,
  Server,
  type CustomTransportStrategy,
  type MessageHandler,
} from '@nestjs/microservices';
import { Cron, Interval, ScheduleModule, SchedulerRegistry, Timeout } from '@nestjs/schedule';
import { lastValueFrom, type Observable } from 'rxjs';
import { currentAttempt, Resilient, resultOf, type ExecutionReport } from '../../lib/index.js';
import { ResilienceExecutor } from '../../nest-module/index.js';
import { deferred } from '../support/deferred.js';
import { build, calls, closing, start, watch } from './support.js';

const Protected = () => Resilient({ retries: 1, backoff: { delayForRetry: () => 0 } });

/** Hands messages straight to the handlers. */
class InMemoryServer extends Server implements CustomTransportStrategy {
  listen(callback: () => void): void {
    callback();
  }

  close(): void {}

  on(): void {}

  unwrap<T>(): T {
    return undefined as T;
  }

  handler(pattern: string): MessageHandler {
    return this.messageHandlers.get(pattern) as MessageHandler;
  }

  async hand(pattern: string, data: unknown): Promise<unknown> {
    const answer = this.transformToObservable(await this.handler(pattern)(data));
    return lastValueFrom(answer as Observable<unknown>, { defaultValue: undefined });
  }
}

/** The end of the next call of an operation, as nobody has the promise of a job. */
function ended(app: INestApplicationContext, name: string): Promise<ExecutionReport> {
  return new Promise((resolve) => {
    const end = app.get(ResilienceExecutor).observe((report) => {
      if (report.operationName !== name) return;
      end();
      resolve(report);
    });
  });
}

/** Fails every first try. */
class Flaky {
  tries = 0;

  try<T>(value: T): T {
    this.tries += 1;
    if (this.tries % 2 === 1) throw new Error('not yet');
    return value;
  }
}

// B141
describe.each(['above', 'below'])('with @Resilient %s', (place) => {
  const both = (...others: MethodDecorator[]): MethodDecorator =>
    place === 'above' ? applyDecorators(Protected(), ...others) : applyDecorators(...others, Protected());

  it('@Cron, @Interval and @Timeout register the resilient method', async () => {
    @Injectable()
    class Jobs extends Flaky {
      @both(Cron('0 0 1 1 *', { name: 'yearly' }))
      async yearly(): Promise<void> {
        this.try('yearly');
      }

      @both(Interval('often', 5))
      async often(): Promise<void> {
        this.try('often');
      }

      @both(Timeout('once', 5))
      async once(): Promise<void> {
        this.try('once');
      }
    }
    const app = await start({ imports: [ScheduleModule.forRoot()], providers: [Jobs] });
    const registry = app.get(SchedulerRegistry);
    expect([registry.getIntervals(), registry.getTimeouts()]).toEqual([['often'], ['once']]);
    const first = await Promise.all([ended(app, 'Jobs.often'), ended(app, 'Jobs.once')]);
    expect(first.map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
    registry.deleteInterval('often');

    const yearly = ended(app, 'Jobs.yearly');
    app.get(Jobs).tries = 0;
    await registry.getCronJob('yearly').fireOnTick();
    expect((await yearly).attempts.map(({ status }) => status)).toEqual(['failed', 'succeeded']);
  });

  it('@OnEvent hears its events, also two of them', async () => {
    @Injectable()
    class Listener extends Flaky {
      seen: string[] = [];

      @both(OnEvent('order.created'), OnEvent('order.paid'))
      async heard(order: string): Promise<void> {
        this.seen.push(this.try(order));
      }
    }
    const app = watch(await start({ imports: [EventEmitterModule.forRoot()], providers: [Listener] }));
    const events = app.get(EventEmitter2);
    await events.emitAsync('order.created', 'a');
    await events.emitAsync('order.paid', 'b');
    expect(app.get(Listener).seen).toEqual(['a', 'b']);
    expect(calls()).toEqual(['APP Listener.heard', 'APP Listener.heard']);
  });

  // B151
  it.each(Object.entries({ singleton: Scope.DEFAULT, request: Scope.REQUEST }))(
    '@MessagePattern and @EventPattern of a %s controller reach the transport with their extras',
    async (_name, scope) => {
      const flaky = new Flaky();
      const heard: string[] = [];
      @Controller({ scope })
      class Messages {
        @both(MessagePattern('sum', { queue: 'sums' }))
        async sum(@Payload() numbers: number[]): Promise<number> {
          return flaky.try(numbers.reduce((a, b) => a + b));
        }

        @both(EventPattern('created', { group: 'g' }) as MethodDecorator)
        async created(@Payload('id') id: string): Promise<void> {
          heard.push(flaky.try(id));
        }
      }
      const strategy = new InMemoryServer();
      const app = closing(
        (await build({ controllers: [Messages] })).createNestMicroservice({ strategy, logger: false }),
      );
      await app.listen();
      watch(app);
      const [sum, created] = [strategy.handler('sum'), strategy.handler('created')];
      expect([sum.extras, sum.isEventHandler ?? false]).toEqual([{ queue: 'sums' }, false]);
      expect([created.extras, created.isEventHandler]).toEqual([{ group: 'g' }, true]);
      expect(await strategy.hand('sum', [1, 2])).toBe(3);
      await strategy.hand('created', { id: 'o-1' });
      expect(heard).toEqual(['o-1']);
      expect(calls()).toEqual(['APP Messages.sum', 'APP Messages.created']);
    },
  );
});

// B157
it('a listener that outlives the method whose event it hears keeps its own account and signal', async () => {
  const upstream = deferred<string>();
  const signals: AbortSignal[] = [];
  @Injectable()
  class Listener {
    @OnEvent('order.created')
    @Protected()
    async heard(): Promise<string> {
      const { signal, number } = currentAttempt();
      signals.push(signal);
      await upstream.promise;
      if (number === 1) throw new Error('not yet');
      return 'heard';
    }
  }
  @Injectable()
  class Orders {
    constructor(@Inject(EventEmitter2) private readonly events: EventEmitter2) {}

    @Resilient({ timeout: '5s' })
    async create(): Promise<string> {
      this.events.emit('order.created');
      return 'created';
    }
  }
  const app = await start({ imports: [EventEmitterModule.forRoot()], providers: [Listener, Orders] });
  const reports: string[] = [];
  app.get(ResilienceExecutor).observe(({ operationName, status, attemptCount }) => {
    reports.push(`${operationName} ${status} ${attemptCount}`);
  });
  const { report } = await resultOf(app.get(Orders).create());
  expect([report.attemptCount, report.causedBy, reports]).toEqual([1, [], ['Orders.create succeeded 1']]);
  const outlived = ended(app, 'Listener.heard');
  upstream.resolve('now');
  expect((await outlived).attempts.map(({ status }) => status)).toEqual(['failed', 'succeeded']);
  expect(reports).toEqual(['Orders.create succeeded 1', 'Listener.heard succeeded 2']);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
});

// B154
it('a job stays registered, as the executor makes nothing request-scoped', async () => {
  @Injectable()
  class Client {
    @Resilient({ circuitBreaker: 'payments' })
    async call(): Promise<string> {
      return 'value';
    }
  }
  @Module({ providers: [Client], exports: [Client] })
  class ClientModule {}
  @Injectable()
  class Job {
    ran = 0;

    constructor(
      @Inject(Client) private readonly client: Client,
      @Inject(ResilienceExecutor) readonly executor: ResilienceExecutor,
    ) {}

    @Cron('0 0 1 1 *', { name: 'job' })
    @Resilient()
    async run(): Promise<void> {
      await this.client.call();
      this.ran += 1;
    }
  }
  const metadata = { imports: [ScheduleModule.forRoot(), ClientModule], providers: [Job] };
  const app = watch(await start(metadata, { circuitBreakers: [{ name: 'payments' }] }));
  const run = ended(app, 'Job.run');
  await app.get(SchedulerRegistry).getCronJob('job').fireOnTick();
  await run;
  expect(app.get(Job).ran).toBe(1);
  expect(calls()).toEqual(['APP Client.call', 'APP Job.run']);
});
