import type { Clock, Timer } from '../../time/clock.js';

/** A process that comes this part of the time too late was busy with something else. */
const LATE = 1 / 10;

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
    const mostLateMs = this.mostMs * LATE;
    if (this.clock.monotonicMs() - dueMs > mostLateMs) this.wait(mostLateMs);
    else this.fell();
  }
}
