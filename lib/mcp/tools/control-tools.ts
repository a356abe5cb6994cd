import * as z from 'zod/v4';
import type { BreakerBook } from '../breakers/breaker-book.js';
import { breakerStats, tellBreaker } from '../breakers/breaker-stats.js';
import { knownBreaker } from '../breakers/definition.js';
import { ArgumentError } from './argument-error.js';
import { defineTool, type Tool } from './tool.js';

const CONTROLS = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: false,
} as const;

const reason = z.string().trim().min(1).max(200).describe('Why, for whoever reads the report');

export function resetBreaker(book: BreakerBook): Tool {
  return defineTool({
    name: 'reset_breaker',
    title: 'Reset a circuit breaker',
    description: 'Closes a breaker, forgets what happened, and lets it decide by itself again.',
    annotations: CONTROLS,
    input: z.strictObject({ name: knownBreaker, reason: reason.optional() }),
    output: breakerStats,
    run: ({ name, reason: why }) => {
      book.get(name).reset(why);
      const stats = book.stats(name);
      return { structured: stats, texts: [tellBreaker(stats)] };
    },
  });
}

export function forceBreaker(book: BreakerBook): Tool {
  return defineTool({
    name: 'force_breaker',
    title: 'Hold a circuit breaker open or closed',
    description:
      'Holds a breaker open, so that nothing is called, or closed, so that everything is, until reset_breaker.',
    annotations: CONTROLS,
    input: z.strictObject({
      name: knownBreaker,
      state: z.enum(['open', 'closed']),
      reason: reason.optional(),
    }),
    output: breakerStats,
    run: ({ name, state, reason: why }) => {
      const breaker = book.get(name);
      if (state === 'closed') breaker.forceClosed(why);
      else if (why === undefined) throw new ArgumentError('reason: say why the breaker is held open');
      else breaker.forceOpen(why);
      const stats = book.stats(name);
      return { structured: stats, texts: [tellBreaker(stats)] };
    },
  });
}
