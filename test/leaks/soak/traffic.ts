import { resultOf } from '../../../lib/index.js';
import type { Client } from './client.js';
import { PHASES, type Phase, type Upstream } from './phases.js';
import type { Tally } from './tally.js';

const EVERY_MS = 5;
const MOST_LATE_MS = 500;

class Gone extends Error {}

/** Calls in a steady stream, phase after phase, until it is stopped. */
export class Traffic {
  /** How late the event loop was, in all, since somebody last asked, and in the time before that. */
  private lateMs = 0;
  private lateBeforeMs = 0;
  private calls = 0;
  private due = 0;
  private lastMs = performance.now();
  private readonly startMs = this.lastMs;
  private readonly timer = setInterval(() => this.tick(), EVERY_MS);

  constructor(
    private readonly client: Client,
    private readonly tally: Tally,
    private readonly upstream: Upstream,
    private readonly phaseSeconds: number,
  ) {}

  stop(): void {
    clearInterval(this.timer);
  }

  /** By how much the event loop may have held up a call that is in flight now. */
  takeLateMs(): number {
    const lateMs = this.lateMs + Math.max(0, performance.now() - this.lastMs - EVERY_MS);
    const sum = lateMs + this.lateBeforeMs;
    this.lateBeforeMs = lateMs;
    this.lateMs = 0;
    return sum;
  }

  private tick(): void {
    const nowMs = performance.now();
    const passedMs = nowMs - this.lastMs;
    this.lastMs = nowMs;
    this.lateMs += Math.max(0, passedMs - EVERY_MS);
    const index = Math.floor((nowMs - this.startMs) / (this.phaseSeconds * 1_000)) % PHASES.length;
    const phase = (this.upstream.phase = PHASES[index] as Phase);
    // What a late event loop has missed is not made up for all at once.
    this.due += (phase.callsPerSecond * Math.min(passedMs, MOST_LATE_MS)) / 1_000;
    for (; this.due >= 1; this.due -= 1) void this.call(phase).catch(() => undefined);
  }

  private async call({ leaves = 0 }: Phase): Promise<unknown> {
    const { client, tally } = this;
    const number = (this.calls += 1);
    const methods = {
      charge: () => client.charge(),
      rate: () => client.rate(),
      search: () => client.search(),
      print: () => client.print(),
      order: () => client.order(`order ${Math.floor(number / 30)}`),
      both: () => client.both(),
    };
    const names = Object.keys(methods) as (keyof typeof methods)[];
    const name = names[number % names.length] as keyof typeof methods;
    const start: () => Promise<unknown> = methods[name];
    if (this.upstream.random() >= leaves) return tally.count(name, start());
    const caller = new AbortController();
    setTimeout(() => caller.abort(new Gone('gone')), this.upstream.random() * 20);
    return tally.count(name, resultOf(start, { signal: caller.signal }));
  }
}
