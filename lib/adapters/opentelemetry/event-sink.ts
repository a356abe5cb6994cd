import { trace, type Attributes, type Span } from '@opentelemetry/api';
import { checkFlag, checkFunction, checkOptions } from '../../errors/check.js';
import type { EventSink } from '../../events/event-sink.js';
import type { AnyEvent } from '../../events/structured-event.js';
import { OPERATION_NAME } from './attributes.js';

/** Options of {@link OpenTelemetryEventSink}. */
export interface OpenTelemetryEventSinkOptions {
  /** Finds the span that an event belongs to. Default: the active one. */
  readonly getSpan?: (() => Span | undefined) | undefined;
  /** Whether what validators and operators said is told, too. Default false: it may repeat what an upstream answered. */
  readonly messages?: boolean | undefined;
}

/** Payload keys whose values are texts for people. */
const MESSAGES = new Set(['validation_reason']);
/** Types of events in whose payload `reason` is such a text, and not one of a few words. */
const SAYING = new Set([
  'validation.failed',
  'circuit_breaker.opened',
  'circuit_breaker.half_opened',
  'circuit_breaker.closed',
]);

/**
 * Adds events to the span that is active where they happen: `relprim.<event type>`, with the time of the event and its
 * payload. Where no span records, it does nothing. It makes no spans of its own and configures nothing.
 */
export class OpenTelemetryEventSink implements EventSink {
  private readonly getSpan: () => Span | undefined;
  private readonly messages: boolean;

  /** @throws {ConfigurationError} for options that are none. */
  constructor(options: OpenTelemetryEventSinkOptions = {}) {
    checkOptions('OpenTelemetryEventSink', options, ['getSpan', 'messages']);
    const { getSpan = () => trace.getActiveSpan() } = options;
    this.getSpan = checkFunction('getSpan', getSpan);
    this.messages = checkFlag('messages', options.messages);
  }

  emit(event: AnyEvent): void {
    const span = this.getSpan();
    if (span?.isRecording() !== true) return;
    span.addEvent(`relprim.${event.eventType}`, this.attributesOf(event), event.timestamp);
  }

  private attributesOf({ eventType, operationName, payload }: AnyEvent): Attributes {
    const attributes: Attributes = { 'relprim.event.type': eventType, [OPERATION_NAME]: operationName };
    for (const [key, value] of Object.entries(payload)) {
      if (value === null || value === undefined) continue;
      const isMessage = MESSAGES.has(key) || (key === 'reason' && SAYING.has(eventType));
      if (this.messages || !isMessage) attributes[`relprim.payload.${key}`] = value;
    }
    return attributes;
  }
}
