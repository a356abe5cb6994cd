import { ValidateBy } from 'class-validator';
import { ConfigurationError } from '../errors/configuration-error.js';

/** A property whose value one of our own checks accepts. */
export function Obeys(check: (value: unknown) => void): PropertyDecorator {
  return ValidateBy({
    name: 'relprim',
    validator: {
      validate: (value) => mistakeIn(check, value) === undefined,
      defaultMessage: (asked) => mistakeIn(check, asked?.value) ?? '',
    },
  });
}

function mistakeIn(check: (value: unknown) => void, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  try {
    check(value);
    return undefined;
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
}
