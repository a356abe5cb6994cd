import { describe, expect, it } from '@jest/globals';
import { fallbackChain, FallbackChainError, ValidationFailedError, validator } from '../../lib/index.js';
import { gives, rejects, scene, story, Upstream } from '../operation/support.js';

const down = new Error('down');
const positive = validator('positive', (value: number) => value > 0, { message: 'must be above 0' });

describe('the value of a fallback candidate', () => {
  it('is validated: after an invalid first candidate a valid second one succeeds [R115]', async () => {
    const { result, sink } = scene(rejects(down), {
      validate: positive,
      fallbacks: fallbackChain(['cache', gives(-1)], ['default', gives(1)]),
    });
    const { value, report } = await result();
    expect(value).toBe(1);
    expect(report.attemptCount).toBe(2);
    expect(report.metadata).toMatchObject({
      fallback_candidate_name: 'default',
      fallback_candidate_index: 1,
      fallback_failure_count: 1,
      validation_performed: true,
      validation_valid: true,
      validation_validator_name: 'validation_policy',
      validation_reason: null,
    });
    expect(story(sink)).toBe(
      'OS AS AF fallback.started validation.failed validation.succeeded fallback.succeeded AOK OOK',
    );
    const judged = sink.events().filter((event) => event.eventType.startsWith('validation.'));
    expect(judged.map((event) => event.payload)).toEqual([
      { attempt_number: 2, validator_name: 'positive', reason: 'must be above 0', fallback_used: true },
      { attempt_number: 2, validator_name: 'validation_policy', fallback_used: true },
    ]);
  });

  it('is awaited by async validators, candidate by candidate [R115]', async () => {
    const asked: number[] = [];
    const validate = async (value: number) => {
      asked.push(value);
      await Promise.resolve();
      return value > 0;
    };
    const later = new Upstream(gives(3));
    const { result } = scene(rejects(down), {
      validate,
      fallbacks: fallbackChain(['a', gives(-1)], ['b', gives(2)], ['c', later.call]),
    });
    expect((await result()).value).toBe(2);
    expect([asked, later.calls]).toEqual([[-1, 2], []]);
  });

  it('makes the call fail when it is invalid from every candidate [R116]', async () => {
    const { failure, sink } = scene(gives(-5), {
      validate: positive,
      fallbacks: fallbackChain(['cache', gives(-1)], ['default', gives(-2)]),
    });
    const { cause, report } = await failure();
    expect(cause).toBeInstanceOf(FallbackChainError);
    const { failures, primaryFailure } = cause as FallbackChainError;
    for (const rejected of [...failures, primaryFailure]) {
      expect(rejected).toBeInstanceOf(ValidationFailedError);
      expect(rejected).toMatchObject({ validatorName: 'positive', reason: 'must be above 0' });
    }
    expect(failures).toHaveLength(2);
    expect(report.metadata).toMatchObject({
      fallback_failed: true,
      fallback_failure_count: 2,
      validation_performed: false,
    });
    expect(story(sink)).toBe(
      'OS AS validation.failed AF fallback.started validation.failed validation.failed fallback.failed AF OF',
    );
  });

  it('that is invalid ends the chain where the filter leaves rejected values out [R116]', async () => {
    const last = new Upstream(gives(1));
    const { failure } = scene(rejects(down), {
      validate: positive,
      fallbacks: fallbackChain(['cache', gives(-1)], ['default', last.call], {
        fallbackOn: (error) => !(error instanceof ValidationFailedError),
      }),
    });
    const { cause, report } = await failure();
    expect(cause).toBeInstanceOf(ValidationFailedError);
    expect(last.calls).toEqual([]);
    expect(report.metadata).toMatchObject({
      fallback_failed: true,
      fallback_failure_count: 0,
      validation_performed: true,
      validation_valid: false,
      validation_validator_name: 'positive',
      validation_reason: 'must be above 0',
    });
  });

  it('makes its candidate fail with the own error of a validator that throws [R116]', async () => {
    const broken = new RangeError('cannot tell');
    const validate = () => {
      throw broken;
    };
    const { failure, sink } = scene(rejects(down), { validate, fallback: gives(1) });
    const { cause, report } = await failure();
    expect((cause as FallbackChainError).failures).toEqual([broken]);
    expect(report.metadata.validation_performed).toBe(false);
    expect(story(sink)).toBe('OS AS AF fallback.started fallback.failed AF OF');
  });

  it('is not mixed up with that of an earlier candidate [R116]', async () => {
    const validate = (value: number) => {
      if (value === 0) throw new RangeError('cannot tell');
      return value > 0;
    };
    const { failure, sink } = scene(rejects(down), {
      validate,
      fallbacks: fallbackChain(['invalid', gives(-1)], ['not to be told', gives(0)]),
    });
    const { cause } = await failure();
    expect((cause as FallbackChainError).failures).toMatchObject([
      { name: 'ValidationFailedError' },
      { name: 'RangeError' },
    ]);
    expect(story(sink)).toBe('OS AS AF fallback.started validation.failed fallback.failed AF OF');
  });

  it('keeps nothing of what was said about an earlier candidate [R116]', async () => {
    const { failure } = scene(rejects(down), {
      validate: positive,
      fallbacks: fallbackChain(['cache', gives(-1)], ['default', rejects(new TypeError('a mistake'))], {
        fallbackOn: (error) => !(error instanceof TypeError),
      }),
    });
    const { report } = await failure();
    expect(report.metadata).toMatchObject({ validation_performed: false, validation_reason: null });
  });
});
