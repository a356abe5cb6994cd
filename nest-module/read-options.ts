import {
  checkFunction,
  checkMethodOptions,
  fromConfiguration,
  located,
  refuse,
  type MethodOptions,
  type ModuleDefaults,
  type ModulePolicies,
} from '../lib/container.js';
import type { Backoff } from '../lib/index.js';
import { checkByName, checkList } from './check-lists.js';
import type { Registrations } from './named/kinds.js';
import type { OperationConfiguration, PolicyConfiguration, ResilienceSettings } from './options.js';
import type { ResolvedOptions } from './resolved-options.js';
import { WARNING_CODES, type WarningCode } from './start-up/warning-codes.js';

export const SETTINGS = [
  'sinkErrors',
  'defaults',
  'policies',
  'operations',
  'idempotencyKeyScope',
  'silenceWarnings',
] as const;

/** Checks settings, wherever they come from, and reads their texts. @throws {ConfigurationError} for the first mistake. */
export function readSettings(settings: ResilienceSettings, named: Registrations): ResolvedOptions {
  const { sinkErrors, defaults, idempotencyKeyScope, silenceWarnings = [] } = settings;
  if (idempotencyKeyScope !== undefined) checkFunction('idempotencyKeyScope', idempotencyKeyScope);
  if (![undefined, 'isolate', 'propagate'].includes(sinkErrors))
    refuse('sinkErrors', sinkErrors, "give 'isolate' or 'propagate'");
  checkList('silenceWarnings', silenceWarnings, checkWarningCode);
  const policies: ModulePolicies = {
    defaults: defaults === undefined ? undefined : readPolicy('defaults', defaults),
    policies: readEntries('policies', settings.policies, readPolicy),
    operations: readEntries('operations', settings.operations, readOperation),
  };
  return { named, sinkErrors, policies, silenced: new Set(silenceWarnings), idempotencyKeyScope };
}

function readPolicy(where: string, configured: PolicyConfiguration): ModuleDefaults {
  return located(`ResilienceModule.${where}`, () => {
    const options = fromConfiguration<ModuleDefaults>(configured);
    checkMethodOptions(options, ['throws']);
    return Object.freeze(options);
  });
}

function readOperation(where: string, configured: OperationConfiguration): MethodOptions {
  return located(`ResilienceModule.${where}`, () => {
    const options = fromConfiguration<MethodOptions>(configured);
    checkMethodOptions(options, ['throws', 'use']);
    for (const [option, value] of Object.entries(configured))
      if (isCode(option, value)) refuse(option, value, DATA_ONLY);
    return Object.freeze(options);
  });
}

const DATA_ONLY = 'give data here; functions and policy objects belong to the decorator or to policies';

/** Something that no configuration file could hold. */
function isCode(option: string, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'function';
  return option !== 'backoff' || typeof (value as Partial<Backoff>).delayForRetry === 'function';
}

function readEntries<From, To>(
  option: string,
  entries: Readonly<Record<string, From | undefined>> | undefined,
  read: (where: string, entry: From) => To,
): Readonly<Record<string, To>> | undefined {
  if (entries === undefined) return undefined;
  checkByName(option, entries);
  return Object.fromEntries(
    Object.entries(entries)
      .filter((named): named is [string, From] => named[1] !== undefined)
      .map(([name, entry]) => [name, read(`${option}['${name}']`, entry)]),
  );
}

function checkWarningCode(code: WarningCode, option: string): void {
  if (!WARNING_CODES.includes(code)) refuse(option, code, `give one of ${WARNING_CODES.join(', ')}`);
}
