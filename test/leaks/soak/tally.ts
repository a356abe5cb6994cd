/** One operation, as seen by those who call it and by its reports. */
export interface Counts {
  started: number;
  ended: number;
  reports: number;
}

/** Counts calls by operation, and knows those in flight. */
export class Tally {
  readonly operations = new Map<string, Counts>();
  readonly statuses: Record<string, number> = {};
  /** When the calls in flight began, the earliest first. */
  private readonly starts = new Set<{ readonly method: string; readonly startMs: number }>();

  get inFlight(): number {
    return this.starts.size;
  }

  /** The call that has been in flight for longest. */
  get oldest(): { readonly method: string; readonly ms: number } {
    const [first] = this.starts;
    return first === undefined
      ? { method: 'none', ms: 0 }
      : { method: first.method, ms: performance.now() - first.startMs };
  }

  async count<T>(method: string, call: Promise<T>): Promise<T> {
    const counts = this.of(`Client.${method}`);
    const start = { method, startMs: performance.now() };
    counts.started += 1;
    this.starts.add(start);
    try {
      return await call;
    } finally {
      counts.ended += 1;
      this.starts.delete(start);
    }
  }

  reported(operationName: string, status: string): void {
    this.of(operationName).reports += 1;
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
  }

  total(what: keyof Counts): number {
    let sum = 0;
    for (const counts of this.operations.values()) sum += counts[what];
    return sum;
  }

  private of(operationName: string): Counts {
    let counts = this.operations.get(operationName);
    if (counts === undefined) {
      counts = { started: 0, ended: 0, reports: 0 };
      this.operations.set(operationName, counts);
    }
    return counts;
  }
}
