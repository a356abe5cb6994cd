import { checkName, refuse } from '../errors/check.js';
import { checkPolicyOptions } from '../operation/check-options.js';
import { checkBesideShield } from './beside-shield.js';
import type { MethodOptions, ShieldChoice } from './decorated-method.js';
import { checkReturns } from './returns.js';

/** The options that belong to methods only, each with its rule. */
const CHECKS = {
  name: (value: unknown) => checkName('name', value),
  throws: (value: unknown) =>
    value === 'original' ||
    value === 'execution-error' ||
    refuse('throws', value, "give 'original' or 'execution-error'"),
  returns: checkReturns,
  use: (value: unknown) => value === false || checkName('use', value),
  shield: (value: unknown) => (value as ShieldChoice).check(),
} satisfies Partial<Record<keyof MethodOptions, (value: unknown) => unknown>>;

type MethodOption = keyof typeof CHECKS;
/** `shield` is said by `@Shielded` alone. */
const METHOD_OPTIONS: readonly MethodOption[] = ['name', 'throws', 'returns', 'use'];
export const SHIELDED_OPTIONS: readonly MethodOption[] = ['name', 'throws', 'returns', 'shield'];

/** Checks what is said of a method, where it is written. @throws {ConfigurationError} for the first mistake. */
export function checkMethodOptions(
  options: MethodOptions,
  allowed: readonly MethodOption[] = METHOD_OPTIONS,
): void {
  checkPolicyOptions(options, allowed);
  for (const option of allowed) {
    const value: unknown = options[option];
    if (value !== undefined) CHECKS[option](value);
  }
  if (options.shield !== undefined) checkBesideShield(options, 'the decorator');
}
