import type { Clock } from '../../time/clock.js';
import type { RedisClient, RedisScript } from './redis-client.js';

/** Runs scripts on the user's client, each within its time: a server that hangs must not hang its callers. */
export class RedisConnection {
  constructor(
    private readonly client: RedisClient,
    readonly clock: Clock,
    private readonly timeoutMs: number,
  ) {}

  run(script: RedisScript, key: string, args: readonly (string | number)[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const timer = this.clock.setTimer(() => {
        reject(new Error(`Redis did not answer within ${this.timeoutMs} ms`));
      }, this.timeoutMs);
      script
        .run(this.client, key, args.map(String))
        .then(resolve, reject)
        .finally(() => timer.cancel());
    });
  }
}
