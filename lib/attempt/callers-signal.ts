import { checkSignal, listenForAbort, stopListening, type AbortListener } from './abort-listeners.js';
import type { CostTaker } from './attempt-view.js';
import { runningAttempt } from './current-attempt.js';

/** What may end several tries and the waits between them. */
export interface CallersSignal {
  readonly signal: AbortSignal | undefined;
  /** Takes what the tries cost: the attempt that started them. */
  readonly costs?: CostTaker | undefined;
  /** Lets go of those who could abort it. */
  release(): void;
}

/**
 * The signal that a caller gave, joined with the attempt in whose synchronous part this is called: what an attempt
 * starts ends with it. `AbortSignal.any` would stay registered in a signal that lives long.
 */
export function callersSignal(given: AbortSignal | undefined): CallersSignal {
  checkSignal(given);
  const parent = runningAttempt();
  if (parent === undefined || given?.aborted === true) return { signal: given, release: () => undefined };
  if (parent.cancelled === true)
    return { signal: AbortSignal.abort(parent.cancelReason), release: () => undefined };
  const family = parent.children();
  const controller = new AbortController();
  const listener: AbortListener = { cancel: (reason) => controller.abort(reason) };
  family.add(listener);
  if (given !== undefined) listenForAbort(given, listener);
  const release = (): void => {
    family.delete(listener);
    if (given !== undefined) stopListening(given, listener);
  };
  return { signal: controller.signal, costs: parent.attempt(), release };
}
