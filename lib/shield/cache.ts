/** Where a shield keeps what came last, for when there is nothing better: `keyv`, `cache-manager` and a `Map` fit as they are. */
export interface ShieldCache {
  /** What is kept, at once or later; `undefined` or `null` where there is nothing. */
  get(key: string): unknown;
  set(key: string, value: unknown): unknown;
}
