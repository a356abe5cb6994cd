import { checkCount, checkFunction, checkOptions, checkTimeOptions, refuse } from '../errors/check.js';
import { systemClock, type Clock } from '../time/clock.js';
import type { CallProbe } from './call-probe.js';
import { NoopEventSink, type EventSink } from './event-sink.js';
import type { EventPayloads, EventType } from './event-types.js';
import { IsolatedSink } from './isolated-sink.js';
import { StructuredEvent, type AnyEvent } from './structured-event.js';
import { tellSink } from './telling.js';

/** Options of {@link EventEmitter}. */
export interface EventEmitterOptions {
  /** Who is told, in this order. Default: one {@link NoopEventSink}. An empty list is an error. */
  readonly sinks?: readonly EventSink[] | undefined;
  /** Where the timestamps of `emit()` come from. Default: the machine's clock. */
  readonly clock?: Clock | undefined;
  /**
   * What a failing or slow sink may do to a call. `'propagate'` (default): sinks are awaited in order and an error of
   * one reaches the caller unchanged. `'isolate'`: neither errors nor time of a sink reach a call.
   */
  readonly sinkErrors?: 'propagate' | 'isolate' | undefined;
  /** With `'isolate'`: how many events may wait for one sink; further ones are dropped and counted. Default 1,000. */
  readonly queueSize?: number | undefined;
  /** With `'isolate'`: where a broken sink is reported, at most once a minute. Default: a process warning. */
  readonly warn?: ((message: string) => void) | undefined;
}

/** Tells sinks what happens to the calls of the operations that it was given to. */
export class EventEmitter {
  /** @internal What sees the calls themselves, in the order in which it was given. */
  readonly probes: readonly CallProbe[];
  private readonly sinks: readonly EventSink[];
  private readonly clock: Clock;
  private readonly isolated: readonly IsolatedSink[] | undefined;

  /** @throws {ConfigurationError} for an empty list of sinks or something that is no sink. */
  constructor(options: EventEmitterOptions = {}) {
    checkOptions('events', options, ['sinks', 'clock', 'sinkErrors', 'queueSize', 'warn']);
    checkTimeOptions(options);
    const {
      sinks = [new NoopEventSink()],
      clock = systemClock,
      sinkErrors = 'propagate',
      queueSize = 1_000,
    } = options;
    const checked = checkSinks(sinks);
    this.sinks = checked.filter(({ probe }) => probe === undefined);
    this.probes = checked.flatMap(({ probe }) => probe ?? []);
    this.clock = clock;
    checkCount('queueSize', queueSize, 1);
    const warn = options.warn === undefined ? warnProcess : checkFunction('warn', options.warn);
    if (sinkErrors === 'isolate') {
      this.isolated = this.sinks.map((sink) => new IsolatedSink(sink, { clock, queueSize, warn }));
    } else if (sinkErrors !== 'propagate') refuse('sinkErrors', sinkErrors, "give 'propagate' or 'isolate'");
  }

  /** @internal Nobody is told events. */
  get isSilent(): boolean {
    return this.sinks.length === 0;
  }

  /** With `sinkErrors: 'isolate'`: how many events no sink was told because its queue was full. */
  get dropped(): number {
    return this.isolated?.reduce((sum, sink) => sum + sink.dropped, 0) ?? 0;
  }

  /** Builds one event, tells every sink in order, and gives the event back. */
  async emit<T extends EventType>(
    eventType: T,
    { operationName, payload, callId }: { operationName: string; payload: EventPayloads[T]; callId?: string },
  ): Promise<StructuredEvent<T>> {
    const timestamp = new Date(this.clock.wallMs());
    const event = new StructuredEvent({
      eventType,
      operationName,
      timestamp,
      payload,
      ...(callId !== undefined && { callId }),
    });
    await this.tell(event as unknown as AnyEvent);
    return event;
  }

  /**
   * Hands an event to the sinks; a promise only where one of them gave one that calls must wait for.
   * @internal
   */
  tell(event: AnyEvent): Promise<void> | undefined {
    if (this.isolated === undefined) return this.tellFrom(0, event);
    for (const sink of this.isolated) sink.tell(event);
    return undefined;
  }

  /**
   * Resolves when the sinks have taken, or failed on, everything told so far, and have flushed what they keep. With
   * `'propagate'`, rejects with the first error of a sink, once all of them have tried.
   */
  async flush(): Promise<void> {
    if (this.isolated !== undefined) await Promise.all(this.isolated.map((sink) => sink.flush()));
    else await flushAll(this.sinks);
  }

  private tellFrom(start: number, event: AnyEvent): Promise<void> | undefined {
    for (let index = start; index < this.sinks.length; index += 1) {
      const told = tellSink(this.sinks[index] as EventSink, event);
      if (told instanceof Promise) return told.then(() => this.tellFrom(index + 1, event));
    }
    return undefined;
  }
}

function checkSinks(sinks: unknown): readonly EventSink[] {
  if (!Array.isArray(sinks) || sinks.length === 0)
    refuse('sinks', sinks, 'give a list with at least one event sink');
  const list = sinks as readonly EventSink[];
  for (const [index, sink] of list.entries()) {
    if (typeof sink?.emit !== 'function')
      refuse(`sinks[${index}]`, sink, 'give an object with an emit(event) method');
  }
  return [...list];
}

/** All of them, also after one that fails. */
async function flushAll(sinks: readonly EventSink[]): Promise<void> {
  const flushed = await Promise.allSettled(sinks.map(async (sink) => sink.flush?.()));
  const broken = flushed.find((outcome) => outcome.status === 'rejected');
  if (broken !== undefined) throw broken.reason;
}

function warnProcess(message: string): void {
  process.emitWarning(message, { code: 'RELPRIM_EVENT_SINK' });
}
