import type { Clock } from '../../time/clock.js';
import { subscribe, type RedisClient, type Subscription } from './redis-client.js';
import { sleep } from './sleep.js';

/** How often it is asked whether a key has changed, while nobody tells. */
const FIRST_POLL_MS = 10;
const POLL_GROWTH = 1.5;
const SLOWEST_POLL_MS = 100;
/** A connection that could not be made is not tried again at once by each of those who wait. */
const NEXT_TRY_MS = 1_000;

/** Wakes those who wait for a key: when its owner says so, and as a fall-back by asking. */
export class KeyWatch {
  private readonly waiting = new Map<string, Set<() => void>>();
  private subscription: Subscription | undefined;
  private isTold = false;
  private nextTryMs = -Infinity;
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
    if (signal.aborted) return;
    this.open();
    const woken = new AbortController();
    const wake = (): void => woken.abort();
    signal.addEventListener('abort', wake);
    this.add(key, wake);
    try {
      await this.poll(mostMs, isRunning, woken.signal);
    } finally {
      signal.removeEventListener('abort', wake);
      this.remove(key, wake);
    }
  }

  close(): void {
    this.isClosed = true;
    for (const wakes of [...this.waiting.values()]) for (const wake of [...wakes]) wake();
    this.drop();
  }

  private async poll(mostMs: number, isRunning: () => Promise<boolean>, woken: AbortSignal): Promise<void> {
    const endMs = this.clock.monotonicMs() + mostMs;
    let pauseMs = FIRST_POLL_MS;
    while (!woken.aborted) {
      // Looked at before it is asked: a change that nobody tells is one that the answer shows.
      const told = this.isTold;
      // A server that fails says nothing about the key. Who asks for the key in the end meets the failure.
      if (!(await isRunning().catch(() => true))) return;
      const leftMs = endMs - this.clock.monotonicMs();
      if (leftMs <= 0) return;
      await sleep(this.clock, told ? leftMs : Math.min(pauseMs, leftMs), woken);
      pauseMs = Math.min(pauseMs * POLL_GROWTH, SLOWEST_POLL_MS);
    }
  }

  /** The connection that is told, made when somebody first waits. Nobody waits for it: until then there is asking. */
  private open(): void {
    if (this.client === undefined || this.isClosed || this.subscription !== undefined) return;
    if (this.clock.monotonicMs() < this.nextTryMs) return;
    const isCurrent = (): boolean => this.subscription === subscription;
    const fail = (): void => {
      if (!isCurrent()) return;
      this.nextTryMs = this.clock.monotonicMs() + NEXT_TRY_MS;
      this.drop();
    };
    const subscription = subscribe(this.client, this.channel, (key) => this.wake(key), fail);
    this.subscription = subscription;
    subscription.opened.then(() => void (this.isTold = isCurrent()), fail);
  }

  private drop(): void {
    const { subscription } = this;
    this.subscription = undefined;
    this.isTold = false;
    try {
      subscription?.close();
    } catch {
      // Some clients refuse to close what is closed.
    }
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
