import type { CircuitBreakerTransition } from '../../policies/circuit-breaker/circuit-breaker-state.js';
import type { ExecutionReport } from '../../report/execution-report.js';
import { visible } from '../tools/fence.js';

/** What the calls through one breaker have come to since the server started. */
export class BreakerTally {
  readonly totals = { succeeded: 0, failed: 0, rejected: 0, fallbacks: 0, cancelled: 0, opened: 0 };
  lastError: { readonly type: string; readonly message: string; readonly at: string } | null = null;

  onReport(report: ExecutionReport): void {
    if (report.status === 'cancelled') this.totals.cancelled += 1;
    else if (report.metadata.fallback_used === true) this.totals.fallbacks += 1;
    else if (report.succeeded) this.totals.succeeded += 1;
    else if (report.lastAttempt?.metadata.circuit_breaker_open === true) this.totals.rejected += 1;
    else this.totals.failed += 1;
    const failed = report.attempts.findLast(
      ({ error, metadata }) => error !== null && metadata.circuit_breaker_open !== true,
    );
    if (failed?.error == null) return;
    const { type, message } = failed.error;
    this.lastError = { type: visible(type), message: visible(message), at: failed.startedAt.toISOString() };
  }

  onTransition({ from, to }: CircuitBreakerTransition): void {
    if (to === 'open' && from !== 'open') this.totals.opened += 1;
  }
}
