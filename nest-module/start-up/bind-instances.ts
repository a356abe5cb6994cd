import { bindHandle, boundHandle, EXECUTOR_HANDLE, type ExecutorHandle } from '../../lib/container.js';
import type { DecoratedClass, Wrapper } from './decorated-classes.js';
import { offerHandle } from './offer-handles.js';

/** Instances that somebody else made; a test may give the same one to many applications, one after the other. */
const adopted = new WeakSet<object>();

/** Reaches the instances that Nest does not hand the handle to by itself. It wraps nothing. */
export function bindInstances(
  { instance, isSingleton, wrapper }: DecoratedClass,
  handle: ExecutorHandle,
  handleWrapper: Wrapper,
): void {
  if (isSingleton) return bind(instance, handle);
  offerLate(wrapper, handleWrapper);
  for (const made of wrapper.getStaticTransientInstances())
    if (made !== undefined) bind(made.instance as object, handle);
}

/** What another application constructed stays with it; what was only handed in goes with the latest one. */
function bind(instance: object, handle: ExecutorHandle): void {
  if (boundHandle(instance) !== undefined && !adopted.has(instance)) return;
  bindHandle(instance, handle);
  adopted.add(instance);
}

/** A subclass with injected properties of its own, defined before this package was imported, hides what its base is offered. */
function offerLate(wrapper: Wrapper, handleWrapper: Wrapper): void {
  const known = wrapper.getPropertiesMetadata() as ReturnType<Wrapper['getPropertiesMetadata']> | undefined;
  if (known?.some(({ key }) => key === EXECUTOR_HANDLE)) return;
  offerHandle((wrapper.metatype as { prototype: object }).prototype);
  // Nest 11 goes by what it found at start-up, once it found anything.
  if (known !== undefined) wrapper.addPropertiesMetadata(EXECUTOR_HANDLE, handleWrapper);
}
