/** An entry of a {@link RecencyList}, which links the entries themselves. */
export interface Recent<E> {
  older: E | undefined;
  newer: E | undefined;
}

/**
 * Entries in the order in which they were used, the oldest first, and a place that goes round among them. A `Map` could
 * keep such an order, too, but walks over everything that was ever deleted at its front.
 */
export class RecencyList<E extends Recent<E>> {
  oldest: E | undefined = undefined;
  private newest: E | undefined = undefined;
  private place: E | undefined = undefined;

  /** Used just now. */
  add(entry: E): void {
    entry.older = this.newest;
    entry.newer = undefined;
    if (this.newest === undefined) this.oldest = entry;
    else this.newest.newer = entry;
    this.newest = entry;
  }

  remove(entry: E): void {
    const { older, newer } = entry;
    if (this.place === entry) this.place = newer;
    if (older === undefined) this.oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.newest = older;
    else newer.older = older;
    entry.older = entry.newer = undefined;
  }

  /** The next one on the way round; nothing where the list is empty. */
  next(): E | undefined {
    const entry = this.place ?? this.oldest;
    this.place = entry?.newer;
    return entry;
  }
}
