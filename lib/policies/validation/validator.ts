import { checkFunction, checkName } from '../../errors/check.js';
import { isPromiseLike } from './promise-like.js';
import { ValidationResult } from './validation-result.js';

/** Something that accepts or rejects a value, at once or later. It never changes the value. */
export interface Validator<in T = any> {
  readonly name: string;
  // A property on purpose: a method would let a validator of one type pass for a validator of any.
  readonly validate: (value: T) => ValidationResult | PromiseLike<ValidationResult>;
}

/** A validator made of a question that is answered with true or false. */
export class PredicateValidator<in T> implements Validator<T> {
  readonly name: string;
  readonly message: string;

  /** @throws {ConfigurationError} for a blank name or message, or a predicate that is no function. */
  constructor(
    name: string,
    private readonly predicate: (value: T) => boolean | PromiseLike<boolean>,
    { message }: { readonly message: string },
  ) {
    this.name = checkName('name', name);
    this.message = checkName('message', message);
    checkFunction('predicate', predicate);
  }

  readonly validate = (value: T): ValidationResult | PromiseLike<ValidationResult> => {
    const answer: unknown = this.predicate(value);
    // Through a real promise: a thenable of somebody else's may give nothing back from `then`.
    return isPromiseLike(answer)
      ? Promise.resolve(answer).then((later) => this.result(later))
      : this.result(answer);
  };

  private result(accepted: unknown): ValidationResult {
    return accepted ? ValidationResult.success(this.name) : ValidationResult.failure(this.name, this.message);
  }
}

/** A validator from a question: `validator('positive', (n: number) => n > 0, { message: 'must be above 0' })`. */
export function validator<T>(
  name: string,
  predicate: (value: T) => boolean | PromiseLike<boolean>,
  options: { readonly message: string },
): PredicateValidator<T> {
  return new PredicateValidator(name, predicate, options);
}
