import { Shield, type ProfiledShieldOptions } from '../../lib/index.js';
import type { Clock } from '../../lib/time/clock.js';
import { TUNING, type ShieldTuning } from '../../lib/shield/tuning.js';

/** What a server says that is asked too much. */
export class TooMany extends Error {
  override name = 'TooMany';
}

/** How much a server bears: a bucket that is filled at a rate, and how long an answer takes. */
export class BucketServer {
  private tokens: number;
  private filledMs = 0;

  constructor(
    public rate: number,
    readonly capacity: number,
  ) {
    this.tokens = capacity;
  }

  /** Whether one more is served. */
  takes(nowMs: number): boolean {
    this.tokens = Math.min(this.capacity, this.tokens + ((nowMs - this.filledMs) * this.rate) / 1_000);
    this.filledMs = nowMs;
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }
}

/** One attempt, as the server saw it. */
export interface Sent {
  readonly at: number;
  readonly served: boolean;
  readonly worker: number;
}

export interface Loop {
  readonly clock: Clock;
  readonly shield: Shield;
  /** Asks the server; rejects where it is asked too much. */
  ask(worker: number): Promise<unknown>;
  readonly workers: number;
  readonly seconds: number;
}

/** Workers that call one after another until the time is over. */
export async function runWorkers({ clock, shield, ask, workers, seconds }: Loop): Promise<void> {
  const endMs = clock.monotonicMs() + seconds * 1_000;
  const work = async (worker: number): Promise<void> => {
    while (clock.monotonicMs() < endMs) {
      try {
        await shield.run(ask, worker);
      } catch {
        // The next call is another one.
      }
    }
  };
  await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
}

export function loopShield(
  clock: Clock,
  random: () => number,
  options: ProfiledShieldOptions = {},
  tuning: ShieldTuning = TUNING,
): Shield {
  const given = { clock, random, env: false, timeoutErrors: TooMany, maxWait: '1h', ...options } as const;
  return new Shield('server', given, { tuning });
}

/** Attempts a second, and the share of them that was refused, within a span. */
export function span(sent: readonly Sent[], from: number, to: number): { rate: number; refused: number } {
  const within = sent.filter(({ at }) => at >= from && at < to);
  const refused = within.filter(({ served }) => !served).length;
  return { rate: within.length / (to - from), refused: within.length === 0 ? 0 : refused / within.length };
}

/** Jain's index of how evenly workers were served: 1 when all got the same. */
export function fairness(sent: readonly Sent[], workers: number, from: number): number {
  const served = new Array<number>(workers).fill(0);
  for (const { at, served: ok, worker } of sent)
    if (ok && at >= from) served[worker] = (served[worker] as number) + 1;
  const sum = served.reduce((one, other) => one + other, 0);
  return sum ** 2 / (workers * served.reduce((total, count) => total + count ** 2, 0));
}
