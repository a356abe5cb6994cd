import { describe, expect, it } from '@jest/globals';
import { ConfigurationError, ExecutionError } from '../../lib/index.js';
import { mistakeOf } from '../support/mistake-of.js';
import { attempt, failedAttempt, startedAt } from './support.js';

describe('the record of an attempt', () => {
  it.each([
    ['succeeded', true],
    ['failed', false],
    ['timed_out', false],
    ['cancelled', false],
  ] as const)('of status %s has the marks that follow from it [R200]', (status, succeeded) => {
    expect(attempt({ status })).toMatchObject({ succeeded, failed: !succeeded });
  });

  it.each([0, -1, 1.5, NaN, Infinity, true, '1', undefined])(
    'refuses the number %p [R201]',
    (attemptNumber) => {
      expect(mistakeOf(() => attempt({ attemptNumber: attemptNumber as number }))).toMatchObject({
        option: 'attemptNumber',
        cure: 'give a whole number, 1 or more',
      });
    },
  );

  it.each([-0.001, NaN, Infinity, true, '1', undefined])(
    'refuses a duration of %p [R202]',
    (durationSeconds) => {
      expect(mistakeOf(() => attempt({ durationSeconds: durationSeconds as number })).option).toBe(
        'durationSeconds',
      );
    },
  );

  it('refuses an error on a success [R203]', () => {
    const error = new ExecutionError({ type: 'E', message: 'e' });
    expect(() => attempt({ error })).toThrow(ConfigurationError);
    expect(() => attempt({ error })).toThrow(
      'error is given for a succeeded attempt; leave it out, or give another status',
    );
    expect(attempt({ error: null }).error).toBeNull();
    expect(attempt({ status: 'failed', error }).error).toBe(error);
  });

  it('has metadata that is frozen and apart from what it was made of [R204]', () => {
    const metadata = { fallback_used: false, note: 'given' };
    const { metadata: kept } = attempt({ metadata });
    metadata.note = 'changed';
    expect(kept).toEqual({ fallback_used: false, note: 'given' });
    expect(() => Object.assign(kept, { note: 'forged' })).toThrow(TypeError);
  });

  it('cannot be changed itself, nor by its date', () => {
    const given = new Date(startedAt);
    const record = attempt({ startedAt: given });
    given.setFullYear(1999);
    record.startedAt.setFullYear(1998);
    expect(record.startedAt).toEqual(startedAt);
    expect(() => Object.assign(record, { status: 'failed' })).toThrow(TypeError);
  });

  it.each([new Date(NaN), '2026-01-01', 0, undefined, null])('refuses a start of %p', (start) => {
    expect(mistakeOf(() => attempt({ startedAt: start as Date }))).toMatchObject({
      option: 'startedAt',
      cure: 'give a valid Date',
    });
  });

  it.each([-1, NaN, Infinity, true])('refuses a wait of %p', (waitedSeconds) => {
    expect(mistakeOf(() => attempt({ waitedSeconds: waitedSeconds as number })).option).toBe('waitedSeconds');
  });

  it('has wire names in its JSON form', () => {
    const record = failedAttempt(2, {
      status: 'timed_out',
      fallback: true,
      waitedSeconds: 0.25,
      metadata: { fallback_used: true },
    });
    expect(JSON.parse(JSON.stringify(record))).toEqual({
      attempt_number: 2,
      status: 'timed_out',
      started_at: '2026-01-01T00:00:00.250Z',
      duration_seconds: 0.5,
      error: { type: 'HttpError', message: 'no. 2', module: null, retryable: true },
      metadata: { fallback_used: true },
      fallback: true,
      waited_seconds: 0.25,
    });
    expect(attempt().toJSON()).toMatchObject({
      error: null,
      metadata: {},
      fallback: false,
      waited_seconds: 0,
    });
  });
});
