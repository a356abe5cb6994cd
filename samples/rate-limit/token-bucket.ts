/** What a provider lets a client do: so many requests at once, and then so many a second. */
export class TokenBucket {
  private tokens: number;
  private filledMs: number;

  constructor(
    private readonly capacity: number,
    private readonly perSecond: number,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    this.tokens = capacity;
    this.filledMs = nowMs();
  }

  /** Takes a token, if there is one. */
  take(): boolean {
    const nowMs = this.nowMs();
    const newTokens = ((nowMs - this.filledMs) / 1_000) * this.perSecond;
    this.tokens = Math.min(this.capacity, this.tokens + newTokens);
    this.filledMs = nowMs;
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }

  /** When there will be the next token, in whole seconds as `Retry-After` has them. */
  get retryAfterSeconds(): number {
    return Math.max(1, Math.ceil((1 - this.tokens) / this.perSecond));
  }
}
