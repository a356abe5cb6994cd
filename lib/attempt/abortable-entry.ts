import type { Clock } from '../time/clock.js';
import { listenForAbort, stopListening, type AbortListener } from './abort-listeners.js';
import type { Gate } from './gate.js';
import { Waiter } from './waiting-line.js';

/** Who waits outside an operation, as what ends waits at shutdown knows it. */
interface Waiting extends AbortListener {
  readonly operationName: string;
}

/** What ends all waits when an application stops. */
export interface EndOfWaits {
  enter(waiting: Waiting, failure: unknown): void;
  leave(waiting: Waiting): void;
}

/** What may end a wait early. */
export interface EntryOptions {
  readonly operationName: string;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  readonly shutdown: EndOfWaits | undefined;
}

/** Passes a gate outside an operation; an abort ends the wait at once, with the signal's reason. */
export function abortableEntry(gate: Gate, options: EntryOptions): Promise<void> {
  const { operationName, clock, signal, shutdown } = options;
  if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
  const nowMs = clock.monotonicMs();
  if (gate.tryEnter(nowMs)) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const fail: (reason: unknown) => void = reject;
    const listener: Waiting = {
      operationName,
      cancel: (reason) => {
        ended();
        gate.leave(waiter, clock.monotonicMs());
        fail(reason);
      },
    };
    const ended = (): void => {
      if (signal !== undefined) stopListening(signal, listener);
      shutdown?.leave(listener);
    };
    const admit = (): void => {
      ended();
      resolve();
    };
    const refuse = (reason: unknown): void => {
      ended();
      fail(reason);
    };
    const waiter = new Waiter(clock, admit, refuse);
    gate.wait(waiter, nowMs);
    if (signal !== undefined) listenForAbort(signal, listener);
    shutdown?.enter(listener, undefined);
  });
}
