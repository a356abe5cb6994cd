import { checkName } from '../errors/check.js';
import { INSPECT } from '../errors/printing.js';
import { checkMoment } from '../report/execution-attempt.js';
import { frozenCopy } from '../report/metadata.js';
import type { EventPayloads, EventType } from './event-types.js';

/** The data of a {@link StructuredEvent}. A payload or call id given as a function is made when first read. */
export interface StructuredEventFields<T extends EventType> {
  readonly eventType: T;
  readonly operationName: string;
  readonly timestamp: Date;
  readonly payload: EventPayloads[T] | (() => EventPayloads[T]);
  readonly callId?: string | (() => string);
}

/** One thing that happened to one call. Immutable; `toJSON()` has the wire names. */
export class StructuredEvent<T extends EventType = EventType> {
  readonly eventType: T;
  readonly operationName: string;
  readonly #timestampMs: number;
  #payload: Readonly<EventPayloads[T]> | undefined;
  readonly #makePayload: () => EventPayloads[T];
  #callId: string | (() => string);

  /** @throws {ConfigurationError} for a blank operation name or an invalid date. */
  constructor(fields: StructuredEventFields<T>) {
    this.eventType = fields.eventType;
    this.operationName = checkName('operationName', fields.operationName);
    this.#timestampMs = checkMoment('timestamp', fields.timestamp);
    const { payload } = fields;
    this.#makePayload = typeof payload === 'function' ? payload : () => payload;
    // A payload that is there already may be changed by its maker later, so it is copied now.
    this.#payload = typeof payload === 'function' ? undefined : frozenCopy(payload);
    this.#callId = fields.callId ?? '';
    Object.freeze(this);
  }

  /** When it happened, on the wall clock. */
  get timestamp(): Date {
    return new Date(this.#timestampMs);
  }

  get payload(): Readonly<EventPayloads[T]> {
    return (this.#payload ??= Object.freeze(this.#makePayload()));
  }

  /** Names the call; the same as its report's. Empty for an event built by hand without one. */
  get callId(): string {
    if (typeof this.#callId === 'function') this.#callId = this.#callId();
    return this.#callId;
  }

  /** @internal */
  [INSPECT](): object {
    return this.toJSON();
  }

  toJSON() {
    return {
      event_type: this.eventType,
      operation_name: this.operationName,
      timestamp: this.timestamp.toISOString(),
      payload: this.payload,
      call_id: this.callId,
    };
  }
}

/** Any event, told apart by its `eventType`: `if (event.eventType === 'attempt.failed') event.payload.error_type`. */
export type AnyEvent = { [T in EventType]: StructuredEvent<T> }[EventType];
