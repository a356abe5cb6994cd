import { describe, expect, it } from '@jest/globals';
import { classValidator, type ClassValidatorOptions } from '../../lib/adapters/class-validator.js';
import { ValidationFailedError, validationPolicy, validator } from '../../lib/index.js';
import { gives, scene } from '../operation/support.js';
import { mistakeOf } from '../support/mistake-of.js';
import { FreeNameDto, GroupedDto, ItemDto, NoRulesDto, receipt, ReceiptDto } from './models.js';

const SECRET = 'hunter2';

async function reasonOf(
  model: Parameters<typeof classValidator>[0],
  value: unknown,
  options?: ClassValidatorOptions,
): Promise<string | null> {
  const { valid, reason } = await classValidator(model, options).validate(value);
  expect(valid).toBe(reason === null);
  return reason;
}

describe('a validator from a class of rules', () => {
  it('accepts a good value under the name of its class', async () => {
    expect(await classValidator(ReceiptDto).validate(receipt())).toEqual({
      valid: true,
      validatorName: 'ReceiptDto',
      reason: null,
    });
    expect(classValidator(ReceiptDto, { name: 'receipt' }).name).toBe('receipt');
    expect(classValidator([ReceiptDto]).name).toBe('ReceiptDto[]');
  });

  it('says where a value is wrong and which rules it breaks, in nested objects too', async () => {
    const value = {
      total: '5',
      items: [
        { name: 'pen', price: -1 },
        { name: 7, price: 'much' },
      ],
    };
    expect(await reasonOf(ReceiptDto, value)).toBe(
      'total: isInt; items.0.price: isPositive; items.1.name: isString; and 1 more',
    );
    expect(await reasonOf(ItemDto, { name: 'pen', price: 'much' })).toBe('price: isPositive, isNumber');
    expect(await reasonOf(ReceiptDto, { total: 5, items: 'none' })).toBe('items: nestedValidation');
    expect(await reasonOf(ReceiptDto, {})).toBe('total: isInt'); // a nested object may be missing, by its own rule
  });

  it.each([undefined, null, 5, 'text', true, () => receipt(), [receipt()], Symbol('x')])(
    'rejects %p, which is no object',
    async (value) => expect(await reasonOf(ReceiptDto, value)).toBe('the value must be an object'),
  );

  it('judges a list, item by item', async () => {
    for (const [model, options] of [
      [[ReceiptDto], {}],
      [ReceiptDto, { each: true }],
    ] as const) {
      expect(await reasonOf(model, [receipt(), receipt()], options)).toBeNull();
      expect(await reasonOf(model, [], options)).toBeNull();
      expect(await reasonOf(model, receipt(), options)).toBe('the value must be a list');
      expect(await reasonOf(model, [receipt(), { ...receipt(), total: 1.5 }, 5], options)).toBe(
        '1.total: isInt; 2 must be an object',
      );
      expect(await reasonOf(model, Array(2), options)).toBe('0 must be an object; 1 must be an object');
    }
  });

  it('asks the rules of the groups', async () => {
    const value = { name: 'ab', id: 1.5 };
    expect(await reasonOf(GroupedDto, value, { groups: ['create'] })).toBe('name: minLength');
    expect(await reasonOf(GroupedDto, value, { groups: ['update'] })).toBe('id: isInt');
    expect(await reasonOf(GroupedDto, value, { groups: ['create', 'update'] })).toBe(
      'name: minLength; id: isInt',
    );
  });

  it('passes the options of class-validator on', async () => {
    expect(await reasonOf(ReceiptDto, {}, { skipMissingProperties: true })).toBeNull();
    expect(await reasonOf(ItemDto, { name: 'pen', price: 'much' }, { stopAtFirstError: true })).toMatch(
      /^price: is(Number|Positive)$/,
    );
  });

  it('lets unknown fields pass, or rejects them where that is asked; the value is not replaced [R151]', async () => {
    const value = { ...receipt(), extra: SECRET, items: [{ name: 'pen', price: 1, colour: SECRET }] };
    const before = structuredClone(value);
    expect(await reasonOf(ReceiptDto, value)).toBeNull();
    expect(await reasonOf(ReceiptDto, value, { whitelist: true })).toBeNull();
    const strict = { whitelist: true, forbidNonWhitelisted: true };
    expect(await reasonOf(ReceiptDto, value, strict)).toBe(
      'extra: whitelistValidation; items.0.colour: whitelistValidation',
    );
    expect(value).toEqual(before);
    const { result } = scene(gives(value), { validate: classValidator(ReceiptDto, { whitelist: true }) });
    const { value: given, report } = await result();
    expect(given).toBe(value);
    expect(given).not.toBeInstanceOf(ReceiptDto);
    expect(value).toEqual(before);
    expect(report.metadata).toMatchObject({ validation_performed: true, validation_valid: true });
  });

  it('rejects the value of an operation, and tells no value in errors, reports and events', async () => {
    const value = { total: SECRET, items: [{ name: [SECRET], price: SECRET }] };
    const { failure, sink } = scene(gives(value), { validate: classValidator(ReceiptDto) });
    const error = await failure();
    expect(error.cause).toBeInstanceOf(ValidationFailedError);
    expect({ ...(error.cause as object) }).toEqual({
      validatorName: 'ReceiptDto',
      reason: 'total: isInt; items.0.name: isString; items.0.price: isPositive, isNumber',
    });
    const told = JSON.stringify([error, error.report, error.cause, sink.events(), error.report.explain()]);
    for (const text of [told, String(error), String(error.cause)]) expect(text).not.toContain(SECRET);
  });

  it('stands beside other checks, in a list and in a policy', async () => {
    const check = classValidator(ReceiptDto);
    const paid = (value: ReceiptDto) => value.total > 10;
    const { failure } = scene(gives(receipt()), { validate: [check, paid] });
    expect((await failure()).cause).toMatchObject({ validatorName: 'paid' });
    const policy = validationPolicy(check, validator('paid', paid, { message: 'must be paid' }));
    expect(await policy.validate(receipt())).toMatchObject({ valid: false, validatorName: 'paid' });
  });

  it('waits for rules that answer later, and fails with what they throw', async () => {
    expect(await reasonOf(FreeNameDto, { name: 'free' })).toBeNull();
    expect(await reasonOf(FreeNameDto, { name: 'taken' })).toBe('name: isFree');
    const { failure } = scene(gives([{ name: 'taken' }, { name: 'broken' }]), {
      validate: classValidator([FreeNameDto]),
    });
    expect((await failure()).cause).toMatchObject({ name: 'RangeError', message: 'cannot tell' });
  });

  it('keeps reasons short, whatever the keys of the value are', async () => {
    const value = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`${at}${'x'.repeat(500)}`, 1]));
    const strict = { whitelist: true, forbidNonWhitelisted: true };
    const reason = await reasonOf(ReceiptDto, { ...receipt(), ...value }, strict);
    expect(reason?.length).toBeLessThan(650);
    expect(reason).toMatch(/^0x{198}…; 1x{198}…; 2x{198}…; and 47 more$/);
  });

  it('judges an instance, and an object that holds itself', async () => {
    expect(await reasonOf(ReceiptDto, Object.assign(new ReceiptDto(), receipt()))).toBeNull();
    const ring: Record<string, unknown> = receipt();
    ring['self'] = ring;
    expect(await reasonOf(ReceiptDto, ring)).toBeNull();
  });

  it('refuses a class without rules, and groups that no rule has', () => {
    expect(mistakeOf(() => classValidator(NoRulesDto)).message).toBe(
      'model NoRulesDto has no rules; put decorators of class-validator on its properties',
    );
    expect(mistakeOf(() => classValidator(GroupedDto, { groups: ['creat'] })).problem).toBe(
      'GroupedDto has no rules in the given groups',
    );
    expect(mistakeOf(() => classValidator(GroupedDto, { strictGroups: true })).option).toBe('model');
  });

  it.each<[model: unknown, options: unknown, option: string]>([
    [undefined, {}, 'model'],
    [{}, {}, 'model'],
    [() => true, {}, 'model'],
    [[], {}, 'model'],
    [[ReceiptDto, ItemDto], {}, 'model'],
    [['ReceiptDto'], {}, 'model'],
    [ReceiptDto, { name: ' ' }, 'name'],
    [ReceiptDto, { each: 'yes' }, 'each'],
    [ReceiptDto, { whitelst: true }, 'whitelst'],
    [ReceiptDto, null, 'classValidator'],
  ])('refuses the model %p with %p', (model, options, option) => {
    expect(mistakeOf(() => classValidator(model as never, options as never)).option).toBe(option);
  });
});
