import type { AnyEvent } from '../../lib/index.js';
import { breakerLine, sharingLine } from './breaker-lines.js';
import { budgetLine, limiterLine, refusedLine } from './guard-lines.js';
import { notKeptLine, storeLine } from './idempotency-lines.js';
import type { Line, LineOptions } from './line.js';
import { attemptLine, failedLine, fallbackLine, waitLine } from './operation-lines.js';

/** What an event has to say to a person on call; `undefined` for most events, whose payload is then not even made. */
export function lineOf(event: AnyEvent, options: LineOptions): Line | undefined {
  switch (event.eventType) {
    case 'circuit_breaker.opened':
    case 'circuit_breaker.half_opened':
    case 'circuit_breaker.closed':
      return breakerLine(event);
    case 'circuit_breaker.sharing_changed':
      return sharingLine(event);
    case 'shield.engaged':
    case 'shield.disengaged':
      return limiterLine(event);
    case 'shield.budget_exhausted':
      return budgetLine(event);
    case 'concurrency_limit.rejected':
      return refusedLine(event);
    case 'operation.failed':
      return failedLine(event, options);
    case 'fallback.succeeded':
      return fallbackLine(event);
    case 'idempotency.store_failed':
      return storeLine(event);
    case 'idempotency.not_kept':
      return notKeptLine(event);
    case 'attempt.failed':
      return options.attempts ? attemptLine(event, options) : undefined;
    case 'retry.scheduled':
      return options.attempts ? waitLine(event) : undefined;
    default:
      return undefined;
  }
}
