import type { ProbedCall } from '../../events/call-probe.js';
import type { ExecutionAttempt } from '../../report/execution-attempt.js';
import type { ExecutionReport } from '../../report/execution-report.js';
import { msToSeconds } from '../../time/duration.js';
import { DELAY_SOURCE, FALLBACK_OUTCOME, OPERATION_NAME, RATE_LIMIT_OUTCOME } from './attributes.js';
import { BoundedNames } from './bounded-names.js';
import type { Instruments } from './instruments.js';
import { operationMeasures, type OperationMeasures } from './operation-measures.js';

/** Measures calls that have ended. */
export class CallMeter {
  private readonly operations: BoundedNames<OperationMeasures>;

  constructor(
    private readonly instruments: Instruments,
    mostNames: number,
  ) {
    this.operations = new BoundedNames(mostNames, (name) => operationMeasures(name, instruments));
  }

  note(call: ProbedCall): void {
    const operation = this.operations.get(call.operationName);
    const isKeyed = 'role' in call;
    // What works for calls with a key is no call: those are measured themselves, but none of its attempts.
    if (call.form !== 'rejection') this.noteCall(call, operation, isKeyed);
    if (isKeyed) return;
    if (call.attemptSucceeded && call.trouble === undefined) operation.primary.succeeded.value += 1;
    else this.noteAttempts(call.report, operation);
  }

  private noteCall(call: ProbedCall, operation: OperationMeasures, isKeyed: boolean): void {
    const attributes = operation.outcome[call.status ?? 'failed'];
    // The account of a call with a key is that of the execution, which may have been long ago.
    const endMs = isKeyed ? call.clock.monotonicMs() : call.endMs;
    this.instruments.duration.record(msToSeconds(endMs - call.startMs), attributes);
    if (isKeyed) operation.idempotency[call.role ?? 'none'].value += 1;
  }

  private noteAttempts({ attempts, attemptsOmitted }: ExecutionReport, operation: OperationMeasures): void {
    for (const [index, attempt] of attempts.entries()) {
      this.noteAttempt(attempt, operation);
      if (attempts[index + 1]?.fallback === false) this.noteDelay(attempt, operation);
    }
    // Of very many the report leaves some out, all of which were retried.
    if (attemptsOmitted > 0) operation.primary.failed.value += attemptsOmitted;
  }

  private noteAttempt(attempt: ExecutionAttempt, operation: OperationMeasures): void {
    const { instruments } = this;
    const { fallback, status, metadata, waitedSeconds } = attempt;
    const outcome = metadata.circuit_breaker_open === true ? 'refused' : status;
    operation[fallback ? 'fallback' : 'primary'][outcome].value += 1;
    const own = { [OPERATION_NAME]: operation.name };
    if (fallback) instruments.fallbackCalls.add(1, { ...own, [FALLBACK_OUTCOME]: status });
    if (metadata.rate_limited !== true) return;
    const tooLong = metadata.rate_limit_wait_exceeded === true;
    if (tooLong || waitedSeconds > 0)
      instruments.rateLimitWaits.add(1, { ...own, [RATE_LIMIT_OUTCOME]: tooLong ? 'too_long' : 'waited' });
  }

  private noteDelay({ metadata, waitedSeconds }: ExecutionAttempt, { name }: OperationMeasures): void {
    const source = metadata.rate_limit_delay_source ?? 'backoff';
    this.instruments.retryDelay.record(waitedSeconds, { [OPERATION_NAME]: name, [DELAY_SOURCE]: source });
  }
}
