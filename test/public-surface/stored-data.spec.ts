import { describe, expect, it } from '@jest/globals';
import { JSON_CODEC, readOutcome } from '../../lib/adapters/redis/value-codec.js';
import { CircuitBreaker, reportFromJson, type ExecutionReportJson } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';

/* What 1.0 wrote down, letter for letter: whatever a later version writes, it must be able to read this. */

const INNER: ExecutionReportJson = {
  operation_name: 'stock',
  status: 'failed',
  started_at: '2026-01-01T00:00:00.000Z',
  duration_seconds: 1,
  attempt_count: 0,
  retry_count: 0,
  retried: false,
  attempts: [],
  last_error: null,
  metadata: {
    rate_limit_encountered: false,
    rate_limit_wait_seconds: 0,
    rate_limit_wait_exceeded: false,
    failed_outside_attempt: true,
  },
  call_id: 'c-1',
  attempts_omitted: 0,
  caused_by: [],
};
const ERROR = { type: 'HttpError', message: 'status 503', module: null, retryable: true };
const REPORT: ExecutionReportJson = {
  ...INNER,
  operation_name: 'charge',
  status: 'succeeded',
  duration_seconds: 2.5,
  attempt_count: 2,
  retry_count: 1,
  retried: true,
  attempts: [
    {
      attempt_number: 1,
      status: 'failed',
      started_at: '2026-01-01T00:00:00.000Z',
      duration_seconds: 0.5,
      error: ERROR,
      metadata: { fallback_used: false, circuit_breaker_open: false, local_stall: 0.25 },
      fallback: false,
      waited_seconds: 1,
    },
    {
      attempt_number: 2,
      status: 'succeeded',
      started_at: '2026-01-01T00:00:01.500Z',
      duration_seconds: 1,
      error: null,
      metadata: { fallback_used: false, circuit_breaker_open: false },
      fallback: false,
      waited_seconds: 0,
    },
  ],
  last_error: ERROR,
  call_id: 'c-2',
  caused_by: [INNER],
};
const BREAKER = {
  version: 1,
  name: 'payments',
  state: 'open',
  opened_at: '2026-01-01T00:00:00.000Z',
  opened_by: 'failure_rate',
  failed_probes: 2,
  forced: null,
  forced_reason: null,
} as const;

/** The same as a later version may write it: with keys that nobody knows here, everywhere. */
function fromLater<T>(json: T): T {
  const text = JSON.stringify(json).replaceAll('{"', '{"of_a_later_version":1,"');
  return JSON.parse(text) as T;
}

describe('what 1.0 wrote', () => {
  it('is read as the report that it was', () => {
    expect(reportFromJson(REPORT).toJSON()).toEqual(REPORT);
  });

  it('is read as the outcome of a key that it was', () => {
    const text = JSON.stringify({ version: 1, value: '{"id":7}', report: REPORT });
    const { value, report } = readOutcome(text, JSON_CODEC);
    expect([value, report.toJSON()]).toEqual([{ id: 7 }, REPORT]);
  });

  it('is read as the circuit breaker that it was', () => {
    const clock = new FakeClock();
    expect(CircuitBreaker.restore(BREAKER, { clock }).toJSON()).toEqual(BREAKER);
  });
});

describe('what a later version may write', () => {
  it('in a report, beside what is known here, is left out', () => {
    const { metadata, ...others } = reportFromJson(fromLater(REPORT)).toJSON();
    expect(metadata).toMatchObject(REPORT.metadata);
    expect(Object.keys(others).sort()).toEqual(
      Object.keys(REPORT)
        .filter((key) => key !== 'metadata')
        .sort(),
    );
  });

  it('as the outcome of a key is read, where the form is one that is known here', () => {
    const text = JSON.stringify({ version: 1, value: '{"id":7}', a_later_key: 1, report: fromLater(REPORT) });
    expect(readOutcome(text, JSON_CODEC).value).toEqual({ id: 7 });
  });
});
