import { ConfigurationError } from '../errors/configuration-error.js';
import { globalSlot } from '../errors/global-slot.js';
import { isObservable, type ObservableLike, type ObserverLike } from './observable-like.js';

/** Who subscribed to an Observable, as the function sees it that the Observable was made with. */
export interface Subscriber extends Required<ObserverLike<unknown>> {
  readonly closed: boolean;
  /** Runs the function when the subscription ends, whatever ends it; at once when it has ended. */
  add(teardown: () => void): void;
  unsubscribe(): void;
}

/** The class `Observable` of rxjs. */
export type ObservableClass = new (
  subscribe: (subscriber: Subscriber) => { unsubscribe(): void } | undefined,
) => ObservableLike<unknown>;

const slot = globalSlot('observable', (): { known: ObservableClass | undefined } => ({ known: undefined }));

/** Makes the class `Observable` of rxjs known to all copies of this package. The first one stays. */
export function provideObservable(observable: ObservableClass): void {
  slot.known ??= observable;
}

/**
 * The class to make Observables with: the one that was made known, else the root of a class that the code itself names.
 * @throws {ConfigurationError} where there is neither.
 */
export function observableClass(named: unknown): ObservableClass {
  const found = slot.known ?? rootOf(named);
  if (found !== undefined) return found;
  throw new ConfigurationError({
    option: 'returns',
    problem: "is 'observable', and rxjs is not known here",
    cure: "import 'relprim/nestjs' somewhere, which brings it, or name Observable as the method's return type and compile with emitDecoratorMetadata",
  });
}

/** Whether a class is one of Observables. */
export function isObservableClass(
  named: unknown,
): named is new (...args: never[]) => ObservableLike<unknown> {
  return (
    typeof named === 'function' && isObservable(named.prototype) && !('then' in (named.prototype as object))
  );
}

/** `Observable` itself, of a Subject for example. */
function rootOf(named: unknown): ObservableClass | undefined {
  let root: unknown = named;
  for (let above = named; isObservableClass(above); above = Object.getPrototypeOf(above) as unknown)
    root = above;
  return isObservableClass(root) ? (root as unknown as ObservableClass) : undefined;
}
