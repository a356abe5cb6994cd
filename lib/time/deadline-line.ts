/** Something that waits in a line, and is linked by its own fields, so that waiting allocates nothing. */
export interface Waiting<T> {
  readonly dueMs: number;
  earlier: T | undefined;
  later: T | undefined;
}

/** Where the line begins and ends. */
class Ends<T> {
  constructor(
    public first: T | undefined,
    public last: T | undefined,
  ) {}
}

/** After so many, the ends are moved to a new object: a power of two, below what a minor collection lets live. */
const MOVE_AFTER = 256;

/** Those that wait, in the order they are due. */
export abstract class DeadlineLine<T extends Waiting<T>> {
  /**
   * Kept young. Noting a new object in one that has lived through two collections costs the collector's write barrier,
   * which was as much as awaiting a function.
   */
  private ends = new Ends<T>(undefined, undefined);
  private count = 0;

  protected get first(): T | undefined {
    return this.ends.first;
  }

  protected link(waiting: T): void {
    if ((this.count = (this.count + 1) % MOVE_AFTER) === 0)
      this.ends = new Ends(this.ends.first, this.ends.last);
    const { ends } = this;
    // Normally none: only a call whose synchronous part started others comes later than its time.
    let before = ends.last;
    while (before !== undefined && before.dueMs > waiting.dueMs) before = before.earlier;
    const after = before === undefined ? ends.first : before.later;
    waiting.earlier = before;
    waiting.later = after;
    if (before === undefined) ends.first = waiting;
    else before.later = waiting;
    if (after === undefined) ends.last = waiting;
    else after.earlier = waiting;
  }

  protected unlink(waiting: T): void {
    const { ends } = this;
    const { earlier, later } = waiting;
    if (earlier === undefined) ends.first = later;
    else earlier.later = later;
    if (later === undefined) ends.last = earlier;
    else later.earlier = earlier;
    waiting.earlier = waiting.later = undefined;
  }
}
