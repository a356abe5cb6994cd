import { describe, expect, it } from '@jest/globals';
import {
  OperationExecutionError,
  OperationResult,
  OperationTimeoutError,
  reportOf,
  ValidationFailedError,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { after, everySeconds, gives, hangs, openBreaker, rejects, scene, Upstream } from './support.js';
import { CALL, PRIMARY, UNCHECKED } from './metadata-keys.js';

describe('the outcome of an operation', () => {
  it('is the value and a report of success for a plain call [R184]', async () => {
    const { result } = scene(gives(42));
    const { value, report } = await result();
    expect(value).toBe(42);
    expect(report.toJSON()).toEqual({
      operation_name: 'op',
      status: 'succeeded',
      started_at: '2026-01-01T00:00:00.000Z',
      duration_seconds: 0,
      attempt_count: 1,
      retry_count: 0,
      retried: false,
      attempts: [
        {
          attempt_number: 1,
          status: 'succeeded',
          started_at: '2026-01-01T00:00:00.000Z',
          duration_seconds: 0,
          error: null,
          metadata: { ...PRIMARY, ...UNCHECKED },
          fallback: false,
          waited_seconds: 0,
        },
      ],
      last_error: null,
      metadata: { ...PRIMARY, ...UNCHECKED, ...CALL },
      call_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      attempts_omitted: 0,
      caused_by: [],
    });
  });

  it('passes the arguments of the call on, in every attempt [R185]', async () => {
    const upstream = new Upstream(rejects(new Error('once')), gives('ok'));
    const order = { id: 7 };
    await scene(upstream.call, { retries: 1 }).result(order, 'two', undefined);
    expect(upstream.calls).toEqual([
      [order, 'two', undefined],
      [order, 'two', undefined],
    ]);
    expect(upstream.calls[1]?.[0]).toBe(order);
  });

  it('tells statuses, counts and times of a success after a retry [R186]', async () => {
    const clock = new FakeClock();
    const upstream = new Upstream(
      after(clock, 0.25, rejects(new RangeError('first'))),
      after(clock, 0.5, gives('ok')),
    );
    const { result } = scene(upstream.call, { retries: 3, backoff: everySeconds(2) }, clock);
    const { value, report } = await result();
    expect(value).toBe('ok');
    expect([report.status, report.attemptCount, report.retryCount, report.retried]).toEqual([
      'succeeded',
      2,
      1,
      true,
    ]);
    expect(report.attempts.map((attempt) => attempt.status)).toEqual(['failed', 'succeeded']);
    expect(report.attempts.map((attempt) => attempt.durationSeconds)).toEqual([0.25, 0.5]);
    expect(report.attempts.map((attempt) => attempt.waitedSeconds)).toEqual([2, 0]);
    expect(report.durationSeconds).toBe(2.75);
    expect(report.lastError?.toJSON()).toEqual({
      type: 'RangeError',
      message: 'first',
      module: null,
      retryable: true,
    });
  });

  it('is an execution error with the last failure as cause when the attempts run out, which stays retryable [R187]', async () => {
    const errors = [new Error('first'), new Error('second')];
    const upstream = new Upstream(...errors.map(rejects));
    const error = await scene(upstream.call, { retries: 1, backoff: everySeconds(1) }).failure();
    expect(error).toBeInstanceOf(OperationExecutionError);
    expect(error.cause).toBe(errors[1]);
    expect(error.report.attempts.map((attempt) => attempt.status)).toEqual(['failed', 'failed']);
    expect(error.report.lastError?.toJSON()).toEqual({
      type: 'Error',
      message: 'second',
      module: null,
      retryable: true,
    });
    expect(error.report.status).toBe('failed');
  });

  it('is one attempt, marked not retryable, for an error outside the filter [R188]', async () => {
    const upstream = new Upstream(rejects(new TypeError('mine')));
    const error = await scene(upstream.call, { retries: 3, retryOn: [RangeError] }).failure();
    expect(upstream.calls).toHaveLength(1);
    expect(error.report.attemptCount).toBe(1);
    expect(error.report.lastError?.retryable).toBe(false);
  });

  it('says timed_out of the report and the attempt after a timeout, with the type of the error [R189]', async () => {
    const { failure, clock } = scene(hangs, { timeout: '2s' });
    const error = await failure();
    expect(error.cause).toBeInstanceOf(OperationTimeoutError);
    expect(error.report.status).toBe('timed_out');
    expect(error.report.attempts.map(({ status, durationSeconds }) => [status, durationSeconds])).toEqual([
      ['timed_out', 2],
    ]);
    expect(error.report.lastError?.type).toBe('OperationTimeoutError');
    expect(clock.pendingTimers).toBe(0);
  });

  it('repeats timeouts when the filter names them, and only then [R190]', async () => {
    const named = new Upstream(hangs, gives('in time'));
    const { value, report } = await scene(named.call, {
      timeout: 1,
      retries: 1,
      retryOn: [OperationTimeoutError],
    }).result();
    expect(value).toBe('in time');
    expect(report.attempts.map((attempt) => attempt.status)).toEqual(['timed_out', 'succeeded']);
    const unnamed = new Upstream(hangs);
    const error = await scene(unnamed.call, { timeout: 1, retries: 1, retryOn: [RangeError] }).failure();
    expect(unnamed.calls).toHaveLength(1);
    expect(error.report.status).toBe('timed_out');
  });

  it('shows report and cause on the execution error, and finds the report by the cause, too [R215]', async () => {
    const cause = new RangeError('no');
    const error = await scene(rejects(cause)).failure();
    expect(error.cause).toBe(cause);
    expect(error.message).toBe('op failed: RangeError (no)');
    expect(error.name).toBe('OperationExecutionError');
    expect(error.report.operationName).toBe('op');
    expect(reportOf(error)).toBe(error.report);
    expect(reportOf(cause)).toBe(error.report);
  });

  it('notes the start in UTC and numbers the attempts from 1 without gaps, the fallback last [R217]', async () => {
    const clock = new FakeClock({ startAt: new Date('2026-06-30T23:30:00+02:00') });
    const upstream = new Upstream(rejects(new Error('no')));
    const options = { retries: 2, backoff: everySeconds(60), fallback: gives('stand-in') };
    const { report } = await scene(upstream.call, options, clock).result();
    expect(report.toJSON().started_at).toBe('2026-06-30T21:30:00.000Z');
    expect(report.attempts.map((attempt) => attempt.attemptNumber)).toEqual([1, 2, 3, 4]);
    expect(report.attempts.map((attempt) => attempt.toJSON().started_at.slice(11, 19))).toEqual([
      '21:30:00',
      '21:31:00',
      '21:32:00',
      '21:32:00',
    ]);
  });

  it('keeps value and report together in a result whose marks follow the report [R214]', async () => {
    const value = { receipt: 1 };
    const result = await scene(gives(value)).result();
    expect(result).toBeInstanceOf(OperationResult);
    expect(result.value).toBe(value);
    expect([result.succeeded, result.failed]).toEqual([true, false]);
    expect(result.report).toBe(result.report);
    expect(JSON.parse(JSON.stringify(result))).toEqual({
      value,
      report: JSON.parse(JSON.stringify(result.report)),
    });
  });

  it("is known by the given name, else by the function's own [R218]", async () => {
    async function readUser(): Promise<number> {
      return 1;
    }
    const named = await scene(readUser, { name: 'users.read' }).result();
    expect(named.report.operationName).toBe('users.read');
    const own = await scene(readUser, { name: undefined }).result();
    expect(own.report.operationName).toBe('readUser');
  });

  it('is an error that names no place in the code where a breaker refused, as the refusal itself', async () => {
    const clock = new FakeClock();
    const circuitBreaker = await openBreaker(clock);
    const error = await scene(gives(1), { circuitBreaker }, clock).failure();
    expect(error.message).toContain('op failed: CircuitBreakerOpenError');
    expect(error.stack).toBe(`OperationExecutionError: ${error.message}`);
  });

  it('keeps a rejected value out of the result', async () => {
    const error = await scene(gives('bad'), { validate: () => false }).failure();
    expect(error.cause).toBeInstanceOf(ValidationFailedError);
    expect(error.report.status).toBe('failed');
    expect(JSON.stringify(error.report)).not.toContain('bad');
  });
});
