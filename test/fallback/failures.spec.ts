import { describe, expect, it } from '@jest/globals';
import {
  asyncOperation,
  currentAttempt,
  fallbackChain,
  FallbackChainError,
  reportOf,
  Resilient,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { deferred } from '../support/deferred.js';
import { gives, rejection, rejects, scene, throws, Upstream } from '../operation/support.js';

const primary = new Error('E1');
const own = Object.freeze(new RangeError('E2'));

class Client {
  @Resilient({ fallback: throws(own) })
  async throwingAtOnce(): Promise<unknown> {
    throw primary;
  }

  @Resilient({ fallback: rejects(own) })
  async rejecting(): Promise<unknown> {
    throw primary;
  }

  @Resilient({ fallbacks: fallbackChain(['a', rejects(new Error('a'))], ['b', rejects(own)]) })
  async chained(): Promise<unknown> {
    throw primary;
  }
}

describe('a fallback that fails itself', () => {
  it.each(['throwingAtOnce', 'rejecting'] as const)(
    'is the error that a decorated method with one simple fallback rejects with: %s',
    async (method) => {
      // B111, B114
      const promise = new Client()[method]();
      expect(promise).toBeInstanceOf(Promise);
      expect(await rejection(promise)).toBe(own);
      const report = reportOf(own);
      expect(report?.operationName).toBe(`Client.${method}`);
      expect(report?.attempts.map((attempt) => [attempt.error?.type, attempt.error?.message])).toEqual([
        ['Error', 'E1'],
        ['FallbackChainError', 'all 1 fallback candidate(s) failed, the last with RangeError (E2)'],
      ]);
    },
  );

  it('is one of the failures of the chain that a decorated method with several rejects with', async () => {
    const error = await rejection(new Client().chained());
    expect(error).toBeInstanceOf(FallbackChainError);
    expect(error.failures[1]).toBe(own);
    expect(error.primaryFailure).toBe(primary);
    expect(reportOf(error)?.metadata).toMatchObject({ fallback_failed: true, fallback_failure_count: 2 });
  });

  it('stands in the chain error of the result form, with the primary failure beside it', async () => {
    for (const fallback of [throws(own), rejects(own)]) {
      const { cause } = await scene(throws(primary), { fallback }).failure();
      expect(cause).toBeInstanceOf(FallbackChainError);
      expect((cause as FallbackChainError).failures).toEqual([own]);
      expect((cause as FallbackChainError).primaryFailure).toBe(primary);
    }
  });

  it.each([undefined, null, 'text', 0, Symbol('failed'), { then: 5 }])(
    'may fail with %p, after a method that does the same',
    async (thrown) => {
      const { failure } = scene(throws(thrown), { fallbacks: fallbackChain(['a', rejects(thrown)]) });
      const { cause, report } = await failure();
      expect(cause).toBeInstanceOf(FallbackChainError);
      const { failures, primaryFailure } = cause as FallbackChainError;
      expect([failures[0], primaryFailure]).toEqual([thrown, thrown]);
      expect(report.status).toBe('failed');
      expect(report.attempts[0]?.error?.type).toBe(
        typeof thrown === 'object' && thrown ? 'object' : typeof thrown,
      );
    },
  );

  it('late, when its caller has gone, leaves no unhandled rejection', async () => {
    const controller = new AbortController();
    const late = deferred();
    const { run, clock } = scene(rejects(primary), {
      signal: controller.signal,
      fallback: () => late.promise,
    });
    const outcome = rejection(run());
    await clock.advance(1);
    controller.abort('gone');
    expect(await outcome).toBe('gone');
    late.reject(own);
    await clock.advance(1);
  });

  it('lets filters look at the primary failure through the error of the chain', async () => {
    const clock = new FakeClock();
    const inner = asyncOperation('inner', rejects(own), { clock }).withFallbacks(
      fallbackChain(['cache', rejects(new Error('no cache'))]),
    );
    const upstream = new Upstream(async () => {
      const error = await rejection(inner.run());
      throw error.cause;
    }, gives('up'));
    const { result } = scene(
      upstream.call,
      { retries: 1, retryOn: [RangeError], backoff: { delayForRetry: () => 0 } },
      clock,
    );
    expect((await result()).value).toBe('up');
  });
});

describe('a fallback candidate', () => {
  it('knows that it is one, and what the primary attempt failed with', async () => {
    const seen: unknown[] = [];
    const look = () => {
      const { kind, number, lastError, remainingSeconds } = currentAttempt();
      seen.push({ kind, number, lastError, remainingSeconds });
      throw own;
    };
    const { failure } = scene(rejects(primary), {
      timeout: 5,
      fallbacks: fallbackChain(['first', look], ['second', look]),
    });
    await failure();
    const fact = { kind: 'fallback', number: 2, lastError: primary, remainingSeconds: Infinity };
    expect(seen).toEqual([fact, fact]);
  });

  it('gets the arguments of the call', async () => {
    const candidate = new Upstream(gives('F'));
    const order = { id: 7 };
    await scene(rejects(primary), { fallback: candidate.call }).result(order, 'EUR');
    expect(candidate.calls).toEqual([[order, 'EUR']]);
    expect(candidate.calls[0]?.[0]).toBe(order);
  });
});
