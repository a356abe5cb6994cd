import { describe, expect, it, jest } from '@jest/globals';
import {
  asyncOperation,
  CircuitBreaker,
  CircuitBreakerOpenError,
  nonRetryable,
  OperationTimeoutError,
  reportOf,
  TimeoutPolicy,
  type TimeoutErrors,
} from '../../lib/index.js';
import { gives, hangs, rejection, rejects, Upstream } from '../operation/support.js';
import { client } from './client.js';
import { outcome, shielded, TooSlow } from './support.js';

class Overloaded extends Error {}
class VeryOverloaded extends Overloaded {}

/** How often a call is tried that fails in this way. */
async function attemptsFor(error: unknown, timeoutErrors?: TimeoutErrors): Promise<number> {
  const upstream = new Upstream(rejects(error));
  const scene = shielded({ timeoutErrors });
  expect(await outcome(scene, scene.shield.run(upstream.call))).toBe(error);
  expect(scene.clock.pendingTimers).toBe(0);
  expect(scene.shield.snapshot().engaged).toBe(upstream.calls.length === 4);
  return upstream.calls.length;
}

const coded = (code: string): Error => Object.assign(new Error('connection'), { code });

describe('which failures are worth another try', () => {
  it('are those of the platform that are called TimeoutError, whatever else is listed [S40, S78, S79, S80, S111]', async () => {
    expect(await attemptsFor(new TooSlow('slow'))).toBe(4);
    expect(await attemptsFor(new DOMException('slow', 'TimeoutError'))).toBe(4);
    expect(await attemptsFor(new TooSlow('slow'), [Overloaded])).toBe(4);
    expect(await attemptsFor(new TooSlow('slow'), [TooSlow, TooSlow])).toBe(4);
    expect(await attemptsFor(new TooSlow('slow'), [])).toBe(4);
  });

  it('are those of a listed class, and of what extends it [S61]', async () => {
    expect(await attemptsFor(new Overloaded('busy'), Overloaded)).toBe(4);
    expect(await attemptsFor(new VeryOverloaded('busy'), [RangeError, Overloaded])).toBe(4);
    expect(await attemptsFor(new Error('busy'), [Overloaded])).toBe(1);
  });

  it('are those of a listed name or code', async () => {
    expect(await attemptsFor(coded('ECONNRESET'), 'ECONNRESET')).toBe(4);
    expect(await attemptsFor(coded('ECONNRESET'), ['ETIMEDOUT', 'ECONNRESET'])).toBe(4);
    expect(await attemptsFor(new RangeError('x'), ['RangeError'])).toBe(4);
    expect(await attemptsFor(coded('ENOENT'), ['ECONNRESET'])).toBe(1);
    expect(await attemptsFor('ECONNRESET', ['ECONNRESET'])).toBe(1);
  });

  it('are those that a function says', async () => {
    const isBusy = (error: unknown): boolean => (error as { status?: number }).status === 429;
    expect(await attemptsFor(Object.assign(new Error('busy'), { status: 429 }), isBusy)).toBe(4);
    expect(await attemptsFor(new Error('no'), [Overloaded, isBusy])).toBe(1);
  });

  it('are none that are marked as not to be repeated', async () => {
    expect(await attemptsFor(nonRetryable(new TooSlow('slow')))).toBe(1);
  });

  it('are no others [S44, S107]', async () => {
    expect(await attemptsFor(new TypeError('bug'))).toBe(1);
  });

  it('do not hide behind a question that throws', async () => {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const ask = (): boolean => {
      throw new Error('a mistake in the question');
    };
    expect(await attemptsFor(new RangeError('broken'), [ask])).toBe(1);
    expect(await attemptsFor(new TooSlow('slow'), [ask])).toBe(4);
    expect(warn.mock.calls.map(([message]) => message)).toEqual([
      'timeoutErrors[0] threw, so the failure does not match',
    ]);
    warn.mockRestore();
  });

  it('are timeouts of an inner operation, but not its deadline', async () => {
    for (const [options, attempts] of [
      [{ timeout: new TimeoutPolicy(0.1) }, 4],
      [{ deadline: 0.1 }, 1],
    ] as const) {
      const upstream = new Upstream(hangs);
      const scene = shielded();
      let inner = asyncOperation('inner', upstream.call, { clock: scene.clock });
      inner =
        'timeout' in options ? inner.withTimeout(options.timeout) : inner.withDeadline(options.deadline);
      const error = await outcome(
        scene,
        scene.shield.run(async () => {
          try {
            return await inner.run();
          } catch (failure) {
            throw (failure as Error).cause;
          }
        }),
      );
      expect(error).toBeInstanceOf(OperationTimeoutError);
      expect(upstream.calls).toHaveLength(attempts);
    }
  });
});

describe('an error of ours that says that nothing more is to be done', () => {
  it('passes at once: no cache, no fallback, no note, no budget [S108, S109]', async () => {
    const breaker = new CircuitBreaker({ name: 'inner', failureThreshold: 1 });
    await rejection(breaker.run(() => Promise.reject(new Error('down'))));
    const cache = { get: jest.fn(() => 'kept'), set: jest.fn() };
    const fallback = jest.fn(() => 'stand-in');
    const seen = client(() => breaker.run(gives('up')), { cache, fallback });
    const error = await seen.outcome();
    expect(error).toBeInstanceOf(CircuitBreakerOpenError);
    expect(error).not.toHaveProperty('notes');
    expect([cache.get, cache.set, fallback].flatMap((mock) => mock.mock.calls)).toEqual([]);
    expect(seen.reports[0]?.attempts).toHaveLength(1);
    expect(seen.metadata()).not.toHaveProperty('shield_gave_up');
    expect(seen.shield.snapshot()).toMatchObject({ engaged: false, budget: 20 });
    expect(reportOf(error)).toBe(seen.reports[0]);
  });
});

describe('what is thrown', () => {
  it.each([['text'], [42], [undefined], [null], [Symbol('s')], [{ plain: true }]])(
    'comes back as it is: %p',
    async (value) => {
      const seen = client(() => Promise.reject(value));
      const error = await rejection(seen.visit());
      expect(error).toBe(value);
      expect(seen.reports[0]?.attempts).toHaveLength(1);
      expect(seen.metadata()).toMatchObject({ shield_gave_up: 'non_retryable' });
    },
  );

  it('may be frozen, and then takes no note; the report has the reason', async () => {
    const frozen = Object.freeze(new TooSlow('slow'));
    const seen = client(rejects(frozen));
    expect(await seen.outcome()).toBe(frozen);
    expect(frozen).not.toHaveProperty('notes');
    expect(seen.metadata()).toMatchObject({ shield_gave_up: 'attempts_exhausted' });
  });
});

describe('the note on an error', () => {
  it('is not enumerable, and says why, how often, how long and which profile [S45, S46, S118]', async () => {
    const seen = client(rejects(new RangeError('broken')), { profile: 'slow' });
    const error = await seen.outcome();
    expect(error.notes).toEqual([
      'shield: non-retryable exception after 1/4 attempts in 0.00s (slow profile)',
    ]);
    expect(Object.getOwnPropertyDescriptor(error, 'notes')).toMatchObject({
      enumerable: false,
      writable: true,
      configurable: true,
    });
  });

  it('is added to those that are there', async () => {
    const error = Object.assign(new RangeError('broken'), { notes: ['first'] });
    await client(rejects(error)).outcome();
    expect(error.notes).toEqual(['first', expect.stringMatching(/^shield: /)]);
  });

  it('leaves alone what somebody else calls notes', async () => {
    const error = Object.assign(new RangeError('broken'), { notes: 'a text' });
    await client(rejects(error)).outcome();
    expect(error.notes).toBe('a text');
  });

  it('does not pile up on an error that many calls share', async () => {
    const shared = new RangeError('broken');
    const seen = client(rejects(shared));
    for (let call = 0; call < 100; call += 1) await seen.outcome();
    expect((shared as unknown as { notes: string[] }).notes).toHaveLength(8);
  });

  it('is not added where something stood in', async () => {
    const error = new RangeError('broken');
    await client(rejects(error), { fallback: () => 'stand-in' }).outcome();
    expect(error).not.toHaveProperty('notes');
  });
});
