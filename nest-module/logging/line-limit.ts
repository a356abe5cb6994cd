import { thousands, type Line } from './line.js';

/** Lines about one fact of one subject, for a minute. */
interface Window {
  readonly line: Line;
  readonly startMs: number;
  written: number;
  heldBack: number;
  lastMs: number;
}

const WINDOW_MS = 60_000;
/** More subjects than this within a minute share one window for each fact. */
const MOST_SUBJECTS = 1_000;

/**
 * Lets so many lines a minute through for each fact of each subject, and counts the others. It goes by the time of the
 * events, so it has neither a clock nor a timer.
 */
export class LineLimit {
  private readonly windows = new Map<string, Window>();
  private windowsHoldingBack = 0;

  constructor(private readonly linesPerMinute: number) {}

  /** Whether a summary is due at some time. */
  get holdsBack(): boolean {
    return this.windowsHoldingBack > 0;
  }

  /** Whether a line may be written; otherwise it is counted. */
  admits(line: Line, atMs: number): boolean {
    const window = this.windowFor(line, atMs);
    if (window.written < this.linesPerMinute) {
      window.written += 1;
      return true;
    }
    if (window.heldBack === 0) this.windowsHoldingBack += 1;
    window.heldBack += 1;
    window.lastMs = Math.max(window.lastMs, atMs);
    return false;
  }

  /** Forgets the windows that are over by then; gives what they held back. */
  endedBy(atMs: number): Line[] {
    const summaries: Line[] = [];
    for (const [key, window] of this.windows) {
      // Events of slow calls may come late by a little; by more than a window, the wall clock was set back.
      if (Math.abs(atMs - window.startMs) < WINDOW_MS) break;
      this.windows.delete(key);
      summaries.push(...this.summaryOf(window));
    }
    return summaries;
  }

  /** What is held back so far. The windows go on, so that asking often lets no more lines through. */
  heldBack(): Line[] {
    return [...this.windows.values()].flatMap((window) => this.summaryOf(window));
  }

  private windowFor(line: Line, atMs: number): Window {
    const own = this.windows.get(keyOf(line));
    if (own !== undefined) return own;
    const shown = this.windows.size < MOST_SUBJECTS ? line : { ...line, subject: 'other operations' };
    let window = this.windows.get(keyOf(shown));
    if (window === undefined) {
      window = { line: shown, startMs: atMs, written: 0, heldBack: 0, lastMs: atMs };
      this.windows.set(keyOf(shown), window);
    }
    return window;
  }

  private summaryOf(window: Window): Line[] {
    const { line, heldBack, lastMs } = window;
    if (heldBack === 0) return [];
    window.heldBack = 0;
    this.windowsHoldingBack -= 1;
    const until = new Date(lastMs).toISOString();
    const details = ` … and ${thousands(heldBack)} more within a minute, until ${until}`;
    return [{ ...line, details }];
  }
}

function keyOf({ fact, subject }: Line): string {
  return `${fact} ${subject}`;
}
