import type { CanActivate, InjectionToken, ModuleMetadata, Type } from '@nestjs/common';
import { checkOptions, refuse } from '../../lib/container.js';
import { ConfigurationError } from '../../lib/index.js';

/** A guard of NestJS: a class, which the module instantiates, or the guard itself. */
export type SiteGuard = Type<CanActivate> | CanActivate;

/** What the options of every site say: where it is, and for whom. */
export interface SiteOptions {
  readonly path?: string | undefined;
  readonly guard?: SiteGuard | readonly SiteGuard[] | undefined;
  readonly unsafe?: boolean | undefined;
  readonly imports?: ModuleMetadata['imports'];
}

/** The same, checked. */
export interface Site {
  readonly path: string;
  readonly guards: readonly SiteGuard[];
  readonly imports: NonNullable<ModuleMetadata['imports']>;
}

/** What routers would take for a pattern, or would not find again. */
const ODD_IN_PATH = /[^\w\-./~]|\/\/|(^|\/)\.{1,2}(\/|$)/;

/** @throws {ConfigurationError} for options that cannot work, or are known neither to all sites nor to this one. */
export function checkSite(given: SiteOptions, defaultPath: string, alsoKnown: readonly string[]): Site {
  checkOptions('options', given, ['path', 'guard', 'unsafe', 'imports', ...alsoKnown]);
  const { path = defaultPath, guard, unsafe = false, imports = [] } = given;
  if (typeof path !== 'string' || path.trim() === '' || ODD_IN_PATH.test(path))
    refuse('path', path, `give a fixed path of letters, digits, '-', '_' and '/', as '${defaultPath}'`);
  if (typeof unsafe !== 'boolean') refuse('unsafe', unsafe, 'give true or false');
  if (!Array.isArray(imports)) refuse('imports', imports, 'give a list of modules');
  return { path, guards: checkWho(guard, unsafe), imports };
}

function checkWho(guard: SiteOptions['guard'], unsafe: boolean): readonly SiteGuard[] {
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

/** One guard or several, as a list. */
export function checkGuards(option: string, given: SiteGuard | readonly SiteGuard[]): readonly SiteGuard[] {
  const guards = Array.isArray(given) ? (given as readonly SiteGuard[]) : [given as SiteGuard];
  if (guards.length === 0) refuse(option, given, 'give at least one guard');
  for (const guard of guards) {
    const can: unknown = (typeof guard === 'function' ? (guard.prototype as unknown) : guard) ?? {};
    if (typeof (can as Partial<CanActivate>).canActivate !== 'function')
      refuse(option, guard, 'give a class or an object with a canActivate(context) method');
  }
  return guards;
}

/** The token of a provider, and not what it provides. */
export function isToken<T>(given: T | InjectionToken<T>): given is InjectionToken<T> {
  return ['function', 'string', 'symbol'].includes(typeof given);
}
