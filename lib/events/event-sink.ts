import type { CallProbe } from './call-probe.js';
import type { AnyEvent } from './structured-event.js';

/** Something that wants to know what happens. A promise it returns is awaited by the emitter, by its rule. */
export interface EventSink {
  emit(event: AnyEvent): void | Promise<void>;
  /**
   * Called when the application stops, for what is still on its way: before connections are closed, and again after the
   * last event.
   */
  flush?(): void | Promise<void>;
  /**
   * Sees calls from inside; a sink that has one is told no events.
   * @internal
   */
  readonly probe?: CallProbe | undefined;
}

/** A sink that drops everything. */
export class NoopEventSink implements EventSink {
  emit(_event: AnyEvent): void {}
}

/** A sink that keeps every event in memory, for tests and short looks. It has no bound of its own: `clear()` it. */
export class InMemoryEventSink implements EventSink {
  private kept: AnyEvent[] = [];

  emit(event: AnyEvent): void {
    this.kept.push(event);
  }

  /** The events so far, in order; later ones do not change it. */
  events(): readonly AnyEvent[] {
    return Object.freeze([...this.kept]);
  }

  /** The types of the events so far, or of those of one operation. */
  sequence(operationName?: string): readonly AnyEvent['eventType'][] {
    const wanted = this.kept.filter(
      (event) => operationName === undefined || event.operationName === operationName,
    );
    return wanted.map((event) => event.eventType);
  }

  clear(): void {
    this.kept = [];
  }
}
