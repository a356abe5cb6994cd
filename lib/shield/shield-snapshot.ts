import type { ShieldProfileName } from './profiles.js';
import type { ShieldState } from './shield-state.js';

/** A shield at one moment. Seconds, and calls per second. */
export interface ShieldSnapshot {
  readonly name: string;
  readonly profile: ShieldProfileName;
  /** Whether a slow-down has switched the limiter on. */
  readonly engaged: boolean;
  /** What the limiter lets through while it is on. */
  readonly rate: number;
  /** The rate from before the last cut. */
  readonly wMax: number;
  /** `null` without one. */
  readonly maxRate: number | null;
  /** Calls that wait for admission. */
  readonly waiting: number;
  /** Retries that may be taken. */
  readonly budget: number;
  readonly budgetCapacity: number;
  /** What an attempt that begins now may take. */
  readonly timeoutSeconds: number;
  /** Latencies that the timeout is made from, at most 32. */
  readonly samples: number;
  /** `null` without a sample. */
  readonly p50Seconds: number | null;
  readonly p95Seconds: number | null;
}

export function shieldSnapshot({ identity, settings, learned }: ShieldState, nowMs: number): ShieldSnapshot {
  const { gate, budget, estimator } = learned;
  const { samples } = estimator;
  return {
    name: identity.name,
    profile: identity.profile,
    engaged: gate.engaged,
    rate: gate.rate,
    wMax: gate.wMax,
    maxRate: settings.maxRate === Infinity ? null : settings.maxRate,
    waiting: gate.waiting,
    budget: Math.floor(budget.left(nowMs)),
    budgetCapacity: budget.capacity,
    timeoutSeconds: estimator.estimate,
    samples,
    p50Seconds: samples === 0 ? null : estimator.percentile(0.5),
    p95Seconds: samples === 0 ? null : estimator.percentile(0.95),
  };
}
