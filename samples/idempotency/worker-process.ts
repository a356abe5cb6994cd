import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** What became of the deliveries of a process. */
export interface Tally {
  readonly executed: number;
  readonly joined: number;
  readonly replayed: number;
  readonly failed: number;
}

/** A process that charges orders: see `worker.ts`. */
export class Worker {
  private readonly process: ChildProcess;

  constructor(bankUrl: string, redisUrl: string | undefined, leaseMs: number) {
    const settings = JSON.stringify({ bankUrl, redisUrl, leaseMs });
    this.process = fork(new URL('./worker.js', import.meta.url), [settings]);
  }

  /** Delivers orders, all at once. */
  async charge(orders: readonly string[]): Promise<Tally> {
    this.process.send(orders);
    const [tally] = (await once(this.process, 'message')) as [Tally];
    return tally;
  }

  kill(): void {
    this.process.kill('SIGKILL');
  }

  end(): void {
    if (this.process.connected) this.process.disconnect();
  }
}
