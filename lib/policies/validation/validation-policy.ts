import { checkFunction, checkName, refuse } from '../../errors/check.js';
import { MisuseError } from '../../errors/misuse-error.js';
import { isPromiseLike } from './promise-like.js';
import { ValidationFailedError } from './validation-failed-error.js';
import { ValidationResult } from './validation-result.js';
import type { Validator } from './validator.js';

const ACCEPTED = ValidationResult.success('validation_policy');

/** Validators that must all accept a value, asked in order; the first that does not ends it. */
export class ValidationPolicy<in T = any> {
  private readonly validators: readonly Validator<T>[];

  /** @throws {ConfigurationError} for no validators, or something that is none. */
  constructor(validators: readonly Validator<T>[]) {
    const given: unknown = validators;
    if (!Array.isArray(given) || given.length === 0)
      refuse('validation', given, 'give at least one validator');
    for (const [index, entry] of validators.entries()) {
      if (typeof entry !== 'object' || entry === null)
        refuse(`validation[${index}]`, entry, 'give a validator');
      checkName(`validation[${index}].name`, entry.name);
      checkFunction(`validation[${index}].validate`, entry.validate);
    }
    this.validators = [...validators];
  }

  /** The first failure, or a success named `validation_policy`; a promise only where a validator gave one. */
  validate(value: T): ValidationResult | Promise<ValidationResult> {
    return this.validateFrom(0, value);
  }

  /** @throws {ValidationFailedError} at once, or as a rejection where a validator answers later. */
  validateOrThrow(value: T): void | Promise<void> {
    const result = this.validate(value);
    return isPromiseLike(result) ? result.then(throwIfInvalid) : throwIfInvalid(result);
  }

  private validateFrom(start: number, value: T): ValidationResult | Promise<ValidationResult> {
    for (let index = start; index < this.validators.length; index += 1) {
      const entry = this.validators[index] as Validator<T>;
      const answer = entry.validate(value);
      if (isPromiseLike(answer)) {
        return Promise.resolve(answer).then((later) =>
          isAccepted(entry, later) ? this.validateFrom(index + 1, value) : later,
        );
      }
      if (!isAccepted(entry, answer)) return answer;
    }
    return ACCEPTED;
  }
}

function isAccepted(entry: Validator, answer: unknown): boolean {
  const { valid, validatorName, reason } = (answer ?? {}) as Partial<ValidationResult>;
  if (valid === true) return true;
  if (valid === false && typeof validatorName === 'string' && typeof reason === 'string') return false;
  throw new MisuseError(
    `validator '${entry.name}' must return a ValidationResult; use validator(name, predicate, { message }) for a plain question`,
  );
}

function throwIfInvalid(result: ValidationResult): void {
  if (!result.valid)
    throw new ValidationFailedError(result.validatorName, result.reason ?? result.validatorName);
}

/** A policy from validators: `validationPolicy(validator(…), validator(…))`. */
export function validationPolicy<T>(...validators: readonly Validator<T>[]): ValidationPolicy<T> {
  return new ValidationPolicy(validators);
}
