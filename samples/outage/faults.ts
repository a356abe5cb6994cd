import type { Phase } from './fault-schedule.js';

/**
 * What goes wrong, and when. Phases are counted in requests that reach the upstream, not in seconds, so that a slow
 * machine sees the same outage. After its last phase an upstream is healthy. Change it and run again.
 */
export const faults = {
  /** Hiccups, then a time in which it is too slow for anybody. */
  catalog: [
    { requests: 15, fault: 'none' },
    { requests: 12, fault: 'status 500', every: 3 },
    { requests: 22, fault: 'none' },
    { requests: 18, fault: 'slow' },
    { requests: 28, fault: 'none' },
    { requests: 10, fault: 'half body', every: 2 },
  ],
  /** Loses connections now and then, and goes down in the middle. */
  payments: [
    { requests: 22, fault: 'none' },
    { requests: 9, fault: 'reset', every: 3 },
    { requests: 12, fault: 'none' },
    { requests: 9, fault: 'down' },
    { requests: 16, fault: 'none' },
    { requests: 6, fault: 'status 429', every: 2 },
  ],
  /** Answers nonsense, breaks down, and comes back too slow. */
  shipping: [
    { requests: 12, fault: 'none' },
    { requests: 6, fault: 'wrong value', every: 2 },
    { requests: 12, fault: 'none' },
    { requests: 9, fault: 'status 500' },
    { requests: 12, fault: 'none' },
    { requests: 8, fault: 'slow' },
  ],
  /** Limits its callers, then sends what nobody can read. */
  rates: [
    { requests: 24, fault: 'none' },
    { requests: 10, fault: 'status 429' },
    { requests: 22, fault: 'none' },
    { requests: 5, fault: 'invalid JSON' },
    { requests: 22, fault: 'none' },
    { requests: 12, fault: 'slow', every: 2 },
  ],
} satisfies Record<string, readonly Phase[]>;

export type UpstreamName = keyof typeof faults;
