import {
  CircuitBreaker,
  type CircuitBreakerOptions,
  type CircuitBreakerTransition,
} from '../../lib/index.js';
import {
  shareCircuitBreakers,
  type RedisClient,
  type SharedCircuitBreakers,
  type ShareCircuitBreakersOptions,
  type SharingState,
} from '../../lib/adapters/redis.js';

/** Short, and long enough for a machine that has other things to do. */
export const INTERVAL_MS = 100;
export const RECOVERY_MS = 250;

/** One process of a fleet, as far as a breaker goes. */
export interface Replica {
  readonly breaker: CircuitBreaker;
  readonly shared: SharedCircuitBreakers;
  /** What its breaker did: `'closed to open by fleet'`. */
  readonly changes: string[];
  /** What `onChange` was told. */
  readonly states: SharingState[];
}

export interface ReplicaOptions extends CircuitBreakerOptions {
  readonly client: RedisClient;
  readonly name: string;
  readonly share?: Partial<ShareCircuitBreakersOptions>;
}

export function changeText({ from, to, by }: CircuitBreakerTransition): string {
  return `${from} to ${to} by ${by}`;
}

/** A breaker that opens at the second failure, shared. */
export function replicaOf({ client, share, ...options }: ReplicaOptions): Replica {
  const recoveryTimeout = `${RECOVERY_MS}ms` as const;
  const breaker = new CircuitBreaker({ failureThreshold: 2, recoveryTimeout, ...options });
  const changes: string[] = [];
  breaker.onTransition((transition) => changes.push(changeText(transition)));
  const states: SharingState[] = [];
  const shared = shareCircuitBreakers({
    client,
    breakers: [breaker],
    interval: `${INTERVAL_MS}ms`,
    onChange: (state) => states.push(state),
    ...share,
  });
  return { breaker, shared, changes, states };
}

export const statesOf = (fleet: readonly Replica[]): string[] => fleet.map(({ breaker }) => breaker.state);

/** Calls that end at once; a refusal is no error here. Gives how many were let through. */
export async function call(breaker: CircuitBreaker, times: number, fails = false): Promise<number> {
  let passed = 0;
  for (let made = 0; made < times; made += 1) {
    const outcome = breaker.run(() => {
      passed += 1;
      if (fails) throw new Error('down');
      return 'fine';
    });
    await outcome.catch(() => undefined);
  }
  return passed;
}

export const fail = (breaker: CircuitBreaker, times: number): Promise<number> => call(breaker, times, true);

/** Work that is counted while it runs. */
export class Workload {
  running = 0;
  most = 0;
  begun = 0;

  async run<T>(work: () => Promise<T>): Promise<T> {
    this.begun += 1;
    this.running += 1;
    this.most = Math.max(this.most, this.running);
    try {
      return await work();
    } finally {
      this.running -= 1;
    }
  }
}
