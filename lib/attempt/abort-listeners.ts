import { refuse } from '../errors/check.js';

/** Something that must end when a signal aborts. */
export interface AbortListener {
  cancel(reason: unknown): void;
}

/**
 * One listener on each signal, however many calls wait for it: a signal that lives as long as the application serves
 * any number of calls at once without a listener-leak warning, and is left without listeners when they have ended.
 */
class SignalHub {
  private readonly listeners = new Set<AbortListener>();

  constructor(private readonly signal: AbortSignal) {}

  add(listener: AbortListener): void {
    if (this.listeners.size === 0) this.signal.addEventListener('abort', this);
    this.listeners.add(listener);
  }

  remove(listener: AbortListener): void {
    if (this.listeners.delete(listener) && this.listeners.size === 0)
      this.signal.removeEventListener('abort', this);
  }

  handleEvent(): void {
    for (const listener of this.listeners) {
      this.remove(listener);
      listener.cancel(this.signal.reason);
    }
  }
}

const hubs = new WeakMap<AbortSignal, SignalHub>();

export function listenForAbort(signal: AbortSignal, listener: AbortListener): void {
  let hub = hubs.get(signal);
  if (hub === undefined) hubs.set(signal, (hub = new SignalHub(signal)));
  hub.add(listener);
}

export function stopListening(signal: AbortSignal, listener: AbortListener): void {
  hubs.get(signal)?.remove(listener);
}

/** @throws {ConfigurationError} for something that is given as a signal and is none. */
export function checkSignal(signal: unknown): void {
  if (signal !== undefined && !isAbortSignal(signal)) refuse('signal', signal, 'give an AbortSignal');
}

/** Whether a value can serve as an AbortSignal; those of another realm are no instances of ours. */
export function isAbortSignal(value: unknown): value is AbortSignal {
  const signal = value as Partial<AbortSignal> | null | undefined;
  return typeof signal?.aborted === 'boolean' && typeof signal.addEventListener === 'function';
}
