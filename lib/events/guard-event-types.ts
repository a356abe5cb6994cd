import type { GuardMetadata } from '../report/metadata.js';

/** How a shield has changed what it lets through. */
export interface ShieldMovePayload {
  readonly shield_name: string;
  readonly profile: string;
  /** Calls per second that it lets through from now on; after `shield.disengaged` the last such rate. */
  readonly rate: number;
  /** The rate from before the last cut. */
  readonly w_max: number;
}

/** There was no unit left for a retry. */
export interface ShieldBudgetExhaustedPayload {
  readonly attempt_number: number;
  readonly shield_name: string;
  readonly profile: string;
}

export interface ShieldGaveUpPayload {
  readonly shield_name: string;
  readonly profile: string;
  readonly reason: GuardMetadata['shield_gave_up'];
  /** Primary attempts that had been made. */
  readonly attempt_count: number;
}

export interface ShieldRecoveredPayload {
  readonly shield_name: string;
  readonly profile: string;
  readonly by: 'cache' | 'fallback';
  readonly reason: GuardMetadata['shield_gave_up'] | null;
}

/** An attempt has waited for its place in a concurrency limit. */
export interface ConcurrencyLimitWaitedPayload {
  readonly attempt_number: number;
  readonly limit_name: string;
  readonly waited_seconds: number;
}

/** A concurrency limit let an attempt not in. */
export interface ConcurrencyLimitRejectedPayload {
  readonly attempt_number: number;
  readonly limit_name: string;
  readonly reason: 'queue_full' | 'waited_too_long';
}
