import { isAbortSignal } from '../attempt/abort-listeners.js';
import { MisuseError } from '../errors/misuse-error.js';
import type { Plan } from './plan.js';

interface SignalledCall {
  readonly plan: Plan;
  readonly self: unknown;
  readonly args: readonly unknown[];
}

/** The signal of the caller of a call. @throws what the selector throws, and a {@link MisuseError} for something else. */
export function findSignal({ plan, self, args }: SignalledCall): AbortSignal | undefined {
  const { signal } = plan;
  if (typeof signal !== 'function') return signal;
  const found: unknown = signal.apply(self, args as unknown[]);
  if (found === undefined || isAbortSignal(found)) return found;
  throw new MisuseError(`${plan.name}: signal must find an AbortSignal or undefined`);
}
