import { describe, expect, it } from '@jest/globals';
import { OperationResult } from '../../lib/index.js';
import { fakeResult } from '../../lib/testing/index.js';

describe('a fake result', () => {
  it('is a first-try success with the value, for mocks', () => {
    const receipt = { id: 7 };
    const result = fakeResult(receipt);
    expect(result).toBeInstanceOf(OperationResult);
    expect(result.value).toBe(receipt);
    expect(result).toMatchObject({ succeeded: true, failed: false });
    expect(result.report.toJSON()).toMatchObject({
      operation_name: 'fake',
      status: 'succeeded',
      started_at: '2026-01-01T00:00:00.000Z',
      duration_seconds: 0,
      attempt_count: 1,
      retry_count: 0,
      call_id: 'fake',
    });
  });

  it('says of the call what it is told to', () => {
    const startedAt = new Date('2030-05-06T07:08:09Z');
    const { report } = fakeResult(1, {
      operationName: 'charge',
      startedAt,
      metadata: { fallback_used: true },
    });
    expect(report).toMatchObject({ operationName: 'charge', startedAt, metadata: { fallback_used: true } });
    expect(report.lastAttempt?.startedAt).toEqual(startedAt);
  });
});
