import { refuse } from '../../errors/check.js';
import { isStandardSchema, standardSchemaValidator, type StandardSchemaLike } from './standard-schema.js';
import { ValidationPolicy } from './validation-policy.js';
import { PredicateValidator, type Validator } from './validator.js';

/** What the `validate` option takes: a question, a validator, a Standard Schema (zod, valibot, arktype, …). */
export type ValidateEntry<T = any> =
  ((value: T) => boolean | PromiseLike<boolean>) | Validator<T> | StandardSchemaLike;

/** One check or a list of them, asked in order. */
export type ValidateOption<T = any> = ValidateEntry<T> | readonly ValidateEntry<T>[];

export function asValidation(option: ValidateOption): ValidationPolicy {
  const entries = (Array.isArray(option) ? option : [option]) as readonly ValidateEntry[];
  if (entries.length === 0) refuse('validate', option, 'give at least one check');
  return new ValidationPolicy(entries.map(asValidator));
}

function asValidator(entry: ValidateEntry, index: number): Validator {
  if (isStandardSchema(entry)) return standardSchemaValidator(entry);
  if (typeof entry === 'function') {
    const name = entry.name === '' ? 'validate' : entry.name;
    return new PredicateValidator(name, entry, { message: `${name} said no` });
  }
  if (typeof (entry as Partial<Validator> | null)?.validate === 'function') return entry;
  return refuse(
    `validate[${index}]`,
    entry,
    'give a function (value) => boolean, a validator or a Standard Schema',
  );
}
