import { EventEmitter, resilient, type AnyEvent, type EventSink } from '../../../lib/index.js';
import { endingOf, later, noDelay, type Shape, type World } from './shape.js';

class Counter implements EventSink {
  told = 0;

  emit(event: AnyEvent): void {
    if (event.payload !== undefined) this.told += 1;
  }
}

class SlowCounter implements EventSink {
  private readonly counter = new Counter();

  emit(event: AnyEvent): Promise<void> {
    this.counter.emit(event);
    return later();
  }
}

class Broken implements EventSink {
  emit(): Promise<void> {
    return Promise.reject(new Error('broken'));
  }
}

/** Half of the calls fail once. */
function told({ signal, clock }: World, events: EventEmitter) {
  const options = {
    name: 'told',
    retries: 1,
    backoff: noDelay,
    timeout: '1h',
    events,
    signal,
    clock,
  } as const;
  const run = resilient(options, async (call: { readonly fails: boolean; asked: number }) => {
    call.asked += 1;
    if (call.fails && call.asked === 1) throw new Error('down');
    return call.asked;
  });
  return (call: number) => endingOf(run({ fails: call % 2 === 0, asked: 0 }));
}

const halfOfThem = { 'succeeded 1': 0.5, 'succeeded 2': 0.5 };

export const toldCalls: readonly Shape[] = [
  {
    name: 'calls whose sinks are told and awaited',
    endings: halfOfThem,
    timersLeft: 1,
    begin: (world) => told(world, new EventEmitter({ sinks: [new Counter(), new SlowCounter()] })),
  },
  {
    name: 'calls whose sinks are told apart, one too slow and one broken',
    endings: halfOfThem,
    timersLeft: 1,
    begin: (world) => {
      const { clock } = world;
      const sinks = [new Counter(), new SlowCounter(), new Broken()];
      const warn = (): void => undefined;
      return told(world, new EventEmitter({ sinks, sinkErrors: 'isolate', queueSize: 5, clock, warn }));
    },
  },
];
