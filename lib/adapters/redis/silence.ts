import type { Clock, Timer } from '../../time/clock.js';

/** A process that comes this part of the time too late was busy with something else. */
const LATE = 1 / 10;
/** How long it listens then, as a part of the time: what waits to be heard has to come through first. */
const LISTENS = 1 / 2;

/** Says that nothing was heard for so long. A timer, since questions may fail at once or hang. */
export class Silence {
  private timer: Timer | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly mostMs: number,
    private readonly fell: () => void,
  ) {}

  /** Something was heard just now. */
  begin(): void {
    this.wait(this.mostMs);
  }

  end(): void {
    this.timer?.cancel();
  }

  private wait(forMs: number): void {
    this.timer?.cancel();
    const dueMs = this.clock.monotonicMs() + forMs;
    this.timer = this.clock.setTimer(() => this.judge(dueMs), forMs);
    this.timer.unref?.();
  }

  /** Who was too busy to hear has to listen first: the answers may have been there for long. */
  private judge(dueMs: number): void {
    const isLate = this.clock.monotonicMs() - dueMs > this.mostMs * LATE;
    if (isLate) this.wait(this.mostMs * LISTENS);
    else this.fell();
  }
}
