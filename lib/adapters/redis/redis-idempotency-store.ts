import { randomUUID } from 'node:crypto';
import {
  checkCount,
  checkDuration,
  checkName,
  checkOptions,
  checkTimeOptions,
  refuse,
  type TimeOptions,
} from '../../errors/check.js';
import { digest } from '../../policies/idempotency/digest.js';
import type { Claim, ClaimRequest, IdempotencyStore } from '../../policies/idempotency/idempotency-store.js';
import { systemClock } from '../../time/clock.js';
import type { Duration } from '../../time/duration.js';
import { KeyWatch } from './key-watch.js';
import { LONGEST_MS, OwnedRedisKey } from './owned-redis-key.js';
import { checkClient, type RedisClient } from './redis-client.js';
import { RedisConnection } from './redis-connection.js';
import { CLAIM, RUNNING } from './scripts.js';
import { JSON_CODEC, readOutcome, type ValueCodec } from './value-codec.js';

/** Options of {@link RedisIdempotencyStore}. */
export interface RedisIdempotencyStoreOptions extends Pick<TimeOptions, 'clock'> {
  /** Your connected client of `ioredis` or `redis`, a single server or a cluster. It stays yours to close. */
  readonly client: RedisClient;
  /**
   * How those who wait in other processes learn that a result is there. `'push'`: a connection of its own, a duplicate
   * of the client, made when somebody first waits, listens to a channel. `'poll'`: they ask, every 10 to 100 ms.
   * Default `'push'`; where that connection fails, they ask.
   */
  readonly wake?: 'push' | 'poll' | undefined;
  /** What all names on the server begin with. Default `'relprim:idempotency:'`. */
  readonly prefix?: string | undefined;
  /**
   * How long a key stays owned without a sign of life. Who executes gives one every third of it, so this is how long a
   * key is blocked after its owner has died. Default 30 s.
   */
  readonly lease?: Duration | undefined;
  /** Writes values down and reads them. Default: JSON, so that dates come back as texts, and classes as plain objects. */
  readonly codec?: ValueCodec | undefined;
  /** The longest value that is kept, in bytes of what the codec writes. Default 1 MiB. */
  readonly maxValueBytes?: number | undefined;
  /** The longest time that one command may take; then the store has failed. Default 5 s. */
  readonly commandTimeout?: Duration | undefined;
}

/** How long somebody who waits is taken to wait on, from each time that it asks: it asks three times as often. */
const WAITING_MS = 3_000;
const LONGEST_WAIT_MS = WAITING_MS / 3;

const OPTIONS: readonly (keyof RedisIdempotencyStoreOptions)[] = [
  'client',
  'wake',
  'prefix',
  'lease',
  'codec',
  'maxValueBytes',
  'commandTimeout',
  'clock',
];

/**
 * Keeps outcomes in Redis (5 or later), so that processes share them, and executes each key in one process at a time.
 * Only the server's clock counts. Keys are stored as digests, results as the codec writes them, failures not at all.
 */
export class RedisIdempotencyStore implements IdempotencyStore {
  private readonly connection: RedisConnection;
  private readonly watch: KeyWatch;
  private readonly codec: ValueCodec;
  private readonly maxValueBytes: number;
  private readonly leaseMs: number;
  private readonly prefix: string;
  private readonly channel: string;

  /** @throws {ConfigurationError} for a client that is none, or a number that is out of range. */
  constructor(options: RedisIdempotencyStoreOptions) {
    checkOptions('RedisIdempotencyStore', options, OPTIONS);
    checkTimeOptions(options);
    const { lease = 30, commandTimeout = 5, codec = JSON_CODEC, clock = systemClock } = options;
    const { wake = 'push' } = options;
    if (wake !== 'push' && wake !== 'poll') refuse('wake', wake, "give 'push' or 'poll'");
    const client = checkClient(options.client);
    this.codec = checkCodec(codec);
    this.prefix = checkName('prefix', options.prefix ?? 'relprim:idempotency:');
    this.channel = `${this.prefix}done`;
    this.leaseMs = Math.min(Math.ceil(checkDuration('lease', lease)), LONGEST_MS);
    this.maxValueBytes = checkCount('maxValueBytes', options.maxValueBytes ?? 1_048_576, 1);
    this.connection = new RedisConnection(client, clock, checkDuration('commandTimeout', commandTimeout));
    this.watch = new KeyWatch(wake === 'push' ? client : undefined, this.channel, clock);
  }

  async claim(key: string, { fingerprint, waits }: ClaimRequest): Promise<Claim> {
    const id = digest(key);
    const owned = this.ownedKey(id, fingerprint);
    const wait = waits ? WAITING_MS : 0;
    const asked = this.connection.run(CLAIM, this.prefix + id, [
      owned.token,
      this.leaseMs,
      fingerprint ?? '',
      wait,
    ]);
    const [state, known, detail, leftMs] = (await asked.catch((error: unknown) => {
      // The server may have given us the key all the same.
      owned.forget();
      throw error;
    })) as [string, string?, string?, (number | string)?];
    if (state === 'owned') return owned.begin();
    const stored = known === undefined || known === '' ? undefined : known;
    if (state === 'done')
      return { state: 'done', fingerprint: stored, outcome: readOutcome(detail ?? '', this.codec) };
    return {
      state: 'in_flight',
      fingerprint: stored,
      changed: (signal) => this.changed(id, detail ?? '', Number(leftMs), signal),
    };
  }

  /** Closes the connection of its own, and wakes those who wait. Your client stays open. */
  close(): void {
    this.watch.close();
  }

  /** NestJS calls this where the store is a provider. */
  onApplicationShutdown(): void {
    this.close();
  }

  private changed(id: string, token: string, leaseLeftMs: number, signal: AbortSignal): Promise<void> {
    // A millisecond after the end of the lease, the key has gone.
    const mostMs = Math.min(leaseLeftMs + 1, LONGEST_WAIT_MS);
    const isRunning = async (): Promise<boolean> =>
      Number(await this.connection.run(RUNNING, this.prefix + id, [token])) === 1;
    return this.watch.change(id, mostMs, isRunning, signal);
  }

  private ownedKey(id: string, fingerprint: string | undefined): OwnedRedisKey {
    const { codec, maxValueBytes, leaseMs, channel } = this;
    return new OwnedRedisKey(this.connection, {
      key: this.prefix + id,
      id,
      token: randomUUID(),
      fingerprint: fingerprint ?? '',
      channel,
      leaseMs,
      codec,
      maxValueBytes,
    });
  }
}

function checkCodec(codec: ValueCodec): ValueCodec {
  const { encode, decode } = (codec ?? {}) as Partial<ValueCodec>;
  if (typeof encode === 'function' && typeof decode === 'function') return codec;
  return refuse('codec', codec, 'give an object with encode() and decode()');
}
