import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import {
  ConfigurationError,
  standardSchemaValidator,
  ValidationFailedError,
  validationPolicy,
} from '../../lib/index.js';
import { gives, scene, thrown } from '../operation/support.js';
import { asyncSchemas, changingSchemas, schemaThat, userSchemas } from './schemas.js';

const SECRET = 'hunter2';
const user = () => ({ name: 'Ada', address: { zip: '1010', floors: [1, 2] }, age: '36' });

describe('a validator from a Standard Schema', () => {
  it.each(userSchemas)(
    'of %s accepts a good value and says where a bad one is wrong',
    async (vendor, schema) => {
      const check = standardSchemaValidator(schema);
      expect(check.name).toBe(vendor);
      expect(check.validate(user())).toEqual({ valid: true, validatorName: vendor, reason: null });
      const wrong = { name: 'Ada', address: { zip: 1010, floors: [1, SECRET] } };
      const { valid, validatorName, reason } = await check.validate(wrong);
      expect([valid, validatorName]).toEqual([false, vendor]);
      // arktype has an order of its own.
      expect(reason?.split('; ').sort()).toEqual([
        'address.floors.1 is not valid',
        'address.zip is not valid',
      ]);
      expect(check.validate(undefined)).toMatchObject({ valid: false, reason: 'the value is not valid' });
    },
  );

  it.each(userSchemas)('of %s puts no value into reasons, errors, reports and events', async (_, schema) => {
    const { failure, sink } = scene(gives({ name: 5, address: { zip: [SECRET], floors: [SECRET] } }), {
      validate: schema,
    });
    const error = await failure();
    expect(error.cause).toBeInstanceOf(ValidationFailedError);
    const told = JSON.stringify([error, error.report, error.cause, sink.events(), error.report.explain()]);
    for (const text of [told, String(error), String(error.cause)]) expect(text).not.toContain(SECRET);
    expect(error.report.metadata.validation_reason).toContain('address.zip is not valid');
  });

  it.each(changingSchemas)('of %s leaves the value to the caller as it is [R144]', async (_, schema) => {
    const value = user();
    const before = structuredClone(value);
    const { result } = scene(gives(value), { validate: schema });
    expect((await result()).value).toBe(value);
    expect(value).toEqual(before);
  });

  it.each(asyncSchemas)('of async %s is awaited', async (vendor, schema) => {
    const { result } = scene(gives({ name: 'free' }), { validate: schema });
    expect((await result()).report.metadata).toMatchObject({ validation_valid: true });
    const { failure } = scene(gives({ name: 'taken' }), { validate: schema });
    const { cause } = await failure();
    expect({ ...(cause as object) }).toEqual({ validatorName: vendor, reason: 'name is not valid' });
  });

  it('stands beside other validators in a policy, under a name of its own', () => {
    const check = standardSchemaValidator(z.string(), { name: 'user name' });
    expect(validationPolicy(check).validate(5 as never)).toMatchObject({
      validatorName: 'user name',
      reason: 'the value is not valid',
    });
  });

  it('tells the messages of the schema only when asked to', () => {
    const schema = z.object({ pin: z.string().refine(() => false, { message: `${SECRET} is no pin` }) });
    const value = { pin: SECRET };
    expect(standardSchemaValidator(schema).validate(value)).toMatchObject({ reason: 'pin is not valid' });
    expect(standardSchemaValidator(schema, { messages: true }).validate(value)).toMatchObject({
      reason: 'pin: hunter2 is no pin',
    });
  });

  it('names three places, and counts the rest', () => {
    const schema = z.array(z.number());
    const reasonFor = (length: number) =>
      standardSchemaValidator(schema).validate(Array.from({ length }, () => SECRET) as never);
    expect(reasonFor(3)).toMatchObject({ reason: '0 is not valid; 1 is not valid; 2 is not valid' });
    expect(reasonFor(5)).toMatchObject({
      reason: '0 is not valid; 1 is not valid; 2 is not valid; and 2 more',
    });
  });

  it('understands every form of path, and issues without one', () => {
    const issues = [
      { message: 'm', path: ['list', 0, { key: 'inner' }, { key: Symbol('sign') }, Symbol('bare')] },
      { message: 'm', path: [] },
      { message: 'm' },
    ];
    const reason =
      'list.0.inner.Symbol(sign).Symbol(bare) is not valid; the value is not valid; the value is not valid';
    expect(standardSchemaValidator(schemaThat(() => ({ issues }))).validate(1)).toMatchObject({ reason });
    expect(standardSchemaValidator(schemaThat(() => ({ issues: [] }))).validate(1)).toMatchObject({
      valid: false,
      reason: 'the value is not valid',
    });
  });

  it('awaits a foreign thenable, and fails with what the schema throws', async () => {
    const later = { then: (settle: (result: unknown) => void) => settle({ issues: [{ message: 'm' }] }) };
    expect(await standardSchemaValidator(schemaThat(() => later)).validate(1)).toMatchObject({
      valid: false,
    });
    const broken = new RangeError('cannot tell');
    const throws = schemaThat(() => {
      throw broken;
    });
    expect((await scene(gives(1), { validate: throws }).failure()).cause).toBe(broken);
    const rejects = schemaThat(() => Promise.reject(broken));
    expect((await scene(gives(1), { validate: rejects }).failure()).cause).toBe(broken);
  });

  it.each([
    undefined,
    null,
    {},
    'zod',
    () => true,
    { '~standard': undefined },
    { '~standard': { version: 2, vendor: 'future', validate: () => ({}) } },
    { '~standard': { version: 1, vendor: 'half' } },
  ])('refuses %p, which is no schema of version 1', (schema) => {
    const error = thrown(() => standardSchemaValidator(schema as never));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.option).toBe('schema');
  });

  it('refuses a blank name and unknown options', () => {
    expect(thrown(() => standardSchemaValidator(z.string(), { name: ' ' })).option).toBe('name');
    expect(thrown(() => standardSchemaValidator(schemaThat(() => ({}), ''))).option).toBe('name');
    const misspelt = { message: true } as never;
    expect(thrown(() => standardSchemaValidator(z.string(), misspelt))).toMatchObject({
      option: 'message',
      cure: 'did you mean messages?',
    });
  });
});
