import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { Inject, Injectable, Module } from '@nestjs/common';
import { InMemoryEventSink, Resilient, type AnyEvent, type EventSink } from '../../lib/index.js';
import { ResilienceExecutor } from '../../nest-module/index.js';
import { calls, start, watch } from './support.js';

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

/** Where Nest would wait for ever, a test must not. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  const limit = new AbortController();
  const late = delay(2_000, undefined, { signal: limit.signal }).then(() => Promise.reject(new Error('hangs')));
  late.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    limit.abort();
  }
}

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

  it('the sink waits for something before it calls the decorated provider', async () => {
    @Injectable()
    class LateSink implements EventSink {
      constructor(@Inject(Database) private readonly database: Database) {}

      async emit(event: AnyEvent): Promise<void> {
        await delay(1);
        if (this.database.rows.length < 50) await this.database.save(event.eventType);
      }
    }
    const options = { eventSinks: [LateSink], imports: [DatabaseModule] };
    const app = await inTime(start({ providers: [Client] }, options));
    await app.get(Client).call();
    await delay(100);
    expect(app.get(Database).rows).toEqual(CALL_EVENTS);
  });

  it('the sink retries, and its later tries call the decorated provider', async () => {
    @Injectable()
    class StubbornSink implements EventSink {
      private tries = 0;

      constructor(@Inject(Database) private readonly database: Database) {}

      @Resilient({ retries: 1, backoff: { delayForRetry: () => 0.001 } })
      async emit(event: AnyEvent): Promise<void> {
        this.tries += 1;
        if (this.tries % 2 === 1) throw new Error('not yet');
        if (this.database.rows.length < 50) await this.database.save(event.eventType);
      }
    }
    const options = { eventSinks: [StubbornSink], imports: [DatabaseModule] };
    const app = await inTime(start({ providers: [Client] }, options));
    await app.get(Client).call();
    await delay(100);
    expect(app.get(Database).rows).toEqual(CALL_EVENTS);
  });

  it('a sink depends on the executor itself, which Nest says at once', async () => {
    @Injectable()
    class CuriousSink extends InMemoryEventSink {
      constructor(@Inject(ResilienceExecutor) readonly executor: ResilienceExecutor) {
        super();
      }
    }
    await expect(inTime(start({}, { eventSinks: [CuriousSink] }))).rejects.toThrow(/circular|undefined/i);
  });
});
