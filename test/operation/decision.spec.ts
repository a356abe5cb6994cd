import { describe, expect, it } from '@jest/globals';
import { decide, type FailureFacts } from '../../lib/operation/decision.js';

const failed: FailureFacts = {
  retryable: true,
  delayMs: 10,
  attemptsLeft: true,
  refused: false,
  unwaited: false,
  breakerWaitMs: 0,
  remainingMs: Infinity,
};
const stop = { retry: false, waitMs: 0, unwaited: false, deadlineExhausted: false };
const retry = { ...stop, retry: true };

describe('a failed attempt', () => {
  it.each<[string, Partial<FailureFacts>]>([
    ['whose failure is not worth it', { retryable: false }],
    ['that was the last one', { attemptsLeft: false }],
    ['for which no delay was chosen', { delayMs: undefined }],
  ])('is followed by none: one %s', (_, facts) => {
    expect(decide({ ...failed, ...facts })).toEqual(stop);
  });

  it('is followed by another after the delay, where the breaker lets that through', () => {
    for (const breakerWaitMs of [0, 9, 10, undefined])
      expect(decide({ ...failed, breakerWaitMs })).toEqual({ ...retry, waitMs: 10 });
  });

  it('is followed by another at once where waiting would not get it past the breaker', () => {
    expect(decide({ ...failed, breakerWaitMs: 11 })).toEqual({ ...retry, unwaited: true });
  });

  it('is followed by none where the deadline would come first, or at the same time', () => {
    const exhausted = { ...stop, deadlineExhausted: true };
    expect(decide({ ...failed, remainingMs: 9 })).toEqual(exhausted);
    expect(decide({ ...failed, remainingMs: 10 })).toEqual(exhausted);
    expect(decide({ ...failed, remainingMs: 11 })).toEqual({ ...retry, waitMs: 10 });
    expect(decide({ ...failed, delayMs: 0, remainingMs: 0 })).toEqual(exhausted);
  });
});

describe('an attempt that the breaker refused', () => {
  const refused = { ...failed, refused: true };

  it('is followed by another where the breaker lets one through by then', () => {
    for (const breakerWaitMs of [0, 10])
      expect(decide({ ...refused, breakerWaitMs })).toEqual({ ...retry, waitMs: 10 });
  });

  it('is followed by none where it does not, where nobody knows, or where it was made only to be refused', () => {
    expect(decide({ ...refused, breakerWaitMs: 11 })).toEqual(stop);
    expect(decide({ ...refused, breakerWaitMs: undefined })).toEqual(stop);
    expect(decide({ ...refused, unwaited: true })).toEqual(stop);
  });
});
