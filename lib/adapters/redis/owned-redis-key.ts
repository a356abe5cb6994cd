import type { KeptOutcome, NotKept, OwnedKey } from '../../policies/idempotency/idempotency-store.js';
import type { Timer } from '../../time/clock.js';
import { secondsToMs } from '../../time/duration.js';
import type { RedisConnection } from './redis-connection.js';
import { AWAITED, COMPLETE, EXTEND, RELEASE } from './scripts.js';
import { sleep } from './sleep.js';
import { writeOutcome, type ValueCodec } from './value-codec.js';

/** The longest time that Redis and JavaScript both understand. */
export const LONGEST_MS = Number.MAX_SAFE_INTEGER;

export interface OwnedRedisKeyOptions {
  /** The name on the server, and the part of it that is told to those who wait. */
  readonly key: string;
  readonly id: string;
  /** Tells this owner from those before and after: with an old one, nothing can be written any more. */
  readonly token: string;
  readonly fingerprint: string;
  readonly channel: string;
  readonly leaseMs: number;
  readonly codec: ValueCodec;
  readonly maxValueBytes: number;
}

/** A key that this process owns, as long as it gives signs of life. */
export class OwnedRedisKey implements OwnedKey {
  readonly state = 'owned';
  private beat: Timer | undefined;
  private hasEnded = false;
  /** Made where somebody waits for the end. */
  private ended: AbortController | undefined;

  constructor(
    private readonly connection: RedisConnection,
    private readonly options: OwnedRedisKeyOptions,
  ) {}

  get token(): string {
    return this.options.token;
  }

  /** From here on it gives signs of life. */
  begin(): this {
    this.schedule();
    return this;
  }

  /** It is not known whether the server gave it: it is given back in case it did. */
  forget(): void {
    this.release().catch(() => undefined);
  }

  async complete(outcome: KeptOutcome, ttlSeconds: number): Promise<NotKept | undefined> {
    const { key, id, token, fingerprint, channel, codec, maxValueBytes } = this.options;
    const ttlMs = Math.min(Math.ceil(secondsToMs(ttlSeconds)), LONGEST_MS);
    try {
      const { text, unavailable } = writeOutcome(outcome, codec, maxValueBytes);
      const kept = await this.connection.run(COMPLETE, key, [token, ttlMs, text, fingerprint, channel, id]);
      return Number(kept) === 1 ? unavailable : 'lost';
    } finally {
      this.end();
    }
  }

  async release(): Promise<void> {
    const { key, id, token, channel } = this.options;
    this.end();
    await this.connection.run(RELEASE, key, [token, channel, id]);
  }

  async untilUnawaited(): Promise<void> {
    const { key, token } = this.options;
    this.ended ??= new AbortController();
    while (!this.hasEnded) {
      const leftMs = Number(await this.connection.run(AWAITED, key, [token]));
      if (leftMs <= 0) return;
      await sleep(this.connection.clock, leftMs, this.ended.signal);
    }
  }

  private schedule(): void {
    this.beat = this.connection.clock.setTimer(() => void this.extend(), this.options.leaseMs / 3);
    // What executes keeps the process alive, or nothing does.
    this.beat.unref?.();
  }

  private async extend(): Promise<void> {
    const { key, token, leaseMs } = this.options;
    // A failure says nothing about the lease: the next sign of life may come in time.
    const owned = await this.connection.run(EXTEND, key, [token, leaseMs]).catch(() => 1);
    if (Number(owned) === 1 && !this.hasEnded) this.schedule();
  }

  private end(): void {
    this.hasEnded = true;
    this.beat?.cancel();
    this.ended?.abort();
  }
}
