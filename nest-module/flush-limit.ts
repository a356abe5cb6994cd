import { systemClock } from '../lib/container.js';

/** Sinks that take longer than this, in all, do not hold up the end of the process. */
const LIMIT_MS = 2_000;

/** Lets event sinks write what they have, for so long. By the machine's clock: it is the process that ends. */
export class FlushLimit {
  private restMs = LIMIT_MS;

  constructor(private readonly warn: (message: string) => void) {}

  /** Resolves when the work has ended, whichever way, or takes too long. Never rejects. */
  async wait(flush: () => unknown): Promise<void> {
    const flushed = outcomeOf(flush);
    // A sink that hung the first time has been told of; the others get their second chance without a wait.
    if (this.restMs <= 0) return;
    const startMs = systemClock.monotonicMs();
    const problem = await this.inTime(flushed);
    this.restMs -= systemClock.monotonicMs() - startMs;
    if (problem !== undefined) this.warn(`an event sink ${problem}; what it still had may be lost`);
  }

  private async inTime(flushed: Promise<string | undefined>): Promise<string | undefined> {
    let cancel = (): void => undefined;
    const timeUp = new Promise<string>((resolve) => {
      const late = (): void => resolve(`did not flush within ${LIMIT_MS / 1_000} s`);
      const timer = systemClock.setTimer(late, this.restMs);
      cancel = () => timer.cancel();
    });
    const problem = await Promise.race([flushed, timeUp]);
    cancel();
    return problem;
  }
}

async function outcomeOf(flush: () => unknown): Promise<string | undefined> {
  try {
    await flush();
    return undefined;
  } catch {
    return 'failed to flush';
  }
}
