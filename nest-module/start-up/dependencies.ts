import 'reflect-metadata';
import { EXECUTOR_HANDLE } from '../../lib/container.js';
import type { Wrapper } from './decorated-classes.js';

/** What Nest injects into a provider; not what this module gives everybody, such as the executor. */
export function dependenciesOf(wrapper: Wrapper): readonly Wrapper[] {
  const ofConstructor = wrapper.getCtorMetadata() as (Wrapper | undefined)[] | undefined;
  const ofProperties = wrapper.getPropertiesMetadata() as { wrapper: Wrapper }[] | undefined;
  // Nest 11 does not look into request-scoped classes that only others of their kind inject.
  const found = [
    ...(ofConstructor ?? constructorTokens(wrapper).map((token) => find(wrapper, token))),
    ...(ofProperties?.map((property) => property.wrapper) ??
      propertyTokens(wrapper).map((token) => find(wrapper, token))),
  ];
  return found.filter((dependency) => dependency !== undefined).filter((dependency) => !isOurs(dependency));
}

function isOurs({ host }: Wrapper): boolean {
  return host?.providers.has(EXECUTOR_HANDLE) === true;
}

function constructorTokens({ metatype, inject }: Wrapper): readonly unknown[] {
  if (inject !== undefined && inject !== null) return inject.map(tokenOf);
  if (typeof metatype !== 'function') return [];
  const types = (Reflect.getMetadata('design:paramtypes', metatype) ?? []) as unknown[];
  const tokens = [...types];
  const said = (Reflect.getMetadata('self:paramtypes', metatype) ?? []) as {
    index: number;
    param: unknown;
  }[];
  for (const { index, param } of said) tokens[index] = param;
  return tokens;
}

function tokenOf(entry: unknown): unknown {
  return typeof entry === 'object' && entry !== null && 'token' in entry ? entry.token : entry;
}

function propertyTokens({ metatype }: Wrapper): readonly unknown[] {
  if (typeof metatype !== 'function') return [];
  const said = Reflect.getMetadata('self:properties_metadata', metatype) as { type: unknown }[] | undefined;
  return (said ?? []).map(({ type }) => type);
}

/** Where Nest would look for it first: in the same module, then in those that it imports. */
function find({ host }: Wrapper, said: unknown): Wrapper | undefined {
  const forward = (said as { forwardRef?: () => unknown } | undefined)?.forwardRef;
  const token = (typeof forward === 'function' ? forward() : said) as string;
  const modules = host === undefined ? [] : [host, ...host.imports];
  return modules.map(({ providers }) => providers.get(token)).find((wrapper) => wrapper !== undefined);
}
