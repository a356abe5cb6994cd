import type { INestApplicationContext, LoggerService, ModuleMetadata } from '@nestjs/common';
import { StructuredEvent, type AnyEvent, type EventPayloads, type EventType } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { RESILIENCE_CLOCK, ResilienceLogger, type ResilienceModuleOptions } from '../../nest-module/index.js';
import { start } from '../nest/support.js';

/** A logger of an application that keeps what it is given: `warn [Context] text`. */
export class LogBook implements LoggerService {
  readonly lines: string[] = [];
  readonly log = this.writer('log');
  readonly error = this.writer('error');
  readonly warn = this.writer('warn');
  readonly debug = this.writer('debug');
  readonly verbose = this.writer('verbose');

  /** The lines since the last time this was asked. */
  taken(): string[] {
    return this.lines.splice(0);
  }

  private writer(level: string) {
    return (message: unknown, ...more: unknown[]): void => {
      this.lines.push(`${level} [${String(more.at(-1))}] ${String(message)}`);
    };
  }
}

export interface LoggedApp {
  readonly app: INestApplicationContext;
  readonly clock: FakeClock;
  readonly book: LogBook;
}

/** An initialised application that logs into a book, under a fake clock. */
export async function startLogged(
  metadata: ModuleMetadata,
  options: ResilienceModuleOptions = {},
): Promise<LoggedApp> {
  const [clock, book] = [new FakeClock(), new LogBook()];
  const app = await start(metadata, { eventSinks: [ResilienceLogger], ...options }, (builder) =>
    builder.overrideProvider(RESILIENCE_CLOCK).useValue(clock),
  );
  app.useLogger(book);
  return { app, clock, book };
}

/** An event as the engine makes it, so many milliseconds after the clock's start. */
export function eventAt<T extends EventType>(
  atMs: number,
  eventType: T,
  payload: Partial<EventPayloads[T]> = {},
  operationName = 'Client.call',
): AnyEvent {
  const timestamp = new Date(new FakeClock().wallMs() + atMs);
  const fields = { eventType, operationName, timestamp, payload: payload as EventPayloads[T] };
  return new StructuredEvent(fields) as unknown as AnyEvent;
}
