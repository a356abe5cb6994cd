import {
  OperationExecutionError,
  reportOf,
  resultOf,
  SystemClock,
  type OperationResult,
} from '../../../lib/index.js';
import type { Timer } from '../../../lib/index.js';

/** What all calls of a shape have: the signal of the application, and a clock that counts what is set on it. */
export interface World {
  readonly signal: AbortSignal;
  readonly clock: CountingClock;
  /** What is done when the last call of the shape has ended. */
  atEnd(work: () => unknown): void;
}

type Calls = (call: number) => Promise<string>;

/** Calls that all go the same way. */
export interface Shape {
  readonly name: string;
  /** How calls end, and which part of them. */
  readonly endings: Readonly<Record<string, number>>;
  /** Timers that may stay set when all calls have ended: one for each length of time, unreferenced. Default none. */
  readonly timersLeft?: number;
  /** How many are in flight together. Default 100. */
  readonly together?: number;
  /** Makes what is called; that gives how a call has ended. */
  begin(world: World): Calls | Promise<Calls>;
}

/** The clock of the machine, which knows how many timers are set on it, unreferenced ones included. */
export class CountingClock extends SystemClock {
  timersSet = 0;

  override setTimer(callback: () => void, delayMs: number): Timer {
    let isSet = true;
    const unset = (): void => {
      if (isSet) this.timersSet -= 1;
      isSet = false;
    };
    this.timersSet += 1;
    const timer = super.setTimer(() => {
      unset();
      callback();
    }, delayMs);
    return {
      cancel: () => {
        unset();
        timer.cancel();
      },
      unref: () => timer.unref?.(),
      ref: () => timer.ref?.(),
    };
  }
}

/** How a call ended: its status, its attempts, and the error that its caller gets. */
export async function endingOf(call: PromiseLike<OperationResult<unknown>>): Promise<string> {
  try {
    const { report } = await call;
    return `${report.status} ${report.attemptCount}`;
  } catch (error) {
    const report = reportOf(error);
    const cause = error instanceof OperationExecutionError ? error.cause : error;
    return `${report?.status} ${report?.attemptCount} ${(cause as Error).name}`;
  }
}

export class Gone extends Error {
  override readonly name = 'Gone';
}

/** A call whose caller goes away in a later turn. */
export async function left(start: () => Promise<OperationResult<unknown>>): Promise<string> {
  const caller = new AbortController();
  const ending = endingOf(resultOf(start, { signal: caller.signal }));
  await later();
  caller.abort(new Gone());
  return ending;
}

export const later = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
export const afterMs = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));
export const hang = (): Promise<never> => new Promise(() => undefined);
export const noDelay = { delayForRetry: () => 0 };
export const shortDelay = { delayForRetry: () => 0.001 };
export const longDelay = { delayForRetry: () => 3_600 };
