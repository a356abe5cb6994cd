import { describe, expect, it } from '@jest/globals';
import { attempt, failedAttempt, report } from './support.js';

describe('the story of a call', () => {
  it('has a headline and one line for each attempt', () => {
    const attempts = [
      failedAttempt(1, { durationSeconds: 0.2149, waitedSeconds: 0.4 }),
      failedAttempt(2, {
        status: 'timed_out',
        durationSeconds: 10.006,
        waitedSeconds: 7,
        metadata: { rate_limit_delay_source: 'provider' },
      }),
      failedAttempt(3, { metadata: { circuit_breaker_open: true } }),
      attempt({ attemptNumber: 4, durationSeconds: 0.0004 }),
    ];
    expect(report({ attempts, durationSeconds: 17.62 }).explain().split('\n')).toEqual([
      'charge succeeded after 17.62 s, 4 attempts',
      '#1 failed after 0.21 s: HttpError (no. 1); waited 0.4 s (backoff)',
      '#2 timed out after 10.01 s: HttpError (no. 2); waited 7 s (provider)',
      '#3 refused: no. 3',
      '#4 succeeded after <0.001 s',
    ]);
  });

  it('of a first try is short', () => {
    expect(report({ attempts: [attempt({ durationSeconds: 0 })], durationSeconds: 0 }).explain()).toBe(
      'charge succeeded after 0 s, 1 attempt\n#1 succeeded after 0 s',
    );
  });

  it('names the fallback candidate and the reason of a rejected value', () => {
    const attempts = [
      failedAttempt(1, { metadata: { validation_reason: 'total is negative' } }),
      attempt({ attemptNumber: 2, fallback: true, metadata: { fallback_candidate_name: 'queueForLater' } }),
    ];
    expect(report({ attempts }).explain().split('\n').slice(1)).toEqual([
      '#1 failed after 0.5 s: HttpError (total is negative)',
      '#2 fallback succeeded after 0.5 s by queueForLater',
    ]);
  });

  it('says what is left out, why no further try was made, and what the inner calls did', () => {
    const inner = report({ operationName: 'inner', status: 'failed', attempts: [failedAttempt()] });
    const account = report({
      status: 'failed',
      attempts: [failedAttempt(1), failedAttempt(9)],
      attemptsOmitted: 7,
      metadata: { deadline_exhausted: true },
      causedBy: [inner],
    });
    expect(account.explain().split('\n')).toEqual([
      'charge failed after 1.5 s, 9 attempts',
      '#1 failed after 0.5 s: HttpError (no. 1)',
      '… 7 attempts left out',
      '#9 failed after 0.5 s: HttpError (no. 9)',
      'the deadline left no room for another try',
      '  inner failed after 1.5 s, 1 attempt',
      '  #1 failed after 0.5 s: HttpError (no. 1)',
    ]);
    expect(report({ status: 'cancelled', attempts: [] }).explain()).toBe(
      'charge was cancelled after 1.5 s, 0 attempts',
    );
  });
});
