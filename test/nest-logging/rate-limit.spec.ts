import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ConsoleLogger, Injectable, Logger } from '@nestjs/common';
import { EventEmitter, Resilient } from '../../lib/index.js';
import { RESILIENCE_EVENTS, ResilienceLogger } from '../../nest-module/index.js';
import { eventAt, LogBook, startLogged } from './support.js';

const GAVE_UP = { retry_count: 0, duration_seconds: 1, error_type: 'Down' };
const LINE = 'warn [Resilience] Client.call gave up after 1 attempt in 1 s: Down';

let book: LogBook;
beforeEach(() => Logger.overrideLogger((book = new LogBook())));
afterEach(() => Logger.overrideLogger(new ConsoleLogger()));

function failedAt(atMs: number, operationName?: string) {
  return eventAt(atMs, 'operation.failed', GAVE_UP, operationName);
}

function summary(count: string, until: string): string {
  return `warn [Resilience] Client.call gave up … and ${count} more within a minute, until 2026-01-01T${until}Z`;
}

describe('the lines about one fact', () => {
  it('are 10 a minute by default, and the first event after it brings the number of the others', () => {
    const logger = new ResilienceLogger();
    for (let index = 0; index < 1_244; index += 1) logger.emit(failedAt(index));
    expect(book.taken()).toEqual(Array<string>(10).fill(LINE));
    logger.emit(failedAt(59_999));
    expect(book.taken()).toEqual([]);
    logger.emit(failedAt(60_000));
    expect(book.taken()).toEqual([summary('1,235', '00:00:59.999'), LINE]);
  });

  it('have their number told by any event, also one that has no line', () => {
    const logger = new ResilienceLogger({ linesPerMinute: 1 });
    for (const atMs of [0, 1, 2]) logger.emit(failedAt(atMs));
    logger.emit(eventAt(59_999, 'operation.started'));
    expect(book.taken()).toEqual([LINE]);
    logger.emit(eventAt(60_000, 'operation.started'));
    logger.emit(eventAt(60_001, 'operation.started'));
    expect(book.taken()).toEqual([summary('2', '00:00:00.002')]);
  });

  it('are counted apart from other facts and other operations', () => {
    const logger = new ResilienceLogger({ linesPerMinute: 1 });
    for (const atMs of [0, 1]) {
      logger.emit(failedAt(atMs));
      logger.emit(failedAt(atMs, 'Other.call'));
      logger.emit(eventAt(atMs, 'operation.failed', { ...GAVE_UP, circuit_breaker_open: true }));
      logger.emit(eventAt(atMs, 'fallback.succeeded', { attempt_number: 2 }));
    }
    expect(book.taken()).toEqual([
      LINE,
      'warn [Resilience] Other.call gave up after 1 attempt in 1 s: Down',
      'warn [Resilience] Client.call was refused by an open circuit breaker',
      'warn [Resilience] Client.call used its fallback after 1 attempt',
    ]);
  });

  it('of a circuit breaker are counted for all operations together', () => {
    const logger = new ResilienceLogger({ linesPerMinute: 1 });
    const opened = { breaker_name: 'db', from_state: 'closed', to_state: 'open', failure_count: 1_000 };
    logger.emit(eventAt(0, 'circuit_breaker.opened', opened, 'A.call'));
    logger.emit(eventAt(1, 'circuit_breaker.opened', opened, 'B.call'));
    logger.flush();
    expect(book.taken()).toEqual([
      "error [Resilience] circuit breaker 'db' opened after 1,000 failures (A.call)",
      "error [Resilience] circuit breaker 'db' opened … and 1 more within a minute, until 2026-01-01T00:00:00.001Z",
    ]);
  });

  it('have their number told by flush, which lets no more of them through', () => {
    const logger = new ResilienceLogger({ linesPerMinute: 1 });
    logger.flush();
    for (const atMs of [0, 1, 2]) logger.emit(failedAt(atMs));
    logger.flush();
    logger.flush();
    logger.emit(failedAt(3));
    logger.flush();
    expect(book.taken()).toEqual([LINE, summary('2', '00:00:00.002'), summary('1', '00:00:00.003')]);
  });

  it('come again when the wall clock was set back, and stay counted when an event comes late by a little', () => {
    const logger = new ResilienceLogger({ linesPerMinute: 1 });
    for (const atMs of [0, 1, -59_999]) logger.emit(failedAt(atMs));
    expect(book.taken()).toEqual([LINE]);
    logger.emit(failedAt(-3_600_000));
    expect(book.taken()).toEqual([summary('2', '00:00:00.001'), LINE]);
  });
});

it('keeps count of 1,000 subjects a minute; further ones share', () => {
  const logger = new ResilienceLogger({ linesPerMinute: 2 });
  for (let index = 0; index < 1_100; index += 1) {
    for (let times = 0; times < 3; times += 1) logger.emit(failedAt(0, `Op${index}.call`));
  }
  const lines = book.taken();
  expect(lines).toHaveLength(2 * 1_000 + 2);
  expect(lines.at(-1)).toBe('warn [Resilience] Op1000.call gave up after 1 attempt in 1 s: Down');
  logger.emit(eventAt(60_000, 'operation.started'));
  const summaries = book.taken();
  expect(summaries).toHaveLength(1_001);
  expect(summaries.at(-1)).toBe(
    'warn [Resilience] other operations gave up … and 298 more within a minute, until 2026-01-01T00:00:00.000Z',
  );
  logger.emit(failedAt(60_001, 'Op1050.call'));
  expect(book.taken()).toEqual(['warn [Resilience] Op1050.call gave up after 1 attempt in 1 s: Down']);
});

describe('in an application', () => {
  @Injectable()
  class Client {
    @Resilient()
    async call(): Promise<void> {
      throw new RangeError('down');
    }
  }

  it('the minute is that of its clock, and no timer waits for its end', async () => {
    const { app, clock, book: ofApp } = await startLogged({ providers: [Client] });
    const fail = () => expect(app.get(Client).call()).rejects.toThrow('down');
    for (let index = 0; index < 12; index += 1) await fail();
    expect(ofApp.taken()).toHaveLength(10);
    expect(clock.pendingTimers).toBe(0);
    await clock.advance('60s');
    await fail();
    expect(ofApp.taken()).toEqual([
      summary('2', '00:00:00.000'),
      'warn [Resilience] Client.call gave up after 1 attempt in 0 s: RangeError',
    ]);
  });

  it('what was held back is told when it closes', async () => {
    const { app, book: ofApp } = await startLogged({ providers: [Client] });
    for (let index = 0; index < 15; index += 1) await expect(app.get(Client).call()).rejects.toThrow('down');
    expect(ofApp.taken()).toHaveLength(10);
    await app.close();
    expect(ofApp.taken().filter((line) => line.includes('[Resilience]'))).toEqual([
      summary('5', '00:00:00.000'),
    ]);
  });

  it('two of them are counted apart', async () => {
    const eventSinks = [ResilienceLogger];
    const first = await startLogged({ providers: [Client] }, { eventSinks });
    const second = await startLogged({ providers: [Client] }, { eventSinks });
    expect(second.app.get(ResilienceLogger)).not.toBe(first.app.get(ResilienceLogger));
    for (const { app } of [first, second]) {
      for (let index = 0; index < 6; index += 1) await expect(app.get(Client).call()).rejects.toThrow('down');
    }
    // Nest has one logger for the process, that of the application which set it last.
    expect([first.book.taken(), second.book.taken()].map(({ length }) => length)).toEqual([0, 12]);
  });

  it('a logger that throws harms no call', async () => {
    const { app } = await startLogged({ providers: [Client] });
    const full = (): never => {
      throw new Error('disk full');
    };
    app.useLogger({ log: full, warn: full, error: full });
    await expect(app.get(Client).call()).rejects.toThrow('down');
    await app.get<EventEmitter>(RESILIENCE_EVENTS).flush();
  });
});
