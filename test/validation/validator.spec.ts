import { describe, expect, it, jest } from '@jest/globals';
import { ConfigurationError, PredicateValidator, ValidationPolicy, validator } from '../../lib/index.js';
import { thrown } from '../operation/support.js';

const message = 'must be above 0';
const isPositive = (value: number): boolean => value > 0;

/** A thenable that does the least that it must: its `then` gives nothing back. */
const foreign = (answer: unknown) => ({ then: (settle: (value: unknown) => void) => settle(answer) });

describe('a validator made of a question', () => {
  it('turns true into a success [R129]', () => {
    expect(validator('positive', isPositive, { message }).validate(1)).toEqual({
      valid: true,
      validatorName: 'positive',
      reason: null,
    });
  });

  it('turns false into a failure with the message [R129]', () => {
    expect(validator('positive', isPositive, { message }).validate(0)).toEqual({
      valid: false,
      validatorName: 'positive',
      reason: 'must be above 0',
    });
  });

  it.each([
    [1, true],
    ['text', true],
    [{}, true],
    [0, false],
    ['', false],
    [null, false],
    [undefined, false],
    [NaN, false],
  ])('takes the answer %p for %p [R129]', (answer, valid) => {
    expect(validator('any', () => answer as never, { message }).validate(0)).toMatchObject({ valid });
  });

  it('is the same from the factory and from the class [R130]', () => {
    const made = validator('positive', isPositive, { message });
    const built = new PredicateValidator('positive', isPositive, { message });
    expect(made).toBeInstanceOf(PredicateValidator);
    expect([made.name, made.message]).toEqual([built.name, built.message]);
    for (const value of [1, -1]) expect(made.validate(value)).toEqual(built.validate(value));
  });

  it.each(['', '  ', '\t', undefined, null, 5])('refuses the name %p [R131]', (name) => {
    const error = thrown(() => validator(name as never, isPositive, { message }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.option).toBe('name');
  });

  it.each(['', '  ', '\n', undefined, null, 5])('refuses the message %p [R132]', (blank) => {
    const error = thrown(() => validator('positive', isPositive, { message: blank as never }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.option).toBe('message');
  });

  it('refuses a predicate that is no function', () => {
    expect(thrown(() => validator('positive', /\d+/ as never, { message }))).toMatchObject({
      option: 'predicate',
      cure: 'give a function',
    });
  });

  it.each([
    [true, true],
    [false, false],
    [Promise.resolve(false), false],
  ])('never takes a promise for true: one of %p is %p [R146]', async (answer, valid) => {
    for (const promise of [Promise.resolve(answer), (async () => answer)(), foreign(answer)]) {
      const check = validator('later', () => promise as Promise<boolean>, { message });
      expect(await check.validate(0)).toMatchObject({ valid, validatorName: 'later' });
    }
  });

  it('rejects with what its predicate rejects with [R146]', async () => {
    const error = new RangeError('cannot tell');
    const check = validator('later', () => Promise.reject(error), { message });
    await expect(check.validate(0)).rejects.toBe(error);
  });

  it('can be handed around without its object', () => {
    const { validate } = validator('positive', isPositive, { message });
    expect([1, -1].map((value) => validate(value))).toMatchObject([{ valid: true }, { valid: false }]);
  });

  it('asks its predicate once, with the value alone', () => {
    const predicate = jest.fn((..._args: unknown[]) => true);
    const value = { some: 'value' };
    void validator('any', predicate, { message }).validate(value);
    expect(predicate.mock.calls).toEqual([[value]]);
    expect(predicate.mock.calls[0]?.[0]).toBe(value);
  });
});

describe("an object of one's own as a validator", () => {
  it('works, keeps its this, and may answer later [R139]', async () => {
    class Limit {
      readonly name = 'limit';
      readonly asked: number[] = [];
      constructor(private readonly most: number) {}

      validate(value: number) {
        this.asked.push(value);
        const valid = value <= this.most;
        return { valid, validatorName: this.name, reason: valid ? null : `above ${this.most}` } as never;
      }
    }
    const limit = new Limit(5);
    const policy = new ValidationPolicy([limit]);
    expect(policy.validate(4)).toMatchObject({ valid: true, validatorName: 'validation_policy' });
    expect(policy.validate(6)).toEqual({ valid: false, validatorName: 'limit', reason: 'above 5' });
    expect(limit.asked).toEqual([4, 6]);
    const later = { name: 'later', validate: async (value: number) => limit.validate(value) };
    expect(await new ValidationPolicy([later]).validate(6)).toMatchObject({ reason: 'above 5' });
  });

  it.each([
    undefined,
    null,
    true,
    'fine',
    0,
    {},
    { valid: 'yes' },
    { valid: false },
    { valid: false, reason: 'no name' },
  ])('must give a result: %p is a mistake, never a silent success [R139]', async (answer) => {
    for (const given of [answer, Promise.resolve(answer), foreign(answer)]) {
      const policy = new ValidationPolicy([{ name: 'odd', validate: () => given as never }]);
      const error = await (async () => policy.validate(1))().catch((mistake: unknown) => mistake);
      expect(error).toMatchObject({ name: 'MisuseError', code: 'RELPRIM_MISUSE' });
      expect(String(error)).toContain("validator 'odd' must return a ValidationResult");
    }
  });
});
