import type { Clock } from '../../time/clock.js';
import type { RedisClient, RedisScript } from './redis-client.js';

/** Runs scripts on the user's client, each within its time: a server that hangs must not hang its callers. */
export class RedisConnection {
  private waiting = 0;

  constructor(
    private readonly client: RedisClient,
    readonly clock: Clock,
    private readonly timeoutMs: number,
  ) {}

  /** Scripts that the client has neither answered nor given up, also those that nobody waits for any more. */
  get unsettled(): number {
    return this.waiting;
  }

  run(script: RedisScript, key: string, args: readonly (string | number)[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const timer = this.clock.setTimer(() => {
        reject(new Error(`Redis did not answer within ${this.timeoutMs} ms`));
      }, this.timeoutMs);
      this.waiting += 1;
      script
        .run(this.client, key, args.map(String))
        .then(resolve, reject)
        .finally(() => {
          this.waiting -= 1;
          timer.cancel();
        });
    });
  }
}
