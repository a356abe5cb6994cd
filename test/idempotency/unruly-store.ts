import type { Scheduler } from 'fast-check';
import type {
  Claim,
  ClaimRequest,
  IdempotencyStore,
  KeptOutcome,
  KnownOutcome,
  NotKept,
} from '../../lib/index.js';
import type { FakeClock } from '../../lib/testing/index.js';
import { done } from './remote-store.js';

/** How one thing that takes time goes. */
export interface Turn {
  readonly pace: string;
  readonly end: string;
}

/** Takes turns from a script, for ever. */
export function turns<T extends Turn>(script: readonly T[]): () => T {
  let taken = 0;
  return () => script[taken++ % script.length] as T;
}

/** Time that passes for things beside the engine. */
export class Elsewhere {
  /** How many timers are not the engine's. */
  timers = 0;

  constructor(
    readonly clock: FakeClock,
    private readonly scheduler: Scheduler,
  ) {}

  soon(label: string): Promise<unknown> {
    return this.scheduler.schedule(Promise.resolve(), label);
  }

  after(ms: number, act: () => void): void {
    this.timers += 1;
    this.clock.setTimer(() => {
      this.timers -= 1;
      act();
    }, ms);
  }

  /** Nothing where it is to happen at once. */
  delay({ pace }: Turn, label: string): Promise<unknown> | undefined {
    if (pace === 'now') return undefined;
    return pace === 'soon' ? this.soon(label) : new Promise<void>((resolve) => this.after(30_000, resolve));
  }
}

type Entry =
  | { readonly state: 'owned'; readonly owner: object; readonly fingerprint: string | undefined }
  | KnownOutcome;

/** A store that other processes use, too. It is slow, fails and loses keys by a script, but gives a key to one at a time. */
export class UnrulyStore implements IdempotencyStore {
  /** How often each key that was given away has been completed or released. */
  readonly given: { ends: number }[] = [];
  readonly watches: AbortSignal[] = [];
  private readonly entries = new Map<string, Entry>();
  private readonly watchers = new Set<() => void>();

  constructor(
    private readonly elsewhere: Elsewhere,
    private readonly turn: () => Turn,
    private readonly watchRejects: boolean,
    /** Whether others may wait for what this process executes. */
    private readonly isAwaited: boolean,
  ) {}

  claim(key: string, { fingerprint }: ClaimRequest): Claim | Promise<Claim> {
    const { turn, elsewhere } = this;
    const now = turn();
    const answer = (): Claim => this.answer(key, fingerprint);
    const delay = elsewhere.delay(now, `claim ${key}`);
    if (now.end === 'throws') throw new Error('down');
    if (now.end === 'rejects')
      return (delay ?? Promise.resolve()).then(() => Promise.reject(new Error('down')));
    if (delay === undefined) return answer();
    // The answer itself is on its way for a while, too.
    return delay.then(answer).then(async (claim) => (await elsewhere.delay(turn(), `answer ${key}`), claim));
  }

  /** Whether this process may work for a key. */
  isOwned(key: string): boolean {
    const entry = this.entries.get(key);
    return entry?.state === 'owned' && this.given.includes(entry.owner as never);
  }

  get ownedKeys(): string[] {
    return [...this.entries.keys()].filter((key) => this.isOwned(key));
  }

  /** Another process works for a key, where that is free, until its lease ends. */
  ownElsewhere(key: string, ms: number, end: string): void {
    if (this.entries.has(key)) return;
    this.entries.set(key, { state: 'owned', owner: {}, fingerprint: undefined });
    this.elsewhere.after(ms, () =>
      this.put(key, end === 'keeps' ? done({ key: key.slice(-1), in: {} }) : undefined),
    );
  }

  private answer(key: string, fingerprint: string | undefined): Claim {
    const entry = this.entries.get(key);
    if (entry?.state === 'done') return entry;
    if (entry !== undefined)
      return {
        state: 'in_flight',
        fingerprint: entry.fingerprint,
        changed: (signal) => this.changed(key, entry, signal),
      };
    const owner = { ends: 0 };
    this.given.push(owner);
    this.entries.set(key, { state: 'owned', owner, fingerprint });
    const end = (
      next: (outcome: string) => KnownOutcome | undefined,
    ): Promise<NotKept | undefined> | undefined => {
      owner.ends += 1;
      const { pace, end } = this.turn();
      const act = (): NotKept | undefined => {
        this.put(key, next(end));
        if (end === 'rejects' || end === 'throws') throw new Error('down');
        return end === 'lost' ? 'lost' : undefined;
      };
      const delay = this.elsewhere.delay({ pace, end }, `end ${key}`);
      return delay === undefined ? (act() as undefined) : delay.then(act);
    };
    const keep = (outcome: KeptOutcome) => (how: string) =>
      how === 'good' ? ({ state: 'done', fingerprint, outcome } as const) : undefined;
    return {
      state: 'owned',
      complete: (outcome) => end(keep(outcome)),
      release: () => end(() => undefined) as Promise<void> | undefined,
      ...(this.isAwaited && { untilUnawaited: () => this.untilUnawaited(key) }),
    };
  }

  private untilUnawaited(key: string): Promise<void> {
    const turn = this.turn();
    if (turn.end === 'throws') throw new Error('down');
    return (this.elsewhere.delay(turn, `unawaited ${key}`) ?? Promise.resolve()).then(() => {
      if (turn.end === 'rejects') throw new Error('down');
    });
  }

  private changed(key: string, before: Entry, signal: AbortSignal): Promise<void> {
    this.watches.push(signal);
    return new Promise((resolve, reject) => {
      const end = (): void => void (this.watchers.delete(end), resolve());
      this.watchers.add(end);
      // It may have changed while the answer was on its way.
      if (this.entries.get(key) !== before) end();
      signal.addEventListener('abort', () => {
        this.watchers.delete(end);
        if (this.watchRejects) reject(new Error('aborted'));
        else resolve();
      });
    });
  }

  private put(key: string, entry: Entry | undefined): void {
    if (entry === undefined) this.entries.delete(key);
    else this.entries.set(key, entry);
    for (const end of [...this.watchers]) end();
  }
}
