import type { Clock, Timer } from '../../lib/index.js';
import type { Viewer } from './viewer.js';

/** Browsers that may watch at once. */
const MOST = 32;
const EVERY_MS = 1_000;

/** What viewers are shown: texts of events, made once for all that watch. */
export interface Show {
  /** What somebody needs who begins to watch. */
  opening(): string;
  /** What has changed since the last one. */
  frame(): string;
}

/** All that watch. Nothing is made, and no timer is set, while nobody does. */
export class Viewers {
  private readonly viewers = new Set<Viewer>();
  private timer: Timer | undefined = undefined;
  private latest = '';
  private hasEnded = false;

  constructor(
    private readonly clock: Clock,
    private readonly show: Show,
  ) {}

  get count(): number {
    return this.viewers.size;
  }

  get waitingBytes(): number {
    return [...this.viewers].reduce((sum, viewer) => sum + viewer.waitingBytes, 0);
  }

  /** Whether one more may watch. */
  get hasRoom(): boolean {
    return !this.hasEnded && this.viewers.size < MOST;
  }

  add(viewer: Viewer): void {
    if (this.timer === undefined) this.advance();
    this.viewers.add(viewer);
    viewer.onGone(() => this.remove(viewer));
    viewer.send(this.show.opening() + this.latest);
  }

  /** The application stops. */
  end(): void {
    this.hasEnded = true;
    this.rest();
    for (const viewer of [...this.viewers]) viewer.end();
  }

  private advance(): void {
    this.timer = this.clock.setTimer(this.tick, EVERY_MS);
    this.timer.unref?.();
    this.latest = this.show.frame();
  }

  private readonly tick = (): void => {
    this.advance();
    for (const viewer of [...this.viewers]) viewer.send(this.latest);
  };

  private remove(viewer: Viewer): void {
    this.viewers.delete(viewer);
    if (this.viewers.size === 0) this.rest();
  }

  private rest(): void {
    this.timer?.cancel();
    this.timer = undefined;
    this.latest = '';
  }
}
