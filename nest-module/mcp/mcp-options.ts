import type { CanActivate, InjectionToken, ModuleMetadata, Type } from '@nestjs/common';
import { checkOptions, refuse } from '../../lib/container.js';
import { ConfigurationError } from '../../lib/index.js';
import type { ExecutionHistory, ReliabilityMcpOptions } from '../../lib/mcp/index.js';

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
export interface McpModuleOptions {
  readonly path: string;
  readonly guards: readonly McpGuard[];
  readonly allowControl: boolean;
  readonly calls: ResilienceMcpOptions['calls'];
  readonly history: ResilienceMcpOptions['history'];
  readonly imports: NonNullable<ModuleMetadata['imports']>;
}

const KNOWN = ['path', 'guard', 'unsafe', 'allowControl', 'calls', 'history', 'imports'];
/** What routers would take for a pattern, or would not find again. */
const ODD_IN_PATH = /[^\w\-./~]|\/\/|(^|\/)\.{1,2}(\/|$)/;

/** @throws {ConfigurationError} for options that cannot work. */
export function checkMcpModuleOptions(given: ResilienceMcpOptions): McpModuleOptions {
  checkOptions('options', given, KNOWN);
  const { path = '/mcp', unsafe = false, allowControl = false, calls, history, imports = [] } = given;
  if (typeof path !== 'string' || path.trim() === '' || ODD_IN_PATH.test(path))
    refuse('path', path, "give a fixed path of letters, digits, '-', '_' and '/', as '/mcp'");
  if (typeof unsafe !== 'boolean') refuse('unsafe', unsafe, 'give true or false');
  if (typeof allowControl !== 'boolean') refuse('allowControl', allowControl, 'give true or false');
  if (calls !== undefined && !isOptions(calls))
    refuse('calls', calls, 'give an object of options, as { allowHosts: [...] }');
  if (!Array.isArray(imports)) refuse('imports', imports, 'give a list of modules');
  return { path, guards: checkWho(given.guard, unsafe), allowControl, calls, history, imports };
}

function isOptions(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function checkWho(guard: ResilienceMcpOptions['guard'], unsafe: boolean): readonly McpGuard[] {
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
  const guards = Array.isArray(guard) ? (guard as readonly McpGuard[]) : [guard as McpGuard];
  if (guards.length === 0) refuse('guard', guard, 'give at least one guard');
  for (const one of guards) {
    const can: unknown = (typeof one === 'function' ? (one.prototype as unknown) : one) ?? {};
    if (typeof (can as Partial<CanActivate>).canActivate !== 'function')
      refuse('guard', one, 'give a class or an object with a canActivate(context) method');
  }
  return guards;
}

/** The token of a provider, and not the store itself. */
export function isToken(history: McpModuleOptions['history']): history is InjectionToken<ExecutionHistory> {
  return ['function', 'string', 'symbol'].includes(typeof history);
}
