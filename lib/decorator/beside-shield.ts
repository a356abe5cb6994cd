import { ConfigurationError } from '../errors/configuration-error.js';
import { OPTION_GROUPS } from '../operation/options.js';
import type { MethodOptions } from './decorated-method.js';

/** Groups of options that a shield stands in for. */
const GROUPS: readonly (keyof MethodOptions)[] = ['retry', 'fallbacks', 'rateLimit', 'idempotency'];
/** What a shield stands in for. */
const INSTEAD_OF: readonly (keyof MethodOptions)[] = [
  ...OPTION_GROUPS.filter(({ whole }) => GROUPS.includes(whole)).flatMap(({ whole, parts }) => [
    ...parts,
    whole,
  ]),
  'timeout',
  'idempotent',
  'use',
];

/** @throws {ConfigurationError} for an option that a shielded method cannot have as well. */
export function checkBesideShield(options: MethodOptions, from: string): void {
  const option = INSTEAD_OF.find((name) => options[name] !== undefined && options[name] !== false);
  if (option === undefined) return;
  throw new ConfigurationError({
    option,
    problem: `is given by ${from} to a method that is shielded`,
    cure: 'leave it to the shield, which has a timeout, retries and recovery of its own; or use @Resilient alone',
  });
}

/** What a layer below says that concerns a shielded method, too. */
export function besideShield<O extends MethodOptions>(options: O): O {
  const kept = Object.entries(options).filter(([name]) => !(INSTEAD_OF as readonly string[]).includes(name));
  return Object.fromEntries(kept) as O;
}
