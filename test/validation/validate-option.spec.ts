import { describe, expect, it } from '@jest/globals';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import {
  ConfigurationError,
  resilient,
  Resilient,
  resultOf,
  ValidationResult,
  validationPolicy,
  validator,
  type ValidateOption,
} from '../../lib/index.js';
import { gives, rejection, scene, thrown } from '../operation/support.js';

/** What the report says about a rejected value. */
async function rejectedBy(validate: ValidateOption, value: unknown) {
  const { report } = await scene(gives(value), { validate }).failure();
  return [report.metadata.validation_validator_name, report.metadata.validation_reason];
}

const accepts = async (validate: ValidateOption, value: unknown) =>
  (await scene(gives(value), { validate }).result()).report.metadata;

describe('the validate option', () => {
  it('takes a question, and names it after its function', async () => {
    function hasItems(list: unknown[]): boolean {
      return list.length > 0;
    }
    expect(await rejectedBy(hasItems, [])).toEqual(['hasItems', 'hasItems said no']);
    expect(await rejectedBy((list: unknown[]) => list.length > 0, [])).toEqual([
      'validate',
      'validate said no',
    ]);
    const asyncQuestion = async (list: unknown[]): Promise<boolean> => list.length > 0;
    expect(await rejectedBy(asyncQuestion, [])).toEqual(['asyncQuestion', 'asyncQuestion said no']);
    expect(await accepts(hasItems, [1])).toMatchObject({
      validation_valid: true,
      validation_validator_name: 'validation_policy',
    });
  });

  it("takes a validator, and an object of one's own", async () => {
    const positive = validator('positive', (value: number) => value > 0, { message: 'must be above 0' });
    expect(await rejectedBy(positive, -1)).toEqual(['positive', 'must be above 0']);
    const own = { name: 'own', validate: () => ValidationResult.failure('own', 'never good') };
    expect(await rejectedBy(own, 1)).toEqual(['own', 'never good']);
  });

  it('takes a schema of zod, valibot or arktype, whose schemas are functions', async () => {
    expect(await rejectedBy(z.object({ id: z.number() }), { id: 'x' })).toEqual(['zod', 'id is not valid']);
    expect(await rejectedBy(v.object({ id: v.number() }), {})).toEqual(['valibot', 'id is not valid']);
    expect(await rejectedBy(type({ id: 'number' }), { id: 'x' })).toEqual(['arktype', 'id is not valid']);
    expect(await accepts(type({ id: 'number' }), { id: 1 })).toMatchObject({ validation_valid: true });
  });

  it('takes a list of all of them, asked in order', async () => {
    const asked: string[] = [];
    const note = (name: string, answer: boolean) => () => asked.push(name) > 0 && answer;
    const list: ValidateOption = [
      z.number(),
      note('first', true),
      validator('second', note('second', true), { message: 'no' }),
      async () => note('third', true)(),
      v.number(),
      type('number > 5'),
      note('last', true),
    ];
    expect(await rejectedBy(list, 'text')).toEqual(['zod', 'the value is not valid']);
    expect(asked).toEqual([]);
    expect(await rejectedBy(list, 5)).toEqual(['arktype', 'the value is not valid']);
    expect(asked.splice(0)).toEqual(['first', 'second', 'third']);
    expect(await accepts(list, 6)).toMatchObject({ validation_valid: true });
    expect(asked).toEqual(['first', 'second', 'third', 'last']);
  });

  it.each([undefined, false] as const)('is off when it is %p', async (validate) => {
    const { report } = await scene(gives(-1), { validate }).result();
    expect(report.metadata).toMatchObject({ validation_performed: false, validation_valid: null });
  });

  it.each([
    [[], 'validate'],
    [null, 'validate[0]'],
    [true, 'validate[0]'],
    ['positive', 'validate[0]'],
    [{}, 'validate[0]'],
    [Promise.resolve(true), 'validate[0]'],
    [[() => true, 5], 'validate[1]'],
    [[() => true, [() => true]], 'validate[1]'],
    [[() => true, undefined], 'validate[1]'],
    [{ '~standard': { version: 2, validate: () => ({}) } }, 'validate[0]'],
    [{ validate: () => true }, 'validation[0].name'],
    [
      validationPolicy({ name: 'own', validate: () => ValidationResult.success('own') }),
      'validation[0].name',
    ],
  ])('refuses %p when the operation is made', (validate, option) => {
    const error = thrown(() => resilient({ name: 'charge', validate: validate as never }, gives(1)));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ option, path: 'charge' });
  });

  it('is refused together with a whole policy', () => {
    const validation = validationPolicy(validator('any', () => true, { message: 'no' }));
    expect(
      thrown(() => resilient({ name: 'charge', validate: () => true, validation }, gives(1))).message,
    ).toBe(
      'charge: validate is given together with validation; put it into validation, or leave validation out',
    );
    for (const odd of [() => true, {}, [validation], z.string()]) {
      const error = thrown(() => resilient({ name: 'charge', validation: odd as never }, gives(1)));
      expect(error).toMatchObject({ option: 'validation', path: 'charge' });
    }
  });

  it('works on a decorated method, for its value and for that of its fallback', async () => {
    const userOf = z.object({ id: z.number() });
    class Client {
      answers: unknown[] = [{ id: 'no number' }];

      @Resilient({ validate: [userOf, (user: any) => user.id > 0], fallback: 'guest' })
      async user(): Promise<unknown> {
        return this.answers.shift();
      }

      async guest(): Promise<unknown> {
        return this.answers.shift() ?? { id: -1 };
      }
    }
    const client = new Client();
    client.answers.push({ id: 7 });
    const { value, report } = await resultOf(() => client.user());
    expect(value).toEqual({ id: 7 });
    expect(report.attempts.map(({ metadata }) => metadata.validation_reason)).toEqual([
      'id is not valid',
      null,
    ]);
    expect(await rejection(client.user())).toMatchObject({
      name: 'ValidationFailedError',
      validatorName: 'validate',
    });
  });
});
