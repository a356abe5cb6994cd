import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import {
  EventEmitter,
  InMemoryEventSink,
  resilient,
  type EventEmitterOptions,
  type EventSink,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { heldOf } from '../operation/memory.js';
import { deferred } from '../support/deferred.js';
import { watch } from '../support/watch.js';
import { event, NotingSink, tell } from './support.js';

function isolated(sinks: readonly EventSink[], options: EventEmitterOptions = {}) {
  const clock = new FakeClock();
  const warnings: string[] = [];
  const warn = (message: string): void => void warnings.push(message);
  return {
    clock,
    warnings,
    emitter: new EventEmitter({ sinks, clock, sinkErrors: 'isolate', warn, ...options }),
  };
}

function upTo(most: number): number[] {
  return Array.from({ length: most }, (_, index) => index + 1);
}

afterEach(() => void jest.restoreAllMocks());

describe('an isolated sink', () => {
  it('is told in order, one at a time, however slow it is', async () => {
    const steps: string[] = [];
    const sink = new NotingSink(async (number) => {
      steps.push(`${number} begins`);
      await new Promise(setImmediate);
      steps.push(`${number} ends`);
    });
    const { emitter } = isolated([sink]);
    for (const number of [1, 2, 3]) expect(emitter.tell(event(number))).toBeUndefined();
    await emitter.flush();
    expect(steps).toEqual(['1 begins', '1 ends', '2 begins', '2 ends', '3 begins', '3 ends']);
  });

  it('is told at once while it keeps up', () => {
    const sink = new NotingSink();
    const { emitter } = isolated([sink]);
    tell(emitter, 1, 2, 3);
    expect(sink.numbers).toEqual([1, 2, 3]);
  });

  // D3
  it('holds up neither calls nor other sinks when it hangs, is bounded, and what it drops is counted', async () => {
    const hanging = new NotingSink(() => new Promise(() => undefined));
    const quick = new NotingSink();
    const { emitter, warnings } = isolated([hanging, quick], { queueSize: 10 });
    tell(emitter, ...upTo(1_000));
    expect(quick.numbers).toHaveLength(1_000);
    expect(hanging.numbers).toEqual([1]);
    expect(emitter.dropped).toBe(990);
    expect(warnings).toEqual([
      'event sink NotingSink is too slow: 1 event(s) dropped so far, as 10 were waiting',
    ]);
    expect(watch(emitter.flush()).state).toBe('pending');
  });

  it('takes events again when it has caught up, having missed what was dropped', async () => {
    const gate = deferred();
    const sink = new NotingSink((number) => (number === 1 ? gate.promise : undefined));
    const { emitter } = isolated([sink], { queueSize: 2 });
    tell(emitter, 1, 2, 3, 4);
    gate.resolve();
    await emitter.flush();
    tell(emitter, 5);
    expect(sink.numbers).toEqual([1, 2, 5]);
    expect(emitter.dropped).toBe(2);
  });

  it('holds a thousand events unless told otherwise', () => {
    const { emitter } = isolated([new NotingSink(() => new Promise(() => undefined))]);
    tell(emitter, ...upTo(1_001));
    expect(emitter.dropped).toBe(1);
  });

  it.each<[string, () => Promise<void>]>([
    [
      'throws',
      () => {
        throw new TypeError('secret');
      },
    ],
    ['rejects', () => Promise.reject(new TypeError('secret'))],
  ])(
    'that %s harms no call and no other sink, and is told the next event all the same',
    async (_how, fail) => {
      let told = 0;
      class BrokenSink implements EventSink {
        emit(): Promise<void> {
          told += 1;
          return fail();
        }
      }
      const sound = new InMemoryEventSink();
      const { emitter, warnings } = isolated([new BrokenSink(), sound]);
      const charge = resilient({ name: 'charge', events: emitter }, async () => 'charged');
      expect((await charge()).value).toBe('charged');
      await emitter.flush();
      expect([told, sound.events().length]).toEqual([4, 4]);
      expect(warnings).toEqual(['event sink BrokenSink failed with TypeError: 1 event(s) lost so far']);
    },
  );

  it('is complained of at most once a minute', async () => {
    const sink = new NotingSink(() => {
      throw new Error('broken');
    });
    const { clock, emitter, warnings } = isolated([sink]);
    for (let second = 0; second < 120; second += 1) {
      tell(emitter, 1);
      await clock.advance('1s');
    }
    expect(warnings).toEqual([
      'event sink NotingSink failed with Error: 1 event(s) lost so far',
      'event sink NotingSink failed with Error: 61 event(s) lost so far',
    ]);
  });

  it('is complained of as a process warning unless told otherwise', () => {
    const warning = jest.spyOn(process, 'emitWarning').mockReturnValue();
    const emitter = new EventEmitter({
      sinks: [
        {
          emit: () => {
            throw new Error();
          },
        },
      ],
      sinkErrors: 'isolate',
    });
    tell(emitter, 1);
    expect(warning.mock.calls).toEqual([
      ['event sink object failed with Error: 1 event(s) lost so far', { code: 'RELPRIM_EVENT_SINK' }],
    ]);
  });

  it('harms nobody even when complaining fails, or it has no class', async () => {
    const warn = (): never => {
      throw new Error('the log is broken, too');
    };
    const throws = Object.assign(Object.create(null) as EventSink, {
      emit: () => {
        throw new Error();
      },
    });
    const rejects = new NotingSink(() => Promise.reject(new Error()));
    const { emitter } = isolated([throws, rejects], { warn, queueSize: 2 });
    tell(emitter, 1, 2, 3);
    await emitter.flush();
    expect(rejects.numbers).toEqual([1, 2]);
    tell(emitter, 4);
    expect(rejects.numbers).toEqual([1, 2, 4]);
  });

  it('is waited for by real promises only, whatever it does when it is asked', async () => {
    const then = jest.fn();
    const sink = new NotingSink((number) => (number === 1 ? Promise.resolve() : ({ then } as never)));
    const { emitter } = isolated([sink]);
    tell(emitter, 1, 2, 3);
    await emitter.flush();
    expect(sink.numbers).toEqual([1, 2, 3]);
    expect(then).not.toHaveBeenCalled();
  });

  it('is told of each event in the async context of its own call, also out of the queue', async () => {
    const user = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    const { emitter } = isolated([
      {
        emit: async () => {
          seen.push(user.getStore());
          await new Promise(setImmediate);
        },
      },
    ]);
    for (const name of ['ann', 'bob', 'cem']) user.run(name, () => tell(emitter, 1));
    tell(emitter, 1);
    await emitter.flush();
    expect(seen).toEqual(['ann', 'bob', 'cem', undefined]);
  });

  it('holds no call that has ended, nor its async context, once it has caught up', async () => {
    const { emitter } = isolated([new NotingSink(() => new Promise(setImmediate))]);
    const refs = [1, 2, 3].map((number) => {
      const request = { number };
      new AsyncLocalStorage<object>().run(request, () => void emitter.tell(event(number)));
      return new WeakRef<object>(request);
    });
    await emitter.flush();
    expect(await heldOf(refs)).toBe(0);
  });

  it('is flushed of what was told so far, failures included', async () => {
    const gate = deferred();
    const sink = new NotingSink((number) => (number === 2 ? gate.promise : Promise.reject(new Error())));
    const { emitter } = isolated([sink]);
    tell(emitter, 1, 2, 3);
    const flushed = watch(emitter.flush());
    await new Promise(setImmediate);
    expect(flushed.state).toBe('pending');
    gate.resolve();
    await new Promise(setImmediate);
    expect(flushed.state).toBe('fulfilled');
    expect(sink.numbers).toEqual([1, 2, 3]);
  });

  it('makes no unhandled rejection and gives the event back at once, also by emit()', async () => {
    const { emitter } = isolated([new NotingSink(() => Promise.reject(new Error()))]);
    const told = await emitter.emit('attempt.started', {
      operationName: 'charge',
      payload: { attempt_number: 1, max_attempts: 3 },
    });
    expect(told.eventType).toBe('attempt.started');
    await emitter.flush();
  });
});
