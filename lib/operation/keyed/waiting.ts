/**
 * Those who wait for one thing. Each has a promise of its own: one that all share would hold, until it settles, the async
 * context of everybody who has given up waiting.
 */
export class Waiting<T> {
  private readonly all = new Set<Seat<T>>();

  add(): Seat<T> {
    const seat = new Seat<T>();
    this.all.add(seat);
    return seat;
  }

  remove(seat: Seat<T>): void {
    this.all.delete(seat);
  }

  resolve(value: T): void {
    for (const seat of this.all) seat.resolve(value);
  }

  reject(reason: unknown): void {
    for (const seat of this.all) seat.reject(reason);
  }
}

/** One of them. */
class Seat<T> {
  resolve!: (value: T) => void;
  reject!: (reason: unknown) => void;
  readonly promise = new Promise<T>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });
}
