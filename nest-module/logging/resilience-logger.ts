import { Logger } from '@nestjs/common';
import { checkCount, checkOptions, located, refuse } from '../../lib/container.js';
import type { AnyEvent, EventSink } from '../../lib/index.js';
import { LineLimit } from './line-limit.js';
import { lineOf } from './line-of.js';
import type { Line, LineOptions } from './line.js';

/** Options of {@link ResilienceLogger}. */
export interface ResilienceLoggerOptions {
  /**
   * How many lines a minute may be written about one fact of one operation, circuit breaker, shield or
   * concurrency limit; what is held back is
   * counted in one line afterwards. Default 10, at least 1.
   */
  readonly linesPerMinute?: number | undefined;
  /**
   * Whether lines show what validators said, on one line and cut at 200 letters. It may repeat what an upstream
   * answered, so by default they show the types of errors only. Messages of other errors are not in events at all.
   */
  readonly messages?: boolean | undefined;
  /** Whether failed attempts and the waits between them are written too, at debug level. Default: no. */
  readonly attempts?: boolean | undefined;
}

/**
 * Writes one line to Nest's own logger, with the context `Resilience`, when a circuit breaker opens (error), half-opens
 * or closes (log) or an operator moves it (warn), when a shield begins to limit the rate or has no retry left (warn) or
 * ends to limit it (log), when a concurrency limit refuses, and when an operation gives up, is refused or uses its
 * fallback (warn).
 *
 * @example
 * ResilienceModule.forRoot({ eventSinks: [ResilienceLogger] });
 * ResilienceModule.forRoot({ eventSinks: [new ResilienceLogger({ linesPerMinute: 3 })] });
 */
// Without @Injectable, so that Nest does not look for a provider for the options.
export class ResilienceLogger implements EventSink {
  private readonly logger = new Logger('Resilience');
  private readonly options: LineOptions;
  private readonly limit: LineLimit;

  /** @throws {ConfigurationError} for options that cannot work. */
  constructor(options: ResilienceLoggerOptions = {}) {
    const { linesPerMinute, ...lines } = located('ResilienceLogger', () => checked(options));
    this.options = lines;
    this.limit = new LineLimit(linesPerMinute);
  }

  emit(event: AnyEvent): void {
    const line = lineOf(event, this.options);
    if (line === undefined && !this.limit.holdsBack) return;
    const atMs = event.timestamp.getTime();
    this.write(this.limit.endedBy(atMs));
    if (line !== undefined && this.limit.admits(line, atMs)) this.write([line]);
  }

  /** Writes how many lines were held back so far. */
  flush(): void {
    this.write(this.limit.heldBack());
  }

  private write(lines: readonly Line[]): void {
    for (const { level, subject, fact, details } of lines) this.logger[level](`${subject} ${fact}${details}`);
  }
}

function checked(options: ResilienceLoggerOptions): Required<LineOptions & { linesPerMinute: number }> {
  checkOptions('options', options, ['linesPerMinute', 'messages', 'attempts']);
  const { linesPerMinute = 10, messages = false, attempts = false } = options;
  checkCount('linesPerMinute', linesPerMinute, 1);
  for (const [name, value] of Object.entries({ messages, attempts }))
    if (typeof value !== 'boolean') refuse(name, value, 'give true or false');
  return { linesPerMinute, messages, attempts };
}
