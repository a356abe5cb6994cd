import { describe, expect, it } from '@jest/globals';
import { ExponentialBackoff } from '../../lib/index.js';
import { readBudget, readProbes, readRecovery } from '../../lib/operation/breaker-parts.js';
import { fromConfiguration } from '../../lib/operation/configuration.js';

const read = (configured: object): any => fromConfiguration(configured as never);

describe('options from configuration', () => {
  it.each(['retries', 'maxConcurrent'])('may have a whole number as digits: %s', (option) => {
    expect(read({ [option]: '0' })[option]).toBe(0);
    expect(read({ [option]: '12' })[option]).toBe(12);
    for (const text of ['', ' 3', '03', '3x', 'x3', '1e3', '0x10', '1.5', '-1'])
      expect(read({ [option]: text })[option]).toBe(text);
  });

  it('stay text where they are no numbers', () => {
    const configured = { timeout: '10', name: '12', circuitBreaker: '5' };
    expect(read(configured)).toEqual(configured);
  });

  it.each([
    ...['retry', 'timeout', 'deadline', 'circuitBreaker', 'concurrencyLimit', 'fallback', 'fallbacks'],
    ...['rateLimit', 'idempotency', 'validate', 'validation', 'use'],
  ])('can be switched off by a word: %s', (option) => {
    expect(read({ [option]: 'false' })[option]).toBe(false);
    expect(read({ [option]: 'true' })[option]).toBe('true');
  });

  it('are not switched off where that would mean nothing', () => {
    expect(read({ name: 'false', throws: 'false' })).toEqual({ name: 'false', throws: 'false' });
  });

  it('may have the one switch of two words', () => {
    expect(['true', 'false', 'yes'].map((idempotent) => read({ idempotent }).idempotent)).toEqual([
      true,
      false,
      'yes',
    ]);
  });

  it('have lists of their own', () => {
    const retryOn = [TypeError];
    const { retryOn: taken } = read({ retryOn });
    retryOn.push(RangeError);
    expect(taken).toEqual([TypeError]);
  });

  it('are left to the checks where they are none', () => {
    for (const nothing of [null, 5, 'text', [1]]) expect(read(nothing as never)).toBe(nothing);
  });
});

describe('a back-off from configuration', () => {
  const backoffOf = (backoff: unknown): any => read({ backoff }).backoff;

  it('is made of its options, with numbers and switches as text', () => {
    const backoff = backoffOf({ baseDelay: '50ms', maxDelay: '2s', multiplier: '1.5', jitter: 'false' });
    expect(backoff).toBeInstanceOf(ExponentialBackoff);
    expect(backoff).toMatchObject({
      baseDelaySeconds: 0.05,
      maxDelaySeconds: 2,
      multiplier: 1.5,
      jitter: false,
    });
    expect(backoffOf({ multiplier: '3', jitter: { percent: '20.25' } })).toMatchObject({
      multiplier: 3,
      jitter: { percent: 20.25 },
    });
    expect(backoffOf({ jitter: 'true' }).jitter).toBe(true);
  });

  it.each(['', '1.', '.5', '01.5', '1.5s', 'x1.5'])('has no multiplier like %p', (multiplier) => {
    expect(() => backoffOf({ multiplier })).toThrow('multiplier');
  });

  it('stays as it is where it is a Backoff, or nothing that can be one', () => {
    const own = { delayForRetry: () => 1 };
    for (const given of [own, 5, 'soon', null]) expect(backoffOf(given)).toBe(given);
  });
});

describe('the parts of the settings of a circuit breaker from configuration', () => {
  it('may have numbers as text, each where it is one', () => {
    const cost = () => 1;
    expect(readBudget({ limit: '12.5', per: '60s', cost })).toEqual({ limit: 12.5, per: '60s', cost });
    expect(readRecovery({ initial: '10s', factor: '1.5', max: '60s', jitter: '0.2' })).toEqual({
      initial: '10s',
      factor: 1.5,
      max: '60s',
      jitter: 0.2,
    });
    expect(readProbes({ concurrent: '3', successes: '2', lease: '5' })).toEqual({
      concurrent: 3,
      successes: 2,
      lease: '5',
    });
  });

  it('may let all probes pass', () => {
    expect(readProbes({ concurrent: 'Infinity', successes: 'Infinity' })).toEqual({
      concurrent: Infinity,
      successes: 'Infinity',
    });
  });

  it('are left to the checks where they are none', () => {
    for (const value of [undefined, 5, '10s', null]) {
      expect([readBudget(value), readRecovery(value), readProbes(value)]).toEqual([value, value, value]);
    }
  });
});
