import { checkName } from '../../errors/check.js';
import { ConfigurationError } from '../../errors/configuration-error.js';

/** What a validator says of one value. Immutable. */
export class ValidationResult {
  readonly valid: boolean;
  readonly validatorName: string;
  /** Why not; `null` for a valid value. */
  readonly reason: string | null;

  /** @throws {ConfigurationError} for a blank name, a failure without a reason, or a success with one. */
  constructor(valid: boolean, validatorName: string, reason: string | null = null) {
    this.valid = valid;
    this.validatorName = checkName('validatorName', validatorName);
    this.reason = reason;
    if (valid && reason !== null) {
      throw new ConfigurationError({
        option: 'reason',
        problem: 'is given for a valid value',
        cure: 'leave it out',
      });
    }
    if (!valid) checkName('reason', reason);
    Object.freeze(this);
  }

  static success(validatorName: string): ValidationResult {
    return new ValidationResult(true, validatorName);
  }

  static failure(validatorName: string, reason: string): ValidationResult {
    return new ValidationResult(false, validatorName, reason);
  }

  toJSON() {
    return { valid: this.valid, validator_name: this.validatorName, reason: this.reason };
  }
}
