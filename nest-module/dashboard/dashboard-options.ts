import type { CanActivate, InjectionToken, ModuleMetadata, Type } from '@nestjs/common';
import { checkOptions, refuse } from '../../lib/container.js';
import { ConfigurationError } from '../../lib/index.js';
import type { DashboardHistory, HistorySource } from './dashboard-history.js';

/** A guard of NestJS: a class, which the module instantiates, or the guard itself. */
export type DashboardGuard = Type<CanActivate> | CanActivate;

/** One guard, or several that must all agree, asked in order. */
export type DashboardGuards = DashboardGuard | readonly DashboardGuard[];

/** Options of `ResilienceDashboardModule.forRoot()`. */
export interface ResilienceDashboardOptions {
  /** Where the page is, below the global prefix of the application. Default `'/resilience'`. */
  readonly path?: string | undefined;
  /** Who may look. Required, unless `unsafe` says otherwise. */
  readonly guard?: DashboardGuards | undefined;
  /**
   * Who of these may also force and reset circuit breakers. Default: nobody, and the page has no buttons for it.
   */
  readonly operatorGuard?: DashboardGuards | undefined;
  /** `true`: everybody may look who can reach the application. Default `false`. */
  readonly unsafe?: boolean | undefined;
  /** What has happened before, from a store. Default: none, and the page has no history. */
  readonly history?: HistorySource | undefined;
  /** Modules that export what the guards and the token of `history` need. */
  readonly imports?: ModuleMetadata['imports'];
}

/** The same, checked. */
export interface DashboardOptions {
  readonly path: string;
  readonly guards: readonly DashboardGuard[];
  /** `undefined`: nobody may change anything. */
  readonly operatorGuards: readonly DashboardGuard[] | undefined;
  readonly history: HistorySource | undefined;
  readonly imports: NonNullable<ModuleMetadata['imports']>;
}

const KNOWN = ['path', 'guard', 'operatorGuard', 'unsafe', 'history', 'imports'];
/** What routers would take for a pattern, or would not find again. */
const ODD_IN_PATH = /[^\w\-./~]|\/\/|(^|\/)\.{1,2}(\/|$)/;

/** @throws {ConfigurationError} for options that cannot work. */
export function checkDashboardOptions(given: ResilienceDashboardOptions): DashboardOptions {
  checkOptions('options', given, KNOWN);
  const { path = '/resilience', unsafe = false, operatorGuard, history, imports = [] } = given;
  if (typeof path !== 'string' || path.trim() === '' || ODD_IN_PATH.test(path))
    refuse('path', path, "give a fixed path of letters, digits, '-', '_' and '/', as '/resilience'");
  if (typeof unsafe !== 'boolean') refuse('unsafe', unsafe, 'give true or false');
  if (!Array.isArray(imports)) refuse('imports', imports, 'give a list of modules');
  if (history !== undefined && !isToken(history)) checkHistory(history);
  return {
    path,
    guards: checkWho(given.guard, unsafe),
    operatorGuards: operatorGuard === undefined ? undefined : checkGuards('operatorGuard', operatorGuard),
    history,
    imports,
  };
}

function checkWho(guard: DashboardGuards | undefined, unsafe: boolean): readonly DashboardGuard[] {
  if (guard === undefined && !unsafe)
    throw new ConfigurationError({
      option: 'guard',
      problem: 'is missing, so that everybody could look into the application',
      cure: 'give a guard, as { guard: AdminGuard }, or say unsafe: true where nobody else can reach the application',
    });
  if (guard === undefined) return [];
  if (unsafe)
    throw new ConfigurationError({
      option: 'guard, unsafe',
      problem: 'are given together',
      cure: 'give the guard alone',
    });
  return checkGuards('guard', guard);
}

function checkGuards(option: string, given: DashboardGuards): readonly DashboardGuard[] {
  const guards = Array.isArray(given) ? (given as readonly DashboardGuard[]) : [given as DashboardGuard];
  if (guards.length === 0) refuse(option, given, 'give at least one guard');
  for (const guard of guards) {
    const can: unknown = (typeof guard === 'function' ? (guard.prototype as unknown) : guard) ?? {};
    if (typeof (can as Partial<CanActivate>).canActivate !== 'function')
      refuse(option, guard, 'give a class or an object with a canActivate(context) method');
  }
  return guards;
}

/** The token of a provider, and not the store itself. */
export function isToken(history: HistorySource): history is InjectionToken<DashboardHistory> {
  return ['function', 'string', 'symbol'].includes(typeof history);
}

/** @throws {ConfigurationError} for what is no store. */
export function checkHistory(history: unknown): DashboardHistory {
  const { reports, history: events } = (history ?? {}) as Partial<DashboardHistory>;
  if (typeof reports !== 'function' || typeof events !== 'function')
    refuse('history', history, 'give a store with reports() and history(), as a SqliteEventStore');
  return history as DashboardHistory;
}
