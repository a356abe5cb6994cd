/** What is flushed when a process has nothing else left to do. */
interface Flushed {
  flush(): Promise<void>;
}

const watched = new Set<Flushed>();
let watching = false;

/**
 * The timers of queues do not keep a process alive. One that comes to its end by itself writes what waits; one that is
 * ended, by `process.exit()` or a signal, has no time for it.
 */
export function watchUntilProcessEnd(queue: Flushed): void {
  watched.add(queue);
  if (watching) return;
  watching = true;
  process.on('beforeExit', () => {
    for (const waiting of watched) {
      watched.delete(waiting);
      // It has said what went wrong.
      waiting.flush().catch(() => undefined);
    }
  });
}

/** Nothing waits any more. */
export function forgetAtProcessEnd(queue: Flushed): void {
  watched.delete(queue);
}
