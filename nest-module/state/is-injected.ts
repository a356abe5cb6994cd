import type { ModulesContainer } from '@nestjs/core';
import type { Wrapper } from '../start-up/decorated-classes.js';

/** Whether something that this application has made depends on a token. */
export function isInjected(token: unknown, modules: ModulesContainer): boolean {
  for (const { providers, controllers, injectables, middlewares } of modules.values()) {
    for (const wrappers of [providers, controllers, injectables, middlewares]) {
      for (const wrapper of wrappers.values()) if (dependsOn(wrapper, token)) return true;
    }
  }
  return false;
}

function dependsOn(wrapper: Wrapper, token: unknown): boolean {
  const constructed = wrapper.getCtorMetadata() as Wrapper[] | undefined;
  const properties = wrapper.getPropertiesMetadata() as { readonly wrapper: Wrapper }[] | undefined;
  // What nobody has asked for yet, as of a request-scoped class, is missing in these lists.
  const needed = [...(constructed ?? []), ...(properties ?? []).map((property) => property.wrapper)];
  return needed.some((dependency) => (dependency as Wrapper | undefined)?.token === token);
}
