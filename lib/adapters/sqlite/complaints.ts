import type { Clock } from '../../time/clock.js';

const EVERY_MS = 60_000;

/** Says what goes wrong: a failure once until it is over, what is lost at most once a minute. Never throws. */
export class Complaints {
  private failing: string | undefined;
  private readonly saidMs = new Map<string, number>();

  constructor(
    private readonly clock: Clock,
    private readonly warn: (message: string) => void,
  ) {}

  /** Writing fails, with this from now on. */
  failure(gist: string): void {
    if (gist === this.failing) return;
    this.failing = gist;
    this.say(`cannot write: ${gist}. Calls go on, and it is tried again`);
  }

  /** Writing works. */
  success(): void {
    if (this.failing === undefined) return;
    this.failing = undefined;
    this.say('writes again');
  }

  /** `kind`: what goes by the same minute. */
  loss(kind: string, text: string): void {
    const nowMs = this.clock.monotonicMs();
    if (nowMs - (this.saidMs.get(kind) ?? -Infinity) < EVERY_MS) return;
    this.saidMs.set(kind, nowMs);
    this.say(text);
  }

  private say(text: string): void {
    try {
      this.warn(`SQLite event store ${text}`);
    } catch {
      // Nobody is left to be told, and a call must not be.
    }
  }
}
