import { describe, expect, it, jest } from '@jest/globals';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { jsonSchema, type JsonSchemaOptions } from '../../lib/adapters/json-schema.js';
import { ValidationFailedError } from '../../lib/index.js';
import { gives, scene } from '../operation/support.js';
import { mistakeOf } from '../support/mistake-of.js';
import { receipt } from './models.js';

const SECRET = 'hunter2';
const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';
const DRAFT_2019 = 'https://json-schema.org/draft/2019-09/schema';
const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema';

const receiptSchema = {
  type: 'object',
  required: ['total', 'items'],
  properties: {
    total: { type: 'integer' },
    items: {
      type: 'array',
      items: {
        type: 'object',
        properties: { name: { type: 'string' }, price: { type: 'number', minimum: 0 } },
      },
    },
  },
};

async function reasonOf(
  schema: object | boolean,
  value: unknown,
  options?: JsonSchemaOptions,
): Promise<string | null> {
  const { valid, reason } = await jsonSchema(schema, options).validate(value);
  expect(valid).toBe(reason === null);
  return reason;
}

describe('a validator from a JSON Schema', () => {
  it('accepts a good value, at once', () => {
    expect(jsonSchema(receiptSchema).validate(receipt())).toEqual({
      valid: true,
      validatorName: 'json-schema',
      reason: null,
    });
    expect(jsonSchema(receiptSchema, { name: 'receipt' }).name).toBe('receipt');
  });

  it('says where a value is wrong, by its path, and why [R149]', async () => {
    const wrong = { items: [{ name: 'pen', price: SECRET }] };
    expect(await reasonOf(receiptSchema, wrong)).toBe(
      "the value must have required property 'total'; /items/0/price must be number",
    );
    expect(await reasonOf(receiptSchema, undefined)).toBe('the value must be object');
  });

  it('names three problems, and counts the rest', async () => {
    const items = Array.from({ length: 5 }, () => ({ price: -1 }));
    expect(await reasonOf(receiptSchema, { total: 5, items })).toBe(
      '/items/0/price must be >= 0; /items/1/price must be >= 0; /items/2/price must be >= 0; and 2 more',
    );
  });

  it('rejects the value of an operation, and tells no value in errors, reports and events', async () => {
    const schema = {
      ...receiptSchema,
      properties: {
        ...receiptSchema.properties,
        pin: { type: 'string', pattern: '^\\d+$', format: 'email', maxLength: 3 },
      },
    };
    const { failure, sink } = scene(gives({ total: SECRET, items: [SECRET], pin: SECRET }), {
      validate: jsonSchema(schema),
    });
    const error = await failure();
    expect(error.cause).toBeInstanceOf(ValidationFailedError);
    expect((error.cause as ValidationFailedError).reason).toBe(
      '/total must be integer; /items/0 must be object; /pin must NOT have more than 3 characters; and 2 more',
    );
    const told = JSON.stringify([error, error.report, error.cause, sink.events(), error.report.explain()]);
    for (const text of [told, String(error), String(error.cause)]) expect(text).not.toContain(SECRET);
  });

  it('returns the value itself, unchanged', async () => {
    const schema = {
      type: 'object',
      properties: { total: { type: 'integer' }, currency: { type: 'string', default: 'EUR' } },
    };
    const value = Object.freeze({ total: 5, extra: [1] });
    const { result } = scene(gives(value), { validate: jsonSchema(schema) });
    expect((await result()).value).toBe(value);
    expect(await reasonOf(schema, { total: '5' })).toBe('/total must be integer');
  });

  it.each<[draft: string | undefined, schema: object, good: unknown, bad: unknown]>([
    [undefined, { type: 'array', items: [{ type: 'string' }], additionalItems: false }, ['a'], ['a', 'b']],
    [DRAFT_07, { type: 'array', items: [{ type: 'string' }], additionalItems: false }, ['a'], ['a', 'b']],
    ['http://json-schema.org/draft-07/schema', { const: 1 }, 1, 2],
    ['https://json-schema.org/draft-07/schema#', { const: 1 }, 1, 2],
    [DRAFT_2019, { type: 'object', properties: { a: {} }, unevaluatedProperties: false }, { a: 1 }, { b: 1 }],
    [`${DRAFT_2019}#`, { dependentRequired: { a: ['b'] } }, { a: 1, b: 1 }, { a: 1 }],
    [DRAFT_2020, { type: 'array', prefixItems: [{ type: 'string' }], items: false }, ['a'], ['a', 'b']],
    ['http://json-schema.org/draft/2020-12/schema', { const: 1 }, 1, 2],
  ])('follows the draft of $schema: %s [R150]', async ($schema, schema, good, bad) => {
    const whole = { ...($schema !== undefined && { $schema }), ...schema };
    expect(await reasonOf(whole, good)).toBeNull();
    expect(await reasonOf(whole, bad)).not.toBeNull();
  });

  it.each<[why: string, schema: unknown, problem: RegExp]>([
    ['a type that is none', { type: 'strin' }, /^cannot be compiled \(schema is invalid: /],
    ['a misspelt keyword', { requird: ['a'] }, /unknown keyword: "requird"/],
    ['a format that is none', { type: 'string', format: 'emial' }, /unknown format "emial"/],
    ['a reference to elsewhere', { $ref: 'https://example.com/receipt.json' }, /can't resolve reference/],
    ['a pattern that is none', { type: 'string', pattern: '(' }, /cannot be compiled/],
    ['a keyword of another draft', { $schema: DRAFT_2020, type: 'array', items: [{}] }, /schema is invalid/],
    ['an older draft', { $schema: 'http://json-schema.org/draft-04/schema#' }, /not a draft that is known/],
    ['a $schema that is no text', { $schema: 7 }, /not a draft that is known/],
    ['a list', [], /is an empty list/],
    ['nothing', undefined, /is undefined/],
    ['null', null, /is null/],
    ['text', '{}', /is a string/],
  ])('refuses %s when it is made [R148]', (_why, schema, problem) => {
    const warn = jest.spyOn(console, 'error');
    const mistake = mistakeOf(() => jsonSchema(schema as never));
    expect(mistake.option).toMatch(/^schema/);
    expect(mistake.problem).toMatch(problem);
    expect(mistake.message.length).toBeLessThan(400);
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });

  it('checks formats', async () => {
    const schema = { type: 'string', format: 'email' };
    expect(await reasonOf(schema, 'ada@example.com')).toBeNull();
    expect(await reasonOf(schema, SECRET)).toBe('the value must match format "email"');
  });

  it('may be true or false', async () => {
    expect(await reasonOf(true, 5)).toBeNull();
    expect(await reasonOf(false, 5)).toBe('the value boolean schema is false');
  });

  it('is compiled once, and keeps apart from others with the same $id', async () => {
    const schema = (type: string) => ({ $id: 'https://example.com/receipt', type });
    const [text, number] = [jsonSchema(schema('string')), jsonSchema(schema('number'))];
    expect([text.validate('a'), number.validate(5)]).toMatchObject([{ valid: true }, { valid: true }]);
    const changing: Record<string, unknown> = { type: 'string' };
    const check = jsonSchema(changing);
    changing['type'] = 'number';
    expect(check.validate('a')).toMatchObject({ valid: true });
  });

  it('judges nested calls and many values by one compiled schema', () => {
    const check = jsonSchema(receiptSchema);
    const reasons = [{ total: 5 }, receipt(), 5].map((value) => check.validate(value));
    expect(reasons).toMatchObject([
      { reason: "the value must have required property 'items'" },
      { valid: true },
      { reason: 'the value must be object' },
    ]);
  });

  it('takes an Ajv of the application, with its drafts, keywords and ways', async () => {
    const ajv = new Ajv({ useDefaults: true });
    ajv.addKeyword({ keyword: 'even', validate: (on: boolean, value: number) => !on || value % 2 === 0 });
    const schema = { type: 'object', properties: { n: { even: true }, unit: { default: 'EUR' } } };
    const value = { n: 2 };
    expect(await reasonOf(schema, value, { ajv })).toBeNull();
    expect(value).toEqual({ n: 2, unit: 'EUR' });
    expect(await reasonOf(schema, { n: 3 }, { ajv })).toBe('/n must pass "even" keyword validation');
    expect(
      await reasonOf({ prefixItems: [{ const: 1 }] }, [2], { ajv: new Ajv2020({ strict: false }) }),
    ).toBe('/0 must be equal to constant');
    expect(mistakeOf(() => jsonSchema({ type: 'strin' }, { ajv })).option).toBe('schema');
  });

  it('waits for a schema that answers later, and fails with what its keywords throw', async () => {
    const ajv = new Ajv();
    ajv.addKeyword({
      keyword: 'isFree',
      async: true,
      validate: async (_: unknown, name: string) => {
        await Promise.resolve();
        if (name === 'broken') throw new RangeError('cannot tell');
        return name !== 'taken';
      },
    });
    const schema = { $async: true, type: 'string', isFree: true };
    expect(await reasonOf(schema, 'free', { ajv })).toBeNull();
    expect(await reasonOf(schema, 'taken', { ajv })).toBe('the value must pass "isFree" keyword validation');
    const { failure } = scene(gives('broken'), { validate: jsonSchema(schema, { ajv }) });
    expect((await failure()).cause).toMatchObject({ name: 'RangeError', message: 'cannot tell' });
  });

  it.each<[options: unknown, option: string]>([
    [{ name: '' }, 'name'],
    [{ ajv: {} }, 'ajv.compile'],
    [{ ajv: null }, 'ajv.compile'],
    [{ Ajv: new Ajv() }, 'Ajv'],
    [null, 'jsonSchema'],
  ])('refuses the options %p', (options, option) => {
    expect(mistakeOf(() => jsonSchema({}, options as never)).option).toBe(option);
  });
});
