import type { IoredisLike } from '../../lib/adapters/redis.js';
import type { FakeClock } from '../../lib/testing/index.js';
import type { Clock, Timer } from '../../lib/index.js';
import { FleetTwin, messageOf } from './fleet-twin.js';

/** What becomes of one message, and of the answer to it. `undefined`: it is lost. */
export interface Fate {
  readonly thereMs: number | undefined;
  readonly backMs: number | undefined;
  /** After so long the client knows that the connection is broken; before that it waits for what is lost. */
  readonly brokenMs?: number | undefined;
  /** The message is delivered once more, so much later. */
  readonly againMs?: number | undefined;
}

export const AT_ONCE: Fate = { thereMs: 0, backMs: 0 };
export const LOST: Fate = { thereMs: undefined, backMs: undefined };
/** The connection breaks, and the client says so at once. */
export const BROKEN: Fate = { ...LOST, brokenMs: 0 };

/** After so long a client finds out that a connection is broken, and gives up what was under way on it. */
const BROKEN_MS = 400;

/** A server that keeps the words of the fleets in naive twins of the scripts, and goes by a time of its own. */
export class FakeRedis {
  readonly fleets = new Map<string, FleetTwin>();
  /** How many scripts it has run. */
  runs = 0;
  /** How many answers have not come yet. */
  underWay = 0;

  private setMs = 0;

  constructor(private readonly clock: FakeClock) {}

  /** Its clock, which is nobody else's. */
  get nowMs(): number {
    return this.clock.monotonicMs() + this.setMs;
  }

  setClock(byMs: number): void {
    this.setMs += byMs;
  }

  /** It is empty, as one is that has taken the place of another. */
  loseAll(): void {
    this.fleets.clear();
  }

  /** A client whose messages travel as `fate` says of each. */
  client(fate: () => Fate): IoredisLike {
    return {
      evalsha: (_sha: string, _count: number, key = '', ...args: string[]) => this.send(fate(), key, args),
      eval: () => Promise.reject(new Error('the script is known')),
      options: {},
      duplicate: () => this.client(fate),
      subscribe: () => Promise.resolve(),
      on: () => undefined,
      disconnect: () => undefined,
    };
  }

  fleet(key: string): FleetTwin {
    const fleet = this.fleets.get(key) ?? new FleetTwin();
    this.fleets.set(key, fleet);
    return fleet;
  }

  private send(fate: Fate, key: string, args: readonly string[]): Promise<unknown> {
    const { thereMs, backMs, againMs, brokenMs = BROKEN_MS } = fate;
    return new Promise((resolve, reject) => {
      if (thereMs === undefined || backMs === undefined) {
        const error = new Error('the connection is broken');
        this.clock.setTimer(() => reject(error), brokenMs).unref?.();
      }
      if (thereMs === undefined) return;
      this.clock.setTimer(() => {
        const answer = this.run(key, args);
        if (backMs !== undefined) {
          this.underWay += 1;
          this.clock.setTimer(() => {
            this.underWay -= 1;
            resolve(answer);
          }, backMs);
        }
        if (againMs !== undefined) this.clock.setTimer(() => void this.run(key, args), againMs);
      }, thereMs);
    });
  }

  private run(key: string, args: readonly string[]): unknown {
    this.runs += 1;
    const fleet = this.fleet(key);
    if (args.length > 1) return fleet.sync(this.nowMs, messageOf(args));
    fleet.leave(args[0] ?? '');
    return 1;
  }
}

/** The clock of a machine that was started at another time, and is set wrong. */
export class SkewedClock implements Clock {
  constructor(
    private readonly clock: FakeClock,
    private readonly skewMs: number,
  ) {}

  monotonicMs(): number {
    return this.clock.monotonicMs() + this.skewMs;
  }

  wallMs(): number {
    return this.clock.wallMs() - this.skewMs;
  }

  setTimer(callback: () => void, delayMs: number): Timer {
    return this.clock.setTimer(callback, delayMs);
  }
}
