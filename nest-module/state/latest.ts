/** The latest entries of something that never ends. */
export class Latest<T> {
  private readonly kept: T[] = [];
  private added = 0;

  constructor(private readonly most: number) {}

  add(entry: T): void {
    this.kept[this.added % this.most] = entry;
    this.added += 1;
  }

  /** Newest first. */
  list(): readonly T[] {
    const newest = this.added % this.most;
    return [...this.kept.slice(newest), ...this.kept.slice(0, newest)].reverse();
  }
}
