import { describe, expect, it } from '@jest/globals';
import { ForbiddenException, HttpException, NotFoundException } from '@nestjs/common';
import {
  asyncOperation,
  CircuitBreakerOpenError,
  fallbackChain,
  FallbackChainError,
  NonRetryableError,
  OperationTimeoutError,
  RetryError,
  RetryPolicy,
  ValidationFailedError,
} from '../../lib/index.js';
import { answerTo } from '../../nest-module/filters/answer-to.js';
import { errorOfOurs, LIMITED, problem } from './support.js';

const missing = new NotFoundException();
const open = new CircuitBreakerOpenError('stock', 'open', 7);
const late = new OperationTimeoutError(2);
const foreign = new Error('connection reset');
const limited = Object.assign(new Error('slow down'), {
  response: { status: 429, headers: { 'retry-after': '12' } },
});

function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** What a call with this failure rejects with in the result form. */
function executionError(failure: unknown): Promise<unknown> {
  return rejectionOf(asyncOperation('op', () => Promise.reject(failure)).run());
}

function statusFor(error: unknown): number | undefined {
  const answer = answerTo(error, 0);
  return answer instanceof HttpException ? answer.getStatus() : answer?.body.status;
}

describe('what a wrapper of ours is answered with is', () => {
  it('what an OperationExecutionError wraps, through several layers', async () => {
    expect(answerTo(await executionError(missing), 0)).toBe(missing);
    expect(statusFor(await executionError(open))).toBe(503);
    expect(statusFor(await executionError(await executionError(late)))).toBe(504);
  });

  it('what a RetryError or a NonRetryableError wraps', async () => {
    const exhausted = await rejectionOf(new RetryPolicy({ maxAttempts: 1 }).run(() => Promise.reject(late)));
    expect(exhausted).toBeInstanceOf(RetryError);
    expect(statusFor(exhausted)).toBe(504);
    expect(answerTo(new NonRetryableError('no', { cause: missing }), 0)).toBe(missing);
  });

  it('the failure whose wait could not be read', () => {
    const error = errorOfOurs('RELPRIM_RETRY_AFTER_EXTRACTION', { rateLimitError: limited });
    expect(statusFor(error)).toBe(429);
  });

  it('the primary failure of a fallback chain, whatever its stand-ins met', () => {
    expect(statusFor(new FallbackChainError([late], open))).toBe(503);
    expect(statusFor(new FallbackChainError([foreign], late))).toBe(504);
    expect(statusFor(new FallbackChainError([open], foreign))).toBeUndefined();
    // A stand-in may fail with the very same error.
    expect(statusFor(new FallbackChainError([open], open))).toBe(503);
    expect(answerTo(new FallbackChainError([missing, new RetryError(1, missing)], foreign), 0)).toBe(missing);
  });

  it('the last HttpException of a fallback chain, which the application has said itself', () => {
    const forbidden = new ForbiddenException();
    expect(answerTo(new FallbackChainError([missing], open), 0)).toBe(missing);
    expect(answerTo(new FallbackChainError([open], missing), 0)).toBe(missing);
    expect(answerTo(new FallbackChainError([forbidden, missing, late], new ForbiddenException()), 0)).toBe(
      missing,
    );
  });

  it('the last stand-in of a chain that ran alone', async () => {
    const chain = fallbackChain(
      ['first', () => Promise.reject(late)],
      ['second', () => Promise.reject(open)],
    );
    const error = await rejectionOf(chain.run());
    expect(error).toBeInstanceOf(FallbackChainError);
    expect(statusFor(error)).toBe(503);
  });

  it('a rate limit as it came, with its wait where that is known', async () => {
    const { body } = problem(...LIMITED);
    expect(answerTo(await executionError(limited), 0)).toEqual({ body, retryAfter: '12' });
    const silent = Object.assign(new Error('slow down'), { status: 429 });
    expect(answerTo(new FallbackChainError([foreign], silent), 0)).toEqual({ body, retryAfter: undefined });
  });

  it('the refusal, not the failure that came before it', () => {
    const refusal = new CircuitBreakerOpenError('stock', 'open', 7, { cause: missing });
    expect(statusFor(refusal)).toBe(503);
    expect(statusFor(new OperationTimeoutError(1, 'deadline', { cause: limited }))).toBe(504);
    expect(statusFor(new RetryError(2, new ValidationFailedError('schema', 'empty')))).toBe(502);
  });
});

describe('nothing is known to say of', () => {
  it('an error of somebody else, whatever is inside that', async () => {
    expect(answerTo(await executionError(foreign), 0)).toBeUndefined();
    expect(answerTo(await executionError(new Error('domain', { cause: open })), 0)).toBeUndefined();
    expect(answerTo(await executionError({ status: 404 }), 0)).toBeUndefined();
    expect(answerTo(await executionError('text'), 0)).toBeUndefined();
  });

  it('an error that only looks like ours', async () => {
    expect(answerTo(await executionError({ code: 'RELPRIM_TIMEOUT' }), 0)).toBeUndefined();
  });

  it('an error of ours without a row', () => {
    expect(answerTo(errorOfOurs('RELPRIM_NEW'), 0)).toBeUndefined();
  });

  it('wrappers in a ring', () => {
    const ring = new RetryError(1, undefined);
    Object.defineProperty(ring, 'cause', { value: new FallbackChainError([ring, ring], ring) });
    expect(answerTo(ring, 0)).toBeUndefined();
  });

  it('an error that refuses to be read', () => {
    const hostile = new Proxy(new Error('hostile'), {
      get() {
        throw new Error('keep out');
      },
    });
    expect(answerTo(new RetryError(1, hostile), 0)).toBeUndefined();
  });
});
