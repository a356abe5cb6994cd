import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** Whether the time has passed: false where the connection had gone before. Leaves no timer. */
export function sleep(ms: number, signal: AbortSignal): Promise<boolean> {
  return delay(ms, true, { signal }).catch(() => false);
}

export interface Pace {
  /** How long everything is on its way. */
  readonly latencyMs?: number | undefined;
  /** So many bytes at once; all of them where it is left out. */
  readonly partBytes?: number;
  /** The time between two parts. */
  readonly everyMs?: number;
}

/** One direction of a connection: what is put in comes out in order, later, in parts. */
export class Flow {
  private latest: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly to: Socket,
    private readonly pace: Pace,
    private readonly signal: AbortSignal,
    /** As much of it as gets through. */
    private readonly allow: (part: Buffer) => Buffer = (part) => part,
  ) {}

  add(chunk: Buffer): void {
    const { partBytes = chunk.length, everyMs = 0 } = this.pace;
    this.queue(async () => {
      for (let from = 0; from < chunk.length && !this.signal.aborted; from += partBytes) {
        if (everyMs > 0 && !(await sleep(everyMs, this.signal))) return;
        const part = this.allow(chunk.subarray(from, from + partBytes));
        if (part.length > 0) this.to.write(part);
      }
    });
  }

  end(): void {
    this.queue(async () => void this.to.end());
  }

  private queue(step: () => Promise<void>): void {
    const { latencyMs = 0 } = this.pace;
    const dueMs = performance.now() + latencyMs;
    this.latest = this.latest.then(async () => {
      if (latencyMs > 0) await sleep(Math.max(0, dueMs - performance.now()), this.signal);
      if (!this.signal.aborted && !this.to.destroyed) await step();
    });
  }
}
