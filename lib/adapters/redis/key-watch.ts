import type { Clock } from '../../time/clock.js';
import { subscribe, type RedisClient, type Subscription } from './redis-client.js';
import { sleep } from './sleep.js';

/** How often it is asked whether a key has changed, while nobody tells. */
const FIRST_POLL_MS = 10;
const POLL_GROWTH = 1.5;
const SLOWEST_POLL_MS = 100;

/** Wakes those who wait for a key: when its owner says so, and as a fall-back by asking. */
export class KeyWatch {
  private readonly waiting = new Map<string, Set<() => void>>();
  private subscription: Promise<Subscription | undefined> | undefined;
  private isClosed = false;

  constructor(
    private readonly client: RedisClient | undefined,
    private readonly channel: string,
    private readonly clock: Clock,
  ) {}

  /** Waits until the key may have changed, at most for this long. `isRunning` asks the server. */
  async change(
    key: string,
    mostMs: number,
    isRunning: () => Promise<boolean>,
    signal: AbortSignal,
  ): Promise<void> {
    const told = await this.open();
    if (signal.aborted) return;
    const woken = new AbortController();
    const wake = (): void => woken.abort();
    signal.addEventListener('abort', wake);
    this.add(key, wake);
    try {
      await this.poll(told !== undefined, mostMs, isRunning, woken.signal);
    } finally {
      signal.removeEventListener('abort', wake);
      this.remove(key, wake);
    }
  }

  close(): void {
    this.isClosed = true;
    for (const wakes of [...this.waiting.values()]) for (const wake of [...wakes]) wake();
    void this.subscription?.then((open) => open?.close());
    this.subscription = undefined;
  }

  private async poll(
    told: boolean,
    mostMs: number,
    isRunning: () => Promise<boolean>,
    woken: AbortSignal,
  ): Promise<void> {
    const endMs = this.clock.monotonicMs() + mostMs;
    let pauseMs = FIRST_POLL_MS;
    // Asked first: it may have changed before anybody listened here.
    while (!woken.aborted && (await isRunning())) {
      const leftMs = endMs - this.clock.monotonicMs();
      if (leftMs <= 0) return;
      await sleep(this.clock, told ? leftMs : Math.min(pauseMs, leftMs), woken);
      pauseMs = Math.min(pauseMs * POLL_GROWTH, SLOWEST_POLL_MS);
    }
  }

  /** The connection that is told, made when somebody first waits. Without it there is still asking. */
  private open(): Promise<Subscription | undefined> {
    if (this.client === undefined || this.isClosed) return Promise.resolve(undefined);
    this.subscription ??= subscribe(this.client, this.channel, (key) => this.wake(key)).catch(() => {
      // The next one who waits tries again.
      this.subscription = undefined;
      return undefined;
    });
    return this.subscription;
  }

  private wake(key: string): void {
    for (const wake of [...(this.waiting.get(key) ?? [])]) wake();
  }

  private add(key: string, wake: () => void): void {
    const wakes = this.waiting.get(key);
    if (wakes === undefined) this.waiting.set(key, new Set([wake]));
    else wakes.add(wake);
  }

  private remove(key: string, wake: () => void): void {
    const wakes = this.waiting.get(key);
    if (wakes?.delete(wake) === true && wakes.size === 0) this.waiting.delete(key);
  }
}
