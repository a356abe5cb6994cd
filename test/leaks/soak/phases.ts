import { currentAttempt } from '../../../lib/index.js';
import { afterMs, hang } from '../shapes/shape.js';

/** What becomes of the upstream and of its callers for a while. */
export interface Phase {
  readonly name: string;
  readonly callsPerSecond: number;
  /** How long an answer takes. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Which part of the attempts fails, never ends, and loses its caller. */
  readonly fails?: number;
  readonly hangs?: number;
  readonly leaves?: number;
}

const quick = { callsPerSecond: 1_000, fromMs: 1, toMs: 8 } as const;

export const PHASES: readonly Phase[] = [
  { name: 'healthy', ...quick },
  { name: 'slow', ...quick, fromMs: 15, toMs: 90 },
  { name: 'failing', ...quick, fails: 0.8 },
  { name: 'hanging', ...quick, hangs: 0.7 },
  { name: 'recovering', ...quick, toMs: 30, fails: 0.15 },
  { name: 'burst', ...quick, callsPerSecond: 3_000 },
  { name: 'aborts', ...quick, toMs: 40, leaves: 0.5 },
];

export class Down extends Error {
  override readonly name = 'Down';
}

/** The dependency of all calls. */
export class Upstream {
  phase = PHASES[0] as Phase;
  /** Work that is counted, and goes on. */
  working = 0;

  constructor(readonly random: () => number) {}

  /** `heeding`, counted for as long as it goes on. */
  async counted(): Promise<string> {
    this.working += 1;
    try {
      return await this.heeding();
    } finally {
      this.working -= 1;
    }
  }

  /** Ends with its attempt, as the work of a good client does. */
  async heeding(): Promise<string> {
    const { signal } = currentAttempt();
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
    return Promise.race([this.answer(), aborted]);
  }

  /** Does not know that it has a signal. */
  async answer(): Promise<string> {
    const { fromMs, toMs, fails = 0, hangs = 0 } = this.phase;
    const chance = this.random();
    if (chance < hangs) return hang();
    await afterMs(fromMs + this.random() * (toMs - fromMs));
    if (chance < hangs + fails) throw new Down('the upstream is down');
    return 'fine';
  }
}
