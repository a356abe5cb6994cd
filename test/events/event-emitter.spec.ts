import { describe, expect, it, jest } from '@jest/globals';
import { EventEmitter, InMemoryEventSink, NoopEventSink, resilient, type AnyEvent } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { deferred } from '../support/deferred.js';
import { mistakeOf } from '../support/mistake-of.js';
import { watch } from '../support/watch.js';
import { event, NotingSink, tell } from './support.js';

const started = { operationName: 'charge', payload: { attempt_number: 1, max_attempts: 3 } };

describe('an event emitter', () => {
  it('builds the event with the injected clock, and returns it [R251]', async () => {
    const clock = new FakeClock();
    const sink = new InMemoryEventSink();
    const emitter = new EventEmitter({ sinks: [sink], clock });
    await clock.advance('1500ms');
    const told = await emitter.emit('attempt.started', { ...started, callId: 'c-1' });
    expect(told.toJSON()).toEqual({
      event_type: 'attempt.started',
      operation_name: 'charge',
      timestamp: '2026-01-01T00:00:01.500Z',
      payload: { attempt_number: 1, max_attempts: 3 },
      call_id: 'c-1',
    });
    expect(sink.events()[0]).toBe(told);
  });

  it('tells several sinks the same event in order, each when the one before has taken it [R252]', async () => {
    const order: string[] = [];
    const slow = deferred();
    const seen: AnyEvent[] = [];
    const emitter = new EventEmitter({
      sinks: [
        {
          emit: (told) => (
            order.push('first begins'),
            seen.push(told),
            slow.promise.then(() => void order.push('first ends'))
          ),
        },
        { emit: (told) => void (order.push('second'), seen.push(told)) },
      ],
    });
    const call = watch(emitter.emit('attempt.started', started));
    await Promise.resolve();
    expect([order, call.state]).toEqual([['first begins'], 'pending']);
    slow.resolve();
    await new Promise(setImmediate);
    expect(order).toEqual(['first begins', 'first ends', 'second']);
    expect(seen[0]).toBe(seen[1]);
    expect(call.outcome).toBe(seen[0]);
  });

  it('has the no-op sink unless told otherwise [R253]', async () => {
    const emit = jest.spyOn(NoopEventSink.prototype, 'emit');
    const told = await new EventEmitter().emit('attempt.started', started);
    expect(emit.mock.calls).toEqual([[told]]);
    emit.mockRestore();
  });

  it.each([[[]], [null], ['sink'], [new InMemoryEventSink()]])(
    'refuses %p as a list of sinks [R254]',
    (sinks) => {
      expect(mistakeOf(() => new EventEmitter({ sinks: sinks as never }))).toMatchObject({
        option: 'sinks',
        cure: 'give a list with at least one event sink',
      });
    },
  );

  it.each([undefined, null, {}, 'sink', () => undefined, InMemoryEventSink])(
    'refuses %p as a sink',
    (sink) => {
      expect(mistakeOf(() => new EventEmitter({ sinks: [new NoopEventSink(), sink as never] })).option).toBe(
        'sinks[1]',
      );
    },
  );

  it.each([
    ['sinkErrors', 'ignore'],
    ['sinkErrors', true],
    ['queueSize', 0],
    ['queueSize', 1.5],
    ['queueSize', Infinity],
    ['warn', 'stderr'],
    ['clock', Date],
    ['sink', new NoopEventSink()],
  ])('refuses a %s of %p', (option, value) => {
    expect(mistakeOf(() => new EventEmitter({ [option]: value })).option).toBe(option);
  });

  it('is not changed by what happens to its list of sinks later', async () => {
    const [first, second] = [new NotingSink(), new NotingSink()];
    const sinks = [first];
    const emitter = new EventEmitter({ sinks });
    sinks[0] = second;
    await emitter.emit('attempt.started', started);
    expect([first.numbers, second.numbers]).toEqual([[1], []]);
  });
});

describe('an emitter that tells the caller of errors', () => {
  it.each<[string, (error: unknown) => Promise<void>]>([
    [
      'throws',
      (error) => {
        throw error;
      },
    ],
    ['rejects', (error) => Promise.reject(error)],
  ])('rejects with the very error of a sink that %s, and tells no later sink', async (_how, fail) => {
    const error = Object.freeze(new Error('of the sink'));
    const [before, after] = [new NotingSink(), new NotingSink()];
    const emitter = new EventEmitter({ sinks: [before, new NotingSink(() => fail(error)), after] });
    await expect(emitter.emit('attempt.started', started)).rejects.toBe(error);
    expect([before.numbers, after.numbers]).toEqual([[1], []]);
  });

  it('waits for real promises only', async () => {
    const then = jest.fn();
    const after = new NotingSink();
    const emitter = new EventEmitter({ sinks: [new NotingSink(() => ({ then }) as never), after] });
    await emitter.emit('attempt.started', started);
    expect(after.numbers).toEqual([1]);
    expect(then).not.toHaveBeenCalled();
  });

  it('gives no promise where no sink gave one, so that calls need not wait', () => {
    const emitter = new EventEmitter({ sinks: [new NotingSink(), new InMemoryEventSink()] });
    expect(emitter.tell(event())).toBeUndefined();
    expect(new EventEmitter({ sinks: [new NotingSink(async () => undefined)] }).tell(event())).toBeInstanceOf(
      Promise,
    );
  });

  it('counts nothing as dropped and has nothing to flush', async () => {
    const emitter = new EventEmitter({ sinks: [new NotingSink()] });
    tell(emitter, 1);
    await emitter.flush();
    expect(emitter.dropped).toBe(0);
  });

  it('does not make events of an operation that a sink starts', async () => {
    const seen = new InMemoryEventSink();
    const store = resilient({ name: 'store', events: new EventEmitter({ sinks: [seen] }) }, async () => 1);
    const resilientSink = { emit: () => store().then(() => undefined) };
    const charge = resilient(
      { name: 'charge', events: new EventEmitter({ sinks: [resilientSink, seen] }) },
      async () => 1,
    );
    await charge();
    expect(seen.sequence()).toEqual([
      'operation.started',
      'attempt.started',
      'attempt.succeeded',
      'operation.succeeded',
    ]);
    expect(seen.sequence('store')).toEqual([]);
  });
});
