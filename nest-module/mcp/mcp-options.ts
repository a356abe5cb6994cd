import type { CanActivate, InjectionToken, ModuleMetadata, Type } from '@nestjs/common';
import { refuse } from '../../lib/container.js';
import type { ExecutionHistory, ReliabilityMcpOptions } from '../../lib/mcp/index.js';
import { checkSite, type Site } from '../site/site-options.js';

/** A guard of NestJS: a class, which the module instantiates, or the guard itself. */
export type McpGuard = Type<CanActivate> | CanActivate;

/** What the server takes from its application. */
type Given = 'circuitBreakers' | 'shields' | 'history' | 'clock' | 'random' | 'readOnly' | 'allowControl';

/** Options of `ResilienceMcpModule.forRoot()`. */
export interface ResilienceMcpOptions {
  /** Where clients find the server, below the global prefix of the application. Default `'/mcp'`. */
  readonly path?: string | undefined;
  /** Who may connect: one guard, or several that must all agree. Required, unless `unsafe` says otherwise. */
  readonly guard?: McpGuard | readonly McpGuard[] | undefined;
  /** `true`: everybody may connect who can reach the application. Default `false`. */
  readonly unsafe?: boolean | undefined;
  /** Whether agents may reset circuit breakers, and hold them open or closed. Default `false`. */
  readonly allowControl?: boolean | undefined;
  /** Lets agents make breakers and HTTP calls of their own, to the hosts that it lists. Default: they only look. */
  readonly calls?: Omit<ReliabilityMcpOptions, Given> | undefined;
  /** A store of reports that the application fills, or the token of one. Default: the latest reports, in memory. */
  readonly history?: ExecutionHistory | InjectionToken<ExecutionHistory> | undefined;
  /** Modules that export what the guards and the token of `history` need. */
  readonly imports?: ModuleMetadata['imports'];
}

/** The same, checked. */
export interface McpModuleOptions extends Site {
  readonly allowControl: boolean;
  readonly calls: ResilienceMcpOptions['calls'];
  readonly history: ResilienceMcpOptions['history'];
}

/** @throws {ConfigurationError} for options that cannot work. */
export function checkMcpModuleOptions(given: ResilienceMcpOptions): McpModuleOptions {
  const site = checkSite(given, '/mcp', ['allowControl', 'calls', 'history']);
  const { allowControl = false, calls, history } = given;
  if (typeof allowControl !== 'boolean') refuse('allowControl', allowControl, 'give true or false');
  if (calls !== undefined && !isOptions(calls))
    refuse('calls', calls, 'give an object of options, as { allowHosts: [...] }');
  return { ...site, allowControl, calls, history };
}

function isOptions(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
