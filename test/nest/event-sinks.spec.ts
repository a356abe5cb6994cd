import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, jest } from '@jest/globals';
import { Inject, Injectable, Logger, Module } from '@nestjs/common';
import {
  EventEmitter,
  InMemoryEventSink,
  Resilient,
  type AnyEvent,
  type EventSink,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { RESILIENCE_CLOCK, RESILIENCE_EVENTS } from '../../nest-module/index.js';
import { start } from './support.js';

const SUCCESS = ['operation.started', 'attempt.started', 'attempt.succeeded', 'operation.succeeded'];

@Injectable()
class Client {
  calls = 0;

  @Resilient()
  async call(): Promise<string> {
    this.calls += 1;
    return 'value';
  }
}

@Injectable()
class Log {
  readonly lines: string[] = [];
}

@Module({ providers: [Log], exports: [Log] })
class LogModule {}

@Injectable()
class LogSink implements EventSink {
  constructor(@Inject(Log) private readonly log: Log) {}

  emit({ eventType }: AnyEvent): void {
    this.log.lines.push(`class ${eventType}`);
  }
}

describe('event sinks of the application', () => {
  it('are classes with dependencies of the imported modules, and instances, told in the given order', async () => {
    const lines: string[] = [];
    const before: EventSink = { emit: ({ eventType }) => void lines.push(`before ${eventType}`) };
    const after: EventSink = { emit: ({ eventType }) => void lines.push(`after ${eventType}`) };
    const eventSinks = [before, LogSink, InMemoryEventSink, after];
    const app = await start({ providers: [Client] }, { eventSinks, imports: [LogModule] });
    app.get(Log).lines.push = (...added: string[]) => lines.push(...added);

    await app.get(Client).call();
    expect(lines).toEqual(SUCCESS.flatMap((type) => [`before ${type}`, `class ${type}`, `after ${type}`]));
    expect(app.get(InMemoryEventSink).sequence('Client.call')).toEqual(SUCCESS);
  });

  it('are singletons that a test replaces by their class', async () => {
    const fake = new InMemoryEventSink();
    const app = await start(
      { providers: [Client] },
      { eventSinks: [LogSink], imports: [LogModule] },
      (builder) => builder.overrideProvider(LogSink).useValue(fake),
    );
    await app.get(Client).call();
    expect(fake.sequence()).toEqual(SUCCESS);
    expect(app.get(Log).lines).toEqual([]);
  });

  it('may have their emit from the constructor', async () => {
    @Injectable()
    class ArrowSink implements EventSink {
      readonly seen: string[] = [];
      readonly emit = ({ eventType }: AnyEvent): void => void this.seen.push(eventType);
    }
    const app = await start({ providers: [Client] }, { eventSinks: [ArrowSink] });
    await app.get(Client).call();
    expect(app.get(ArrowSink).seen).toEqual(SUCCESS);
  });

  it('are told beside the emitter of a decorator, before it', async () => {
    const lines: string[] = [];
    const sink = (name: string): EventSink => ({
      emit: ({ eventType }) => void lines.push(`${name} ${eventType}`),
    });
    @Injectable()
    class Own {
      @Resilient({ events: new EventEmitter({ sinks: [sink('own')] }) })
      async call(): Promise<void> {}
    }
    const app = await start({ providers: [Own] }, { eventSinks: [sink('module')] });
    await app.get(Own).call();
    expect(lines).toEqual(SUCCESS.flatMap((type) => [`module ${type}`, `own ${type}`]));
  });

  it('cost nothing when there are none', async () => {
    const app = await start({ providers: [Client] });
    expect(app.get(RESILIENCE_EVENTS)).toBeUndefined();
    expect(await app.get(Client).call()).toBe('value');
  });

  it('see the async context of the call that each event belongs to, also when they are slow', async () => {
    const user = new AsyncLocalStorage<string>();
    const seen: string[] = [];
    const slow: EventSink = {
      async emit({ eventType }) {
        await delay(1);
        seen.push(`${user.getStore()} ${eventType}`);
      },
    };
    const app = await start({ providers: [Client] }, { eventSinks: [slow] });
    const client = app.get(Client);
    await Promise.all(['ann', 'bob'].map((name) => user.run(name, () => client.call())));
    await app.get<EventEmitter>(RESILIENCE_EVENTS).flush();
    for (const name of ['ann', 'bob']) {
      expect(seen.filter((line) => line.startsWith(name))).toEqual(SUCCESS.map((type) => `${name} ${type}`));
    }
    expect(seen).toHaveLength(8);
  });
});

describe('by default a sink', () => {
  it('that fails never reaches a call, and is logged once a minute without what the call was about', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const clock = new FakeClock();
    const healthy = new InMemoryEventSink();
    class BrokenSink implements EventSink {
      emit(): void {
        throw new RangeError('secret');
      }
    }
    class RejectingSink implements EventSink {
      async emit(): Promise<void> {
        throw new RangeError('secret');
      }
    }
    const app = await start(
      { providers: [Client] },
      { eventSinks: [BrokenSink, RejectingSink, healthy] },
      (builder) => builder.overrideProvider(RESILIENCE_CLOCK).useValue(clock),
    );
    expect(await app.get(Client).call()).toBe('value');
    await app.get<EventEmitter>(RESILIENCE_EVENTS).flush();
    expect(healthy.sequence()).toEqual(SUCCESS);
    expect(warn.mock.calls.flat().sort()).toEqual([
      'event sink BrokenSink failed with RangeError: 1 event(s) lost so far',
      'event sink RejectingSink failed with RangeError: 1 event(s) lost so far',
    ]);
    await clock.advance('60s');
    await app.get(Client).call();
    await app.get<EventEmitter>(RESILIENCE_EVENTS).flush();
    expect(warn).toHaveBeenCalledTimes(4);
    expect(warn).toHaveBeenCalledWith('event sink BrokenSink failed with RangeError: 5 event(s) lost so far');
    warn.mockRestore();
  });

  it('that never answers never delays a call', async () => {
    const seen: string[] = [];
    const stuck: EventSink = {
      emit({ eventType }) {
        seen.push(eventType);
        return new Promise(() => undefined);
      },
    };
    const app = await start({ providers: [Client] }, { eventSinks: [stuck] });
    expect(await app.get(Client).call()).toBe('value');
    expect(await app.get(Client).call()).toBe('value');
    expect(seen).toEqual(['operation.started']);
  });
});

describe("with sinkErrors: 'propagate' a sink", () => {
  it('is awaited, and its error reaches the caller as it is', async () => {
    const broken = new RangeError('disk full');
    const order: string[] = [];
    const sink: EventSink = {
      async emit({ eventType }) {
        await delay(1);
        order.push(eventType);
        if (eventType === 'attempt.succeeded') throw broken;
      },
    };
    const app = await start({ providers: [Client] }, { eventSinks: [sink], sinkErrors: 'propagate' });
    await expect(app.get(Client).call()).rejects.toBe(broken);
    expect(order).toEqual(['operation.started', 'attempt.started', 'attempt.succeeded']);
    expect(app.get(Client).calls).toBe(1);
  });
});
