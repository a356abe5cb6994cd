import { AsyncResource } from 'node:async_hooks';
import type { Clock, Timer } from './clock.js';

const outsideAnyCall = new AsyncResource('relprim.timers');

/** A timer that serves several calls, or outlives the one that sets it: it must not hold that call's async context. */
export function setDetachedTimer(clock: Clock, callback: () => void, delayMs: number): Timer {
  return outsideAnyCall.runInAsyncScope(() => clock.setTimer(callback, delayMs));
}
