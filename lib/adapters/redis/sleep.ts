import type { Clock } from '../../time/clock.js';

/** Waits on a clock; a signal ends it early. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      timer.cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = clock.setTimer(end, delayMs);
    if (signal?.aborted === true) end();
    else signal?.addEventListener('abort', end);
  });
}
