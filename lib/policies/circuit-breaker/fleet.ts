import type { Recovery } from './recovery.js';

/** The other processes that share a breaker, as it sees them: it never waits for any of them. */
export interface Fleet {
  /** For how long this process may probe: of all of them, only so many do. 0 where it may not. */
  leaseRestMs(): number;
  /** A call would have been a probe, had it been allowed. */
  wantProbe(): void;
}

/** What one process has to say to the others about a breaker, and by which numbers the breaker goes. */
export interface FleetWord {
  /** Its own rule, or its own probe, holds it open. */
  readonly votesOpen: boolean;
  readonly calls: number;
  readonly failures: number;
  /** 0 where no rule judges by it. */
  readonly failureRate: number;
  readonly minimumCalls: number;
  /** What is left of the time that the fleet has opened it for; `undefined` where it has not. */
  readonly openForMs: number | undefined;
  /** Probes that have failed in a row, as far as it knows. */
  readonly failedProbes: number;
  readonly recovery: Recovery;
  /** Where in the jitter of the recovery time the next one is to be: from 0 to 1. */
  readonly chance: number;
  readonly leaseMs: number;
  readonly concurrentProbes: number;
}
