import { describe, expect, it, jest } from '@jest/globals';
import {
  ConfigurationError,
  ValidationFailedError,
  ValidationPolicy,
  validationPolicy,
  ValidationResult,
  validator,
} from '../../lib/index.js';
import { rejection, thrown } from '../operation/support.js';

/** A validator with an answer, and a note of when it was asked. */
function answering(name: string, valid: boolean, later = false) {
  const question = jest.fn((_value: unknown) => (later ? Promise.resolve(valid) : valid));
  return Object.assign(validator(name, question, { message: `${name} said no` }), { question });
}

describe('a validation policy', () => {
  it('whose validators all pass gives a success named validation_policy [R133]', async () => {
    const all = [answering('a', true), answering('b', true)];
    const success = { valid: true, validatorName: 'validation_policy', reason: null };
    expect(validationPolicy(...all).validate(1)).toEqual(success);
    expect(new ValidationPolicy(all).validate(1)).toEqual(success);
    expect(await validationPolicy(answering('a', true, true), ...all).validate(1)).toEqual(success);
  });

  it('gives the first failure, as that validator put it [R134]', () => {
    const own = ValidationResult.failure('own name', 'own reason');
    const odd = { name: 'odd', validate: () => own };
    expect(validationPolicy(answering('a', true), odd, answering('b', false)).validate(1)).toBe(own);
    expect(validationPolicy(answering('b', false), odd).validate(1)).toEqual({
      valid: false,
      validatorName: 'b',
      reason: 'b said no',
    });
  });

  it.each([false, true])('does not ask the validators after a failure (later: %p) [R135]', async (later) => {
    const [first, second, third] = [
      answering('first', true, later),
      answering('second', false, later),
      answering('third', true, later),
    ];
    await validationPolicy(first, second, third).validate(1);
    expect([first, second, third].map((one) => one.question.mock.calls.length)).toEqual([1, 1, 0]);
  });

  it('asks one validator after the other, never two at a time [R135]', async () => {
    const story: string[] = [];
    const slowly = (name: string) =>
      validator(
        name,
        async () => {
          story.push(`${name} begins`);
          for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
          story.push(`${name} ends`);
          return true;
        },
        { message: 'no' },
      );
    const between = validator('between', () => story.push('between') > 0, { message: 'no' });
    await validationPolicy(slowly('a'), between, slowly('b')).validate(1);
    expect(story).toEqual(['a begins', 'a ends', 'between', 'b begins', 'b ends']);
  });

  it('without validators is refused [R136]', () => {
    for (const build of [
      () => validationPolicy(),
      () => new ValidationPolicy([]),
      () => new ValidationPolicy(undefined as never),
      () => new ValidationPolicy(answering('a', true) as never),
    ]) {
      const error = thrown(build);
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error).toMatchObject({ option: 'validation', cure: 'give at least one validator' });
    }
  });

  it('refuses what is no validator, and says which one', () => {
    const good = answering('a', true);
    const odd: [unknown, string][] = [
      [null, 'validation[1]'],
      [() => true, 'validation[1]'],
      [{ validate: () => ValidationResult.success('x') }, 'validation[1].name'],
      [{ name: ' ', validate: () => ValidationResult.success('x') }, 'validation[1].name'],
      [{ name: 'x' }, 'validation[1].validate'],
    ];
    for (const [entry, option] of odd) {
      expect(thrown(() => validationPolicy(good, entry as never))).toMatchObject({ option });
    }
  });

  it('keeps the validators that it was made with', () => {
    const validators = [answering('a', true)];
    const policy = new ValidationPolicy(validators);
    validators[0] = answering('b', false);
    expect(policy.validate(1)).toMatchObject({ valid: true });
  });

  it('in its throwing form says nothing about a valid value [R137]', async () => {
    expect(validationPolicy(answering('a', true)).validateOrThrow(1)).toBeUndefined();
    const later = validationPolicy(answering('a', true, true)).validateOrThrow(1);
    expect(later).toBeInstanceOf(Promise);
    expect(await later).toBeUndefined();
  });

  it('in its throwing form throws name and reason for an invalid one [R138]', async () => {
    const atOnce = thrown(() => validationPolicy(answering('a', false)).validateOrThrow(1));
    const later = await rejection(
      validationPolicy(answering('a', false, true)).validateOrThrow(1) as Promise<void>,
    );
    for (const error of [atOnce, later]) {
      expect(error).toBeInstanceOf(ValidationFailedError);
      expect({ ...error }).toEqual({ validatorName: 'a', reason: 'a said no' });
    }
  });

  it('lets through what a validator throws, at once and later, and asks no more', async () => {
    const error = new RangeError('cannot tell');
    const last = answering('last', true);
    const throws = validator('throws', () => { throw error; }, { message: 'no' }); // prettier-ignore
    const rejects = validator('rejects', () => Promise.reject(error), { message: 'no' });
    expect(thrown(() => validationPolicy(throws, last).validate(1))).toBe(error);
    expect(await rejection(validationPolicy(rejects, last).validate(1) as Promise<unknown>)).toBe(error);
    const second = validationPolicy(answering('first', true, true), throws, last);
    expect(await rejection(second.validate(1) as Promise<unknown>)).toBe(error);
    expect(last.question).not.toHaveBeenCalled();
  });

  it('gives no promise where no validator gave one', () => {
    expect(validationPolicy(answering('a', true)).validate(1)).not.toBeInstanceOf(Promise);
  });
});
