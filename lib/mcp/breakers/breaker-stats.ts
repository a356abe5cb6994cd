import * as z from 'zod/v4';
import type { CircuitBreaker } from '../../policies/circuit-breaker/circuit-breaker.js';
import type { BreakerTally } from './breaker-tally.js';

const count = z.int();

/** A breaker at one moment, for the results of tools and for its resource. */
export const breakerStats = z.object({
  name: z.string(),
  state: z.enum(['closed', 'open', 'half_open']),
  probeDue: z.boolean().describe('Open for long enough: the next call will be a probe'),
  retryAfterSeconds: z
    .number()
    .nullable()
    .describe(
      'Until a call may pass; 0 when one may now, null when a probe in flight or an operator decides',
    ),
  failureCount: count.describe('Failures in the window'),
  calls: count.nullable().describe('Calls in the window'),
  failureRate: z.number().nullable(),
  probesInFlight: count,
  openedAt: z.string().nullable(),
  openedBy: z.string().nullable(),
  cooldownSeconds: z.number(),
  forced: z.enum(['open', 'closed']).nullable().describe('Where an operator holds it'),
  forcedReason: z.string().nullable(),
  budget: z.object({ spent: z.number(), limit: z.number(), perSeconds: z.number() }).nullable(),
  totals: z
    .object({
      succeeded: count,
      failed: count,
      rejected: count,
      fallbacks: count,
      cancelled: count,
      opened: count,
    })
    .describe(
      'Calls of reliable_http_call through it, and how often it has opened, since the server started',
    ),
  lastError: z.object({ type: z.string(), message: z.string(), at: z.string() }).nullable(),
});

export type BreakerStats = z.output<typeof breakerStats>;

export function statsOf(breaker: CircuitBreaker, name: string, tally: BreakerTally): BreakerStats {
  const now = breaker.snapshot();
  return {
    name,
    state: now.state,
    probeDue: now.probeDue,
    retryAfterSeconds: now.retryAfterSeconds,
    failureCount: now.failureCount,
    calls: now.calls,
    failureRate: now.failureRate,
    probesInFlight: now.probesInFlight,
    openedAt: now.openedAt?.toISOString() ?? null,
    openedBy: now.openedBy,
    cooldownSeconds: now.recoveryTimeoutSeconds,
    forced: now.forced,
    forcedReason: now.forcedReason,
    budget: now.budget === null ? null : { ...now.budget },
    totals: { ...tally.totals },
    lastError: tally.lastError,
  };
}

/** The same in one line. */
export function tellBreaker(stats: BreakerStats): string {
  const parts = [`${stats.name}: ${stats.state}`];
  if (stats.forced !== null) parts.push(`held ${stats.forced} by an operator`);
  if (stats.openedBy !== null) parts.push(`opened by ${stats.openedBy}`);
  if (stats.probeDue) parts.push('the next call will be a probe');
  else if (stats.retryAfterSeconds !== null && stats.retryAfterSeconds > 0)
    parts.push(`a call may pass in ${Number(stats.retryAfterSeconds.toFixed(2))} s`);
  if (stats.calls !== null) parts.push(`${stats.failureCount} of the last ${stats.calls} calls failed`);
  if (stats.budget !== null)
    parts.push(`${stats.budget.spent} of ${stats.budget.limit} spent in ${stats.budget.perSeconds} s`);
  return parts.join(', ');
}
