/** Who is told what a source gives. */
export interface ObserverLike<T> {
  readonly next?: (value: T) => void;
  readonly error?: (reason: unknown) => void;
  readonly complete?: () => void;
}

/** An Observable of rxjs, as far as it matters here: the core does not import rxjs. */
export interface ObservableLike<T> {
  subscribe(observer?: ObserverLike<T>): { unsubscribe(): void };
  subscribe(
    next?: ((value: T) => void) | null,
    error?: ((reason: unknown) => void) | null,
    complete?: (() => void) | null,
  ): { unsubscribe(): void };
  pipe(...operators: any[]): any;
}

/** The Observables that are known by their own type. `relprim/nestjs` adds `{ rxjs: Observable<T> }`; the core knows none. */
export interface ObservableTypes<T> {
  readonly like: ObservableLike<T>;
}

/** rxjs' `Observable<T>` once `relprim/nestjs` is imported somewhere, else what can be said without rxjs. */
export type ObservableOf<T> = ObservableTypes<T> extends { readonly rxjs: infer O } ? O : ObservableLike<T>;

/** The value that a promise resolves to, or that an Observable holds; other values are their own. */
export type ValueOf<R> =
  R extends PromiseLike<unknown> ? Awaited<R> : R extends ObservableLike<infer T> ? T : R;

/** Something to subscribe to, whichever library made it. */
export type Source = Pick<ObservableLike<unknown>, 'subscribe'>;

/** Whether a value is an Observable of rxjs, or looks like one. */
export function isObservable(value: unknown): value is ObservableLike<unknown> {
  return isSubscribable(value) && typeof (value as { pipe?: unknown }).pipe === 'function';
}

/** What to subscribe to, where a value is an Observable of whatever library; `undefined` for everything else. */
export function sourceOf(value: unknown): Source | undefined {
  if (isObservable(value)) return value;
  if (typeof value !== 'object' || value === null) return undefined;
  const members = value as Record<PropertyKey, unknown>;
  // As rxjs does it: the symbol where somebody has defined it, the text otherwise.
  const { observable } = Symbol as { observable?: symbol };
  const interop = (observable && members[observable]) ?? members['@@observable'];
  const found: unknown = typeof interop === 'function' ? interop.call(value) : undefined;
  return isSubscribable(found) ? found : undefined;
}

function isSubscribable(value: unknown): value is Source {
  const mayHaveMembers = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return mayHaveMembers && typeof (value as { subscribe?: unknown }).subscribe === 'function';
}
