import { describe, expect, it } from '@jest/globals';
import { OperationResult, type ExecutionStatus } from '../../lib/index.js';
import { mistakeOf } from '../support/mistake-of.js';
import { attempt, failedAttempt, report, startedAt } from './support.js';

describe('the report of a successful call', () => {
  it('derives its values, with the last error of an earlier attempt [R205]', () => {
    const attempts = [failedAttempt(1), failedAttempt(2), attempt({ attemptNumber: 3 })];
    const account = report({ attempts });
    expect(account).toMatchObject({
      attemptCount: 3,
      retryCount: 2,
      retried: true,
      succeeded: true,
      failed: false,
    });
    expect(account.lastAttempt).toBe(attempts[2]);
    expect(account.lastError).toBe(attempts[1]?.error);
  });

  it('of a first try has no retry and no error [R205]', () => {
    expect(report()).toMatchObject({ attemptCount: 1, retryCount: 0, retried: false, lastError: null });
  });

  it('does not count the fallback attempt as a retry [R205]', () => {
    const attempts = [failedAttempt(1), failedAttempt(2), attempt({ attemptNumber: 3, fallback: true })];
    expect(report({ attempts })).toMatchObject({ attemptCount: 3, retryCount: 1, retried: true });
    expect(report({ attempts: attempts.slice(1) })).toMatchObject({
      attemptCount: 2,
      retryCount: 0,
      retried: false,
    });
  });
});

describe('the report of a failed call', () => {
  it.each(['failed', 'timed_out'] as const)('that is %s derives its values [R206]', (status) => {
    const attempts = [failedAttempt(1), failedAttempt(2, { status })];
    const account = report({ status, attempts });
    expect(account).toMatchObject({
      attemptCount: 2,
      retryCount: 1,
      retried: true,
      succeeded: false,
      failed: true,
    });
    expect(account.lastAttempt).toBe(attempts[1]);
    expect(account.lastError).toBe(attempts[1]?.error);
  });

  it('counts attempts that are left out [R206]', () => {
    const account = report({
      status: 'failed',
      attempts: [failedAttempt(1), failedAttempt(500)],
      attemptsOmitted: 498,
      primaryAttempts: 500,
    });
    expect(account).toMatchObject({ attemptCount: 500, retryCount: 499, attemptsOmitted: 498 });
  });

  it('that was cancelled may have no attempt, or a successful one', () => {
    expect(report({ status: 'cancelled', attempts: [] })).toMatchObject({
      attemptCount: 0,
      retryCount: 0,
      failed: true,
      lastAttempt: undefined,
      lastError: null,
    });
    expect(report({ status: 'cancelled' }).failed).toBe(true);
  });
});

describe('a report', () => {
  it.each(['', '  ', undefined, null, 5])('refuses the name %p [R207]', (operationName) => {
    expect(mistakeOf(() => report({ operationName: operationName as string }))).toMatchObject({
      option: 'operationName',
      cure: 'give a text that is not blank',
    });
    expect(report({ operationName: ' charge ' }).operationName).toBe(' charge ');
  });

  it.each([-1, NaN, Infinity, true, '1'])('refuses a duration of %p [R208]', (durationSeconds) => {
    expect(mistakeOf(() => report({ durationSeconds: durationSeconds as number })).option).toBe(
      'durationSeconds',
    );
  });

  it.each<ExecutionStatus>(['succeeded', 'failed', 'timed_out'])(
    'that is %s refuses to have no attempts [R209]',
    (status) => {
      expect(mistakeOf(() => report({ status, attempts: [] })).message).toBe(
        'attempts is an empty list; give at least one attempt',
      );
    },
  );

  it('that succeeded must end in a success [R210]', () => {
    expect(mistakeOf(() => report({ attempts: [attempt(), failedAttempt(2)] })).message).toBe(
      'attempts ends in a failure; a succeeded report ends in a success',
    );
  });

  it.each<ExecutionStatus>(['failed', 'timed_out'])(
    'that is %s must not end in a success [R211]',
    (status) => {
      expect(
        mistakeOf(() => report({ status, attempts: [failedAttempt(1), attempt({ attemptNumber: 2 })] }))
          .message,
      ).toBe(`attempts ends in a success; a ${status} report ends in a failure`);
    },
  );

  it('has frozen metadata and lists, apart from what they were made of [R212]', () => {
    const metadata: Record<string, string> = { tenant: 'given' };
    const attempts = [attempt()];
    const causedBy = [report()];
    const account = report({ metadata, attempts, causedBy });
    metadata.tenant = 'changed';
    attempts.push(failedAttempt(2));
    causedBy.pop();
    expect(account.metadata).toEqual({ tenant: 'given' });
    expect([account.attempts.length, account.causedBy.length]).toEqual([1, 1]);
    for (const part of [account, account.metadata, account.attempts, account.causedBy])
      expect(Object.isFrozen(part)).toBe(true);
    expect(() => Object.assign(account.metadata, { tenant: 'forged' })).toThrow(TypeError);
  });

  it('has a start that nobody can move', () => {
    const given = new Date(startedAt);
    const account = report({ startedAt: given });
    given.setFullYear(1999);
    account.startedAt.setFullYear(1998);
    expect(account.startedAt).toEqual(startedAt);
    expect(mistakeOf(() => report({ startedAt: new Date(NaN) })).option).toBe('startedAt');
  });

  it.each(['attemptsOmitted', 'primaryAttempts'])('refuses wrong numbers of %s', (option) => {
    for (const value of [-1, 1.5, NaN, true])
      expect(mistakeOf(() => report({ [option]: value })).option).toBe(option);
  });

  it('has wire names in its JSON form, which serialises [R213]', () => {
    const inner = report({ operationName: 'inner', callId: 'c-1', metadata: { note: 'x' } });
    const account = report({
      attempts: [failedAttempt(1), attempt({ attemptNumber: 2 })],
      callId: 'c-2',
      causedBy: [inner],
    });
    const json: unknown = JSON.parse(JSON.stringify(account));
    expect(json).toEqual({
      operation_name: 'charge',
      status: 'succeeded',
      started_at: '2026-01-01T00:00:00.250Z',
      duration_seconds: 1.5,
      attempt_count: 2,
      retry_count: 1,
      retried: true,
      attempts: [failedAttempt(1).toJSON(), attempt({ attemptNumber: 2 }).toJSON()],
      last_error: { type: 'HttpError', message: 'no. 1', module: null, retryable: true },
      metadata: {},
      call_id: 'c-2',
      attempts_omitted: 0,
      caused_by: [inner.toJSON()],
    });
    expect(report().toJSON()).toMatchObject({ last_error: null, call_id: '', caused_by: [] });
  });
});

describe('an operation result', () => {
  it('keeps value and report [R214]', () => {
    const value = { id: 7 };
    const account = report();
    const result = new OperationResult(value, { report: account });
    expect(result.value).toBe(value);
    expect(result.report).toBe(account);
  });

  it('of a successful report has succeeded [R214]', () => {
    expect(new OperationResult(1, { report: report() })).toMatchObject({ succeeded: true, failed: false });
  });

  it('of a failed report has failed [R214]', () => {
    const account = report({ status: 'failed', attempts: [failedAttempt()] });
    expect(new OperationResult(1, { report: account })).toMatchObject({ succeeded: false, failed: true });
  });

  it('serialises both', () => {
    const result = new OperationResult({ id: 7 }, { report: report() });
    expect(JSON.parse(JSON.stringify(result))).toEqual({ value: { id: 7 }, report: report().toJSON() });
  });
});
