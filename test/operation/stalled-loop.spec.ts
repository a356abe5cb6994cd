import { describe, expect, it } from '@jest/globals';
import { asyncOperation, OperationExecutionError, RetryPolicy, type Timer } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';

/** A clock of a process whose event loop is busy whenever a timer falls due: every timer fires late. */
class BusyClock extends FakeClock {
  private lateMs = 0;

  override monotonicMs(): number {
    return super.monotonicMs() + this.lateMs;
  }

  override setTimer(callback: () => void, delayMs: number): Timer {
    return super.setTimer(() => {
      this.lateMs += 120;
      callback();
    }, delayMs);
  }
}

describe('an event loop that was busy past the wait and the deadline', () => {
  it('begins no attempt that it could not run', async () => {
    const clock = new BusyClock();
    let called = 0;
    const operation = asyncOperation(
      'read',
      async () => {
        called += 1;
        throw new Error('down');
      },
      { clock },
    )
      .withRetry(new RetryPolicy({ backoff: { delayForRetry: () => 0.05 } }))
      .withDeadline('80ms');
    const error = await clock.settle(operation.run().catch((reason: unknown) => reason));
    const { report, cause } = error as OperationExecutionError;
    expect(called).toBe(1);
    expect(cause).toEqual(new Error('down'));
    expect(report.toJSON()).toMatchObject({
      status: 'failed',
      attempt_count: 1,
      duration_seconds: 0.17,
      metadata: { deadline_exhausted: true },
      attempts: [{ status: 'failed', waited_seconds: 0.17 }],
    });
    expect(clock.pendingTimers).toBe(0);
  });
});
