import { describe, expect, it } from '@jest/globals';
import { ConfigurationError, ValidationFailedError, ValidationResult } from '../../lib/index.js';
import { thrown } from '../operation/support.js';

describe('a validation result', () => {
  it('of a valid value has a name and no reason [R124]', () => {
    for (const result of [ValidationResult.success('positive'), new ValidationResult(true, 'positive')]) {
      expect({ ...result }).toEqual({ valid: true, validatorName: 'positive', reason: null });
      expect(JSON.parse(JSON.stringify(result))).toEqual({
        valid: true,
        validator_name: 'positive',
        reason: null,
      });
      expect(Object.isFrozen(result)).toBe(true);
    }
  });

  it('of an invalid value has a name and a reason [R125]', () => {
    const made = new ValidationResult(false, ' positive ', 'must be above 0');
    for (const result of [ValidationResult.failure(' positive ', 'must be above 0'), made]) {
      expect({ ...result }).toEqual({
        valid: false,
        validatorName: ' positive ',
        reason: 'must be above 0',
      });
      expect(JSON.parse(JSON.stringify(result))).toEqual({
        valid: false,
        validator_name: ' positive ',
        reason: 'must be above 0',
      });
      expect(Object.isFrozen(result)).toBe(true);
    }
  });

  it.each(['', '   ', '\n\t', undefined, null, 5])('refuses the validator name %p [R126]', (name) => {
    for (const build of [
      () => ValidationResult.success(name as never),
      () => ValidationResult.failure(name as never, 'reason'),
    ]) {
      const error = thrown(build);
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error).toMatchObject({ option: 'validatorName', cure: 'give a text that is not blank' });
    }
  });

  it.each(['', '  ', null, undefined, 5])('refuses a failure with the reason %p [R127]', (reason) => {
    expect(thrown(() => ValidationResult.failure('positive', reason as never))).toMatchObject({
      name: 'ConfigurationError',
      option: 'reason',
    });
    expect(thrown(() => new ValidationResult(false, 'positive'))).toMatchObject({ option: 'reason' });
  });

  it.each(['because', ''])('refuses a success with the reason %p [R128]', (reason) => {
    expect(thrown(() => new ValidationResult(true, 'positive', reason)).message).toBe(
      'reason is given for a valid value; leave it out',
    );
  });

  it('as an error holds the name and the reason', () => {
    const error = new ValidationFailedError('positive', 'must be above 0');
    expect({ ...error }).toEqual({ validatorName: 'positive', reason: 'must be above 0' });
    expect(error).toMatchObject({
      name: 'ValidationFailedError',
      code: 'RELPRIM_VALIDATION_FAILED',
      message: "validator 'positive' rejected the value: must be above 0",
    });
  });
});
