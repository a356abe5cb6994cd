import { ConfigurationError } from '../errors/configuration-error.js';
import { refuse } from '../errors/check.js';
import type { OperationHost } from '../operation/host.js';
import { perInstance } from '../operation/per-instance.js';
import type { Settings } from '../operation/settings.js';
import type { ShieldProfileName } from '../shield/profiles.js';
import type { ShieldOptions } from '../shield/shield-options.js';
import { Shield } from '../shield/shield.js';
import type { MethodOptions } from './decorated-method.js';

/** A shield of a decorator's own: one for each operation of each application. */
export interface ShieldDefinition {
  readonly profile: ShieldProfileName | undefined;
  /** Default: the name of the operation. */
  readonly name: string | undefined;
  readonly options: ShieldOptions;
}

/** A shield, the name of one of the application, or what one is made of. */
export type ShieldChoice = Shield | string | ShieldDefinition;

/** What a shield stands in for. */
const INSTEAD_OF: readonly (keyof MethodOptions)[] = [
  'retries',
  'retryOn',
  'backoff',
  'retry',
  'timeout',
  'fallback',
  'fallbacks',
  'fallbackOn',
  'rateLimitOn',
  'retryAfter',
  'maxRateLimitWait',
  'rateLimit',
  'idempotencyKey',
  'idempotencyStore',
  'idempotencyTtl',
  'idempotency',
  'idempotent',
  'use',
];

/** @throws {ConfigurationError} for an option that a shielded method cannot have as well. */
export function checkBesideShield(options: MethodOptions): void {
  const option = INSTEAD_OF.find((name) => options[name] !== undefined && options[name] !== false);
  if (option === undefined) return;
  throw new ConfigurationError({
    option,
    problem: 'is given to a method that is shielded',
    cure: 'leave it to the shield, which has a timeout, retries and recovery of its own; or use @Resilient alone',
  });
}

/** What a layer below says that concerns a shielded method, too. */
export function besideShield<O extends MethodOptions>(options: O): O {
  const kept = Object.entries(options).filter(([name]) => !(INSTEAD_OF as readonly string[]).includes(name));
  return Object.fromEntries(kept) as O;
}

/** @throws {ConfigurationError} for what makes no shield. */
export function checkShieldChoice(choice: unknown): void {
  if (choice instanceof Shield || (typeof choice === 'string' && choice.trim() !== '')) return;
  if (!isDefinition(choice)) return refuse('@Shielded', choice, 'give a Shield, the name of one, or nothing');
  // Made and forgotten: a mistake is to be seen where it is written.
  makeShield(choice, 'shield', {});
}

/** The shield of an operation in an application; outside any, each instance has its own. */
export function resolveShield(
  choice: ShieldChoice,
  operationName: string,
  host: OperationHost,
): Settings['shield'] {
  if (choice instanceof Shield) return choice;
  const { clock, random } = host;
  if (typeof choice === 'string') {
    if (host.shield !== undefined) return host.shield(choice);
    host.warn(
      `shield '${choice}' is given by name outside an application, so each instance has one of its own with default settings; ` +
        'import ResilienceModule, or give a Shield',
    );
    return perInstance(() => new Shield(choice, { clock, random }));
  }
  const make = (): Shield => makeShield(choice, operationName, { clock, random }, host);
  return host.isApplication ? make() : perInstance(make);
}

function makeShield(
  { profile, name, options }: ShieldDefinition,
  operationName: string,
  time: Pick<ShieldOptions, 'clock' | 'random'>,
  host?: OperationHost,
): Shield {
  return new Shield(
    name ?? operationName,
    { ...time, ...options, profile },
    { profileIsFixed: profile !== undefined, ...(host !== undefined && { host }) },
  );
}

function isDefinition(choice: unknown): choice is ShieldDefinition {
  return typeof choice === 'object' && choice !== null && 'options' in choice && 'profile' in choice;
}
