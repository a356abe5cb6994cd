import { ConfigurationError } from '../errors/configuration-error.js';
import { nearest } from '../errors/nearest.js';
import type { OperationHost } from '../operation/host.js';
import { mergeLayers, optionsOf, type OptionLayer } from '../operation/merge-options.js';
import type { PolicyOptions } from '../operation/options.js';
import { besideShield, checkBesideShield } from './beside-shield.js';
import type { MethodOptions } from './decorated-method.js';

/** What a module says about all decorated methods, and what a named policy says about those that use it. */
export interface ModuleDefaults extends PolicyOptions, Pick<MethodOptions, 'throws'> {}

/** What an application says about its operations, outside their code. */
export interface ModulePolicies {
  /** Laid under every decorator. */
  readonly defaults?: ModuleDefaults | undefined;
  /** Policies that decorators use by name. */
  readonly policies?: Readonly<Record<string, ModuleDefaults>> | undefined;
  /** Laid over the decorator of one operation, by its name. */
  readonly operations?: Readonly<Record<string, MethodOptions>> | undefined;
}

/** The options of a method in an application: all layers merged. */
export interface MergedOptions {
  readonly options: MethodOptions;
  /** What the decorator and `operations` say: rules between options are asked of that. */
  readonly written: MethodOptions;
  /** Where each option comes from, the lowest layer first. */
  readonly layers: readonly OptionLayer[];
}

/**
 * Merges the layers of one method, from the bottom up: defaults, the named policy, the decorator, `operations`. Without
 * an application nobody knows named policies.
 * @throws {ConfigurationError} for a policy that the application does not have.
 */
export function mergeMethod(
  name: string,
  decorator: MethodOptions,
  application: ModulePolicies | undefined,
  host: OperationHost,
): MergedOptions {
  if (host.passesThrough?.(name) === true) return accountAlone(decorator, application?.defaults);
  const operation = entryOf(application?.operations, name);
  const own: OptionLayer[] = [{ from: 'decorator', options: decorator }];
  if (operation !== undefined) own.push({ from: 'operations', options: operation });
  if (decorator.shield !== undefined) return mergeShielded(own, application?.defaults);
  const written = merge(own);
  const below: OptionLayer[] = [];
  if (application?.defaults !== undefined) below.push({ from: 'defaults', options: application.defaults });
  if (typeof written.use === 'string') below.push(...policyLayer(written.use, name, application, host));
  const layers = [...below, ...own];
  return { options: below.length === 0 ? written : merge(layers), written, layers };
}

/** A shield has retries, a timeout and a recovery of its own: those of the defaults are not laid under it. */
function mergeShielded(own: readonly OptionLayer[], defaults: ModuleDefaults = {}): MergedOptions {
  for (const { options, from } of own) checkBesideShield(options, from);
  const layers = [{ from: 'defaults', options: besideShield(defaults) }, ...own];
  return { options: merge(layers), written: merge(own), layers };
}

/** Most methods have one layer, which needs no merging. */
function merge(layers: readonly OptionLayer[]): MethodOptions {
  const [first] = layers;
  return layers.length === 1 && first !== undefined ? first.options : optionsOf(mergeLayers(layers));
}

/** What is left when the policies are left out: who is told of the calls, and what the method is. */
function accountAlone(decorator: MethodOptions, defaults: ModuleDefaults = {}): MergedOptions {
  const layers = [
    { from: 'defaults', options: accountOf(defaults) },
    { from: 'decorator', options: accountOf(decorator) },
  ];
  return { options: merge(layers), written: accountOf(decorator), layers };
}

function accountOf({ name, events, onReport, returns }: MethodOptions): MethodOptions {
  return { name, events, onReport, returns };
}

function policyLayer(
  use: string,
  name: string,
  application: ModulePolicies | undefined,
  host: OperationHost,
): OptionLayer[] {
  if (application === undefined) {
    host.warn(
      `${name} uses the policy '${use}' outside an application, where nobody knows it, so it runs with its own options alone; ` +
        'import ResilienceModule with that policy',
    );
    return [];
  }
  const options = entryOf(application.policies, use);
  if (options !== undefined) return [{ from: `policy '${use}'`, options }];
  const meant = nearest(use, Object.keys(application.policies ?? {}));
  const cure = meant === undefined ? `add it: policies: { '${use}': { … } }` : `did you mean '${meant}'?`;
  throw new ConfigurationError({ option: 'use', problem: `'${use}' is no policy of the module`, cure });
}

/** An own entry: `constructor` and its like are nobody's operation. */
function entryOf<T>(entries: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return entries !== undefined && Object.hasOwn(entries, name) ? entries[name] : undefined;
}
