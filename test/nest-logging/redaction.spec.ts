import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ConsoleLogger, Logger } from '@nestjs/common';
import fc from 'fast-check';
import {
  asyncOperation,
  CircuitBreaker,
  EventEmitter,
  fallbackChain,
  RetryPolicy,
  validationPolicy,
  validator,
  type AnyEvent,
} from '../../lib/index.js';
import { ResilienceLogger } from '../../nest-module/index.js';
import { mistakeOf } from '../support/mistake-of.js';
import { eventAt, LogBook } from './support.js';

let book: LogBook;
beforeEach(() => Logger.overrideLogger((book = new LogBook())));
afterEach(() => Logger.overrideLogger(new ConsoleLogger()));

/** Long enough that no line holds it by chance. */
const secrets = fc.string({ minLength: 6, maxLength: 40, unit: 'grapheme' }).map((text) => `s3cret ${text}`);

/** An operation in which everything that the application says about a failure is the secret. */
function tellingOperation(secret: string, logger: ResilienceLogger) {
  const fail = async (..._args: unknown[]): Promise<string> => {
    throw Object.assign(new Error(secret, { cause: new Error(secret) }), { code: secret, details: secret });
  };
  return asyncOperation('Client.call', fail)
    .withRetry(new RetryPolicy({ maxAttempts: 2, backoff: { delayForRetry: () => 0 } }))
    .withCircuitBreaker(new CircuitBreaker({ name: 'b', failureThreshold: 2 }))
    .withValidation(validationPolicy(validator('checked', () => false, { message: secret })))
    .withFallbacks(fallbackChain(['bad value', async () => secret], ['down', fail]))
    .withEvents(new EventEmitter({ sinks: [logger] }));
}

describe('a line', () => {
  it('never shows arguments, values, keys, messages or causes of errors', async () => {
    await fc.assert(
      fc.asyncProperty(secrets, async (secret) => {
        const operation = tellingOperation(secret, new ResilienceLogger({ attempts: true }));
        await operation.run(secret, { secret }).catch(() => undefined);
        const text = book.taken().join('\n');
        expect(text).toContain('Client.call gave up after 2 attempts and its fallback');
        expect(text).not.toContain('s3cret');
      }),
    );
  });

  it('is one line without control characters, and bounded, whatever names and messages hold', () => {
    const nasty = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 2_000 }),
      fc.constantFrom('a\nb', 'a\r\nb', 'a\u2028b', '\u001b[2Jb', 'a\u202eb', '\ud83d', '\ud83d'.repeat(300)),
    );
    const logger = new ResilienceLogger({ messages: true, attempts: true, linesPerMinute: 1_000_000 });
    fc.assert(
      fc.property(nasty, (text) => {
        eventsAbout(text).forEach((event) => logger.emit(event));
        const lines = book.taken();
        expect(lines).toHaveLength(7);
        for (const line of lines) {
          expect(line).toMatch(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+$/u);
          // Three texts of 200 letters, of which each may be escaped.
          expect(line.length).toBeLessThan(3 * 200 * '\\u{10ffff}'.length + 200);
        }
      }),
    );
  });

  it('shows what it could not print by its number, and says where it cut', () => {
    const logger = new ResilienceLogger({ messages: true });
    const payload = { retry_count: 0, duration_seconds: 0.25, error_type: 'A\nB' };
    logger.emit(eventAt(0, 'operation.failed', { ...payload, validation_reason: 'x'.repeat(201) }));
    logger.emit(eventAt(0, 'operation.failed', { ...payload, validation_reason: 'x'.repeat(200) }));
    expect(book.taken()).toEqual([
      `warn [Resilience] Client.call gave up after 1 attempt in 0.25 s: A\\u{a}B (${'x'.repeat(200)}…)`,
      `warn [Resilience] Client.call gave up after 1 attempt in 0.25 s: A\\u{a}B (${'x'.repeat(200)})`,
    ]);
  });
});

/** One event for every line there is, with a text in each place that takes one. */
function eventsAbout(text: string): AnyEvent[] {
  const name = `n${text}`;
  const failure = { error_type: text, validation_reason: text, duration_seconds: 1, attempt_number: 1 };
  const moved = { breaker_name: name, from_state: 'closed', to_state: 'open', failure_count: 1 };
  return [
    eventAt(0, 'circuit_breaker.opened', moved, name),
    eventAt(0, 'circuit_breaker.opened', { ...moved, forced: true, reason: text }, name),
    eventAt(0, 'circuit_breaker.closed', moved, name),
    eventAt(0, 'operation.failed', { ...failure, retry_count: 0 }, name),
    eventAt(0, 'fallback.succeeded', { attempt_number: 2, fallback_candidate_name: text }, name),
    eventAt(0, 'attempt.failed', failure, name),
    eventAt(0, 'retry.scheduled', { delay_seconds: 1, next_attempt_number: 2 }, name),
  ];
}

it.each([
  [[], 'options is an empty list; give an object of options'],
  [{ linesPerMinutes: 3 }, 'linesPerMinutes is not an option here; did you mean linesPerMinute?'],
  [{ linesPerMinute: 0 }, 'linesPerMinute is the number 0; give a whole number, 1 or more'],
  [{ linesPerMinute: 2.5 }, 'linesPerMinute is the number 2.5; give a whole number, 1 or more'],
  [{ linesPerMinute: Number.NaN }, 'linesPerMinute is NaN; give a whole number, 1 or more'],
  [{ messages: 'yes' }, 'messages is a string; give true or false'],
  [{ attempts: 1 }, 'attempts is the number 1; give true or false'],
])('refuses %j as options', (options, text) => {
  expect(mistakeOf(() => new ResilienceLogger(options as object)).message).toContain(
    `ResilienceLogger: ${text}`,
  );
});
