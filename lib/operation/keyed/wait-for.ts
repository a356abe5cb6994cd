import { CUT } from '../interruptible.js';
import type { KeyedCall } from './keyed-call.js';

/**
 * Waits for something that the caller of a call, its deadline and the end of the application may cut short.
 * @throws `CUT` where the call was cancelled, and the timeout where its deadline came.
 */
export async function waitFor<T>(call: KeyedCall, promise: PromiseLike<T>): Promise<T> {
  const { shutdown } = call.plan.host;
  if (call.remainingMs <= 0) {
    // Not waited for, it may still fail.
    promise.then(undefined, () => undefined);
    throw call.missDeadline();
  }
  call.phase = 'wait';
  call.hasWaited = true;
  try {
    const outcome = call.untilCut(promise);
    shutdown?.enter(call, undefined);
    const value = await outcome;
    call.stopWaiting();
    return value;
  } catch (error) {
    throw error === CUT && !call.cancelled ? call.missDeadline() : error;
  } finally {
    shutdown?.leave(call);
    call.dropTimers();
    call.phase = 'between';
  }
}
