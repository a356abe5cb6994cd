import { describe, expect, it } from 'tstyche';
import {
  asyncOperation,
  getResilientMetadata,
  OperationExecutionError,
  OperationResult,
  reportOf,
  resultOf,
  type ExecutionAttempt,
  type ExecutionError,
  type ExecutionReport,
  type ExecutionStatus,
  type MethodOptions,
} from '../../lib/index.js';
import { fakeResult } from '../../lib/testing/index.js';

class Receipt {
  readonly id: string = '';
}
declare class Payments {
  charge(id: string): Promise<Receipt>;
  refund(): PromiseLike<Receipt | undefined>;
}
declare const payments: Payments;

describe('resultOf', () => {
  it('has the value of the promise, or of the promise that a function gives', () => {
    expect(resultOf(payments.charge('a'))).type.toBe<Promise<OperationResult<Receipt>>>();
    expect(resultOf(payments.refund())).type.toBe<Promise<OperationResult<Receipt | undefined>>>();
    expect(resultOf(() => payments.charge('a'))).type.toBe<Promise<OperationResult<Receipt>>>();
    expect(resultOf(() => payments.charge('a'), { signal: new AbortController().signal })).type.toBe<
      Promise<OperationResult<Receipt>>
    >();
    expect(resultOf(Promise.resolve<unknown>(1))).type.toBe<Promise<OperationResult<unknown>>>();
  });

  it('wants a promise or a function', () => {
    expect(resultOf).type.not.toBeCallableWith(new Receipt());
    expect(resultOf).type.not.toBeCallableWith(undefined);
    expect(resultOf).type.not.toBeCallableWith(payments.charge('a'), { signal: 'signal' });
  });
});

describe('a result', () => {
  it('has the value and the report, both to be read only', async () => {
    const result = await resultOf(payments.charge('a'));
    expect(result.value).type.toBe<Receipt>();
    expect(result.report).type.toBe<ExecutionReport>();
    expect(result.succeeded).type.toBe<boolean>();
    expect(result.toJSON().value).type.toBe<Receipt>();
    // @ts-expect-error Cannot assign to 'value' because it is a read-only property.
    result.value = new Receipt();
    // @ts-expect-error Cannot assign to 'report' because it is a read-only property.
    result.report = fakeResult(1).report;
  });

  it('of a narrower value is one of a wider value', () => {
    expect<OperationResult<Receipt>>().type.toBeAssignableTo<OperationResult<Receipt | undefined>>();
    expect<OperationResult<Receipt | undefined>>().type.not.toBeAssignableTo<OperationResult<Receipt>>();
  });

  it('can be made for mocks', () => {
    expect(fakeResult(new Receipt())).type.toBe<OperationResult<Receipt>>();
    expect(fakeResult(1, { operationName: 'op' })).type.toBe<OperationResult<number>>();
    expect(asyncOperation('op', payments.charge).run).type.toBe<
      (id: string) => Promise<OperationResult<Receipt>>
    >();
  });
});

describe('a report', () => {
  it('has typed parts', () => {
    const report = reportOf(new Error());
    expect(report).type.toBe<ExecutionReport | undefined>();
    if (report === undefined) return;
    expect(report.status).type.toBe<ExecutionStatus>();
    expect<ExecutionStatus>().type.toBe<'succeeded' | 'failed' | 'timed_out' | 'cancelled'>();
    expect(report.attempts).type.toBe<readonly ExecutionAttempt[]>();
    expect(report.lastAttempt).type.toBe<ExecutionAttempt | undefined>();
    expect(report.lastError).type.toBe<ExecutionError | null>();
    expect(report.causedBy).type.toBe<readonly ExecutionReport[]>();
    expect(report.startedAt).type.toBe<Date>();
    expect(report.metadata.fallback_candidate_index).type.toBe<number | undefined>();
    expect(report.metadata.rate_limit_delay_source).type.toBe<'provider' | 'backoff' | null | undefined>();
    expect(report.toJSON().attempts[0]?.attempt_number).type.toBe<number | undefined>();
    expect(report.toJSON().last_error?.retryable).type.toBe<boolean | null | undefined>();
    // @ts-expect-error Property 'fallback_name' does not exist on type
    void report.metadata.fallback_name;
  });

  it('is part of an execution error, whose cause is not known', () => {
    const error: unknown = new Error();
    if (!(error instanceof OperationExecutionError)) return;
    expect(error.report).type.toBe<ExecutionReport>();
    expect(error.cause).type.toBe<unknown>();
    expect(error.code).type.toBe<string>();
  });
});

describe('getResilientMetadata', () => {
  it('has the options as they were written', () => {
    const metadata = getResilientMetadata(Payments, 'charge');
    expect(metadata?.operationName).type.toBe<string | undefined>();
    expect(metadata?.options).type.toBe<MethodOptions | undefined>();
    expect(getResilientMetadata).type.not.toBeCallableWith(payments, 'charge');
  });
});
