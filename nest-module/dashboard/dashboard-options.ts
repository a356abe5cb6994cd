import type { CanActivate, ModuleMetadata, Type } from '@nestjs/common';
import { refuse } from '../../lib/container.js';
import { checkGuards, checkSite, isToken, type Site } from '../site/site-options.js';
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
export interface DashboardOptions extends Site {
  /** `undefined`: nobody may change anything. */
  readonly operatorGuards: readonly DashboardGuard[] | undefined;
  readonly history: HistorySource | undefined;
}

/** @throws {ConfigurationError} for options that cannot work. */
export function checkDashboardOptions(given: ResilienceDashboardOptions): DashboardOptions {
  const site = checkSite(given, '/resilience', ['operatorGuard', 'history']);
  const { operatorGuard, history } = given;
  if (history !== undefined && !isToken(history)) checkHistory(history);
  const operatorGuards =
    operatorGuard === undefined ? undefined : checkGuards('operatorGuard', operatorGuard);
  return { ...site, operatorGuards, history };
}

/** @throws {ConfigurationError} for what is no store. */
export function checkHistory(history: unknown): DashboardHistory {
  const { reports, history: events } = (history ?? {}) as Partial<DashboardHistory>;
  if (typeof reports !== 'function' || typeof events !== 'function')
    refuse('history', history, 'give a store with reports() and history(), as a SqliteEventStore');
  return history as DashboardHistory;
}
