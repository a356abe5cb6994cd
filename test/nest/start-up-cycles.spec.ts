import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { Inject, Injectable, Module } from '@nestjs/common';
import { Resilient, type AnyEvent, type EventSink } from '../../lib/index.js';
import { ResilienceExecutor } from '../../nest-module/index.js';
import { calls, inTime, start, watch } from './support.js';

@Injectable()
class Client {
  @Resilient()
  async call(): Promise<string> {
    return 'value';
  }
}

@Injectable()
class Database {
  readonly rows: string[] = [];

  @Resilient()
  async save(row: string): Promise<void> {
    this.rows.push(row);
  }
}

@Module({ providers: [Database], exports: [Database] })
class DatabaseModule {}

const CALL_EVENTS = ['operation.started', 'attempt.started', 'attempt.succeeded', 'operation.succeeded'];

describe('an application starts, and its sinks are told each event once, when', () => {
  it('an event sink is itself decorated', async () => {
    @Injectable()
    class DecoratedSink implements EventSink {
      readonly seen: string[] = [];

      @Resilient()
      async emit(event: AnyEvent): Promise<void> {
        this.seen.push(`${event.operationName} ${event.eventType}`);
      }
    }
    const app = watch(await inTime(start({ providers: [Client] }, { eventSinks: [DecoratedSink] })));
    await app.get(Client).call();
    await delay(5);
    expect(app.get(DecoratedSink).seen).toEqual(CALL_EVENTS.map((type) => `Client.call ${type}`));
    expect(calls().filter((call) => call === 'APP DecoratedSink.emit')).toHaveLength(4);
  });

  it('an event sink depends on a provider with decorated methods', async () => {
    @Injectable()
    class SavingSink implements EventSink {
      constructor(@Inject(Database) private readonly database: Database) {}

      emit(event: AnyEvent): Promise<void> {
        return this.database.save(`${event.operationName} ${event.eventType}`);
      }
    }
    const options = { eventSinks: [SavingSink], imports: [DatabaseModule] };
    const app = watch(await inTime(start({ providers: [Client] }, options)));
    await app.get(Client).call();
    await delay(5);
    expect(app.get(Database).rows).toEqual(CALL_EVENTS.map((type) => `Client.call ${type}`));
    expect(calls().filter((call) => call === 'APP Database.save')).toHaveLength(4);
  });

  it('there is a third provider between the sink and the decorated one', async () => {
    @Injectable()
    class Outbox {
      constructor(@Inject(Database) private readonly database: Database) {}

      async put(row: string): Promise<void> {
        await this.database.save(row);
      }
    }
    @Module({ imports: [DatabaseModule], providers: [Outbox], exports: [Outbox] })
    class OutboxModule {}

    @Injectable()
    class OutboxSink implements EventSink {
      constructor(@Inject(Outbox) private readonly outbox: Outbox) {}

      async emit(event: AnyEvent): Promise<void> {
        await this.outbox.put(event.eventType);
      }
    }
    const options = { eventSinks: [OutboxSink], imports: [OutboxModule] };
    const app = watch(await inTime(start({ providers: [Client] }, options)));
    await app.get(Client).call();
    await delay(5);
    expect(app.get(Database).rows).toEqual(CALL_EVENTS);
  });

  it('an event sink depends on the executor, or on something that does', async () => {
    @Injectable()
    class Runner {
      readonly types: string[] = [];

      constructor(@Inject(ResilienceExecutor) private readonly executor: ResilienceExecutor) {}

      note(event: AnyEvent): void {
        this.types.push(`${event.eventType} of ${this.executor.describe(event.operationName)}`);
      }
    }
    @Module({ providers: [Runner], exports: [Runner] })
    class RunnerModule {}

    @Injectable()
    class CuriousSink implements EventSink {
      constructor(
        @Inject(ResilienceExecutor) readonly executor: ResilienceExecutor,
        @Inject(Runner) readonly runner: Runner,
      ) {}

      emit(event: AnyEvent): void {
        this.runner.note(event);
      }
    }
    const options = { eventSinks: [CuriousSink], imports: [RunnerModule] };
    const app = await inTime(start({ providers: [Client] }, options));
    await app.get(Client).call();
    expect(app.get(Runner).types).toEqual(CALL_EVENTS.map((type) => `${type} of Client.call: method`));
    expect(app.get(CuriousSink).executor).toBe(app.get(ResilienceExecutor));
  });
});
