/** A breaker of one key, as seen by what keeps it. */
export interface Keyed {
  /** It is closed and nothing runs through it: made anew, it would be the same but for what it has counted. */
  readonly isIdle: boolean;
}

/**
 * The breakers of the keys of one breaker: at most so many. One that is open, half-open or busy is never dropped, so
 * that a key cannot get rid of it by waiting for others; where all are, further keys share one.
 */
export class KeyedBreakers<B extends Keyed> {
  /** In the order in which they were asked for, the latest last. */
  private readonly byKey = new Map<string, B>();
  private overflow: B | undefined;

  constructor(
    private readonly most: number,
    private readonly make: (key: string) => B,
  ) {}

  get(key: string): B {
    const present = this.byKey.get(key);
    if (present !== undefined) {
      this.byKey.delete(key);
      this.byKey.set(key, present);
      return present;
    }
    if (this.byKey.size >= this.most && !this.makeRoom()) return (this.overflow ??= this.make('*'));
    const breaker = this.make(key);
    this.byKey.set(key, breaker);
    return breaker;
  }

  list(): readonly B[] {
    return this.overflow === undefined ? [...this.byKey.values()] : [...this.byKey.values(), this.overflow];
  }

  private makeRoom(): boolean {
    for (const [key, breaker] of this.byKey) {
      if (!breaker.isIdle) continue;
      this.byKey.delete(key);
      return true;
    }
    return false;
  }
}
