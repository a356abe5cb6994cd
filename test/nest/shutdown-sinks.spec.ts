import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { EventEmitter, Resilient, type AnyEvent, type EventSink } from '../../lib/index.js';
import { RESILIENCE_EVENTS, ResilienceExecutor } from '../../nest-module/index.js';
import { deferred } from '../support/deferred.js';
import { hang, watch } from '../support/watch.js';
import { application, turn } from './shutdown-scene.js';
import { start } from './support.js';

@Injectable()
class Client {
  @Resilient()
  async call(): Promise<void> {}
}

/** Writes what it is told when it is flushed, and not before. */
class Buffered implements EventSink {
  readonly written: string[] = [];
  flushes = 0;
  private kept: string[] = [];

  emit(event: AnyEvent): void {
    this.kept.push(event.eventType);
  }

  async flush(): Promise<void> {
    this.flushes += 1;
    await turn();
    this.written.push(...this.kept.splice(0));
  }
}

const CALL = ['operation.started', 'attempt.started', 'attempt.succeeded', 'operation.succeeded'];

/** What the module warned of. */
function warnings() {
  const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  return () => warn.mock.calls.map(([message]) => String(message));
}

afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

describe('when an application closes, its event sinks', () => {
  it('write what they still have, and those without flush() take nothing amiss', async () => {
    const warned = warnings();
    const [sink, plain] = [new Buffered(), { emit: () => undefined }];
    const { app, client } = await application(Client, { eventSinks: [sink, plain] });
    await client.call();
    expect(sink.written).toEqual([]);
    await app.close();
    expect(sink.written).toEqual(CALL);
    expect(warned()).toEqual([]);
  });

  it('have been told everything that waited in their queues', async () => {
    const gate = deferred();
    const told: string[] = [];
    const slow: EventSink = {
      async emit({ eventType }) {
        await gate.promise;
        told.push(eventType);
      },
      flush: () => void told.push('flush'),
    };
    const { app, client } = await application(Client, { eventSinks: [slow] });
    await client.call();
    const closed = watch(app.close());
    await turn();
    expect([closed.state, told]).toEqual(['pending', []]);
    gate.resolve();
    await app.close();
    expect(told.slice(0, 5)).toEqual([...CALL, 'flush']);
  });

  it('write while what they write to is still open, and again what the last calls told', async () => {
    const sink = new Buffered();
    @Injectable()
    class Database implements OnApplicationShutdown {
      writtenBefore: readonly string[] = [];
      constructor(private readonly client: Client) {}

      async onApplicationShutdown(): Promise<void> {
        this.writtenBefore = [...sink.written];
        await this.client.call();
      }
    }
    const { app, client } = await application(Client, { eventSinks: [sink] }, { providers: [Database] });
    await client.call();
    const database = app.get(Database);
    await app.close();
    expect(database.writtenBefore).toEqual(CALL);
    expect(sink.written).toEqual([...CALL, ...CALL]);
  });

  it.each(['isolate', 'propagate'] as const)('do not stop it by failing: %s', async (sinkErrors) => {
    const warned = warnings();
    class Broken extends Buffered {
      override async flush(): Promise<void> {
        this.flushes += 1;
        throw new RangeError('password=1234');
      }
    }
    class Throwing extends Buffered {
      override flush(): Promise<void> {
        this.flushes += 1;
        throw new RangeError('password=1234');
      }
    }
    const sinks = [new Broken(), new Throwing(), new Buffered()] as const;
    const { app, client } = await application(Client, { eventSinks: [...sinks], sinkErrors });
    await client.call();
    await app.close();
    expect(sinks.map(({ flushes }) => flushes)).toEqual([2, 2, 2]);
    expect(sinks[2].written).toEqual(CALL);
    expect(warned().join()).toContain(
      sinkErrors === 'isolate'
        ? 'event sink Broken failed to flush with RangeError'
        : 'an event sink failed to flush; what it still had may be lost',
    );
    expect(warned().join()).not.toContain('1234');
  });

  it('that failed just before are told of when they fail to flush, too', async () => {
    const warned = warnings();
    class Broken implements EventSink {
      emit(): void {
        throw new RangeError('no disk');
      }
      flush(): void {
        throw new RangeError('no disk');
      }
    }
    const { app, client } = await application(Client, { eventSinks: [new Broken()] });
    await client.call();
    expect(warned()).toEqual(['event sink Broken failed with RangeError: 1 event(s) lost so far']);
    await app.close();
    expect(warned()[1]).toBe('event sink Broken failed to flush with RangeError');
  });

  it('do not hold it up by more than two seconds in all, and the others have been flushed', async () => {
    const warned = warnings();
    const sink = new Buffered();
    const hanging = { emit: () => undefined, flush: hang };
    const { app, client } = await application(Client, { eventSinks: [hanging, sink] });
    await client.call();
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    const closing = app.close();
    const closed = watch(closing);
    for (let turns = 0; turns < 5; turns += 1) await turn();
    await jest.advanceTimersByTimeAsync(1_900);
    expect([closed.state, sink.written]).toEqual(['pending', CALL]);
    await jest.advanceTimersByTimeAsync(100);
    await closing;
    expect(warned()).toEqual(['an event sink did not flush within 2 s; what it still had may be lost']);
    expect([sink.flushes, jest.getTimerCount()]).toEqual([2, 0]);
  });

  it('leave no timer behind, however fast they were', async () => {
    const { app } = await application(Client, { eventSinks: [new Buffered()] });
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    await app.close();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('may have been replaced by something simpler in a test', async () => {
    const warned = warnings();
    const app = await start({ providers: [Client] }, { eventSinks: [new Buffered()] }, (builder) =>
      builder.overrideProvider(RESILIENCE_EVENTS).useValue({ tell: () => undefined }),
    );
    await app.get(Client).call();
    await app.close();
    expect(warned()).toEqual([]);
    expect(app.get(ResilienceExecutor).operationNames()).toEqual(['Client.call']);
  });
});

describe('an event emitter by itself', () => {
  it('flushes every sink, and rejects with the first error', async () => {
    const first = new RangeError('first');
    const sink = new Buffered();
    const failing = (error: Error) => ({ emit: () => undefined, flush: () => Promise.reject(error) });
    const emitter = new EventEmitter({ sinks: [failing(first), failing(new Error('second')), sink] });
    await expect(emitter.flush()).rejects.toBe(first);
    expect(sink.flushes).toBe(1);
  });
});
