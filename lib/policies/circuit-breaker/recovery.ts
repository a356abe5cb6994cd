import { checkDuration, checkNumber, checkOptions, isRecord, refuse } from '../../errors/check.js';
import type { Duration } from '../../time/duration.js';
import type { Random } from '../../time/random.js';

/** A recovery time that grows each time a probe finds the dependency still unwell, and is the first one again after a close. */
export interface GrowingRecovery {
  readonly initial: Duration;
  /** What the next one is, in multiples of the one before. Default 2, least 1. */
  readonly factor?: number | undefined;
  /** No recovery time is longer, with jitter neither. */
  readonly max: Duration;
  /** How far each may be from its plan, as a share from 0 to 1: breakers that opened together do not probe together. Default 0. */
  readonly jitter?: number | undefined;
}

/** How long a breaker stays open. */
export interface Recovery {
  readonly initialMs: number;
  readonly factor: number;
  readonly maxMs: number;
  readonly jitter: number;
}

/** Shared, as most breakers have it. */
const USUAL: Recovery = { initialMs: 30_000, factor: 1, maxMs: 30_000, jitter: 0 };

export function checkRecovery(given: Duration | GrowingRecovery | undefined): Recovery {
  if (given === undefined) return USUAL;
  if (!isRecord(given)) {
    const initialMs = checkDuration('recoveryTimeout', given);
    return { initialMs, factor: 1, maxMs: initialMs, jitter: 0 };
  }
  checkOptions('recoveryTimeout', given, ['initial', 'factor', 'max', 'jitter']);
  const { factor = 2, jitter = 0 } = given;
  const initialMs = checkDuration('recoveryTimeout.initial', given.initial);
  const maxMs = checkDuration('recoveryTimeout.max', given.max);
  if (maxMs < initialMs) refuse('recoveryTimeout.max', given.max, 'give at least as much as initial');
  return {
    initialMs,
    factor: checkNumber('recoveryTimeout.factor', factor, 1),
    maxMs,
    jitter: checkNumber('recoveryTimeout.jitter', jitter, 0, 1),
  };
}

/** The recovery time after so many failed probes in a row. Grown by multiplying what is capped, so it cannot overflow. */
export function recoveryMs(
  { initialMs, factor, maxMs, jitter }: Recovery,
  failedProbes: number,
  random: Random,
): number {
  let ms = initialMs;
  for (let step = 0; step < failedProbes && ms < maxMs && factor > 1; step += 1) ms *= factor;
  const planned = Math.min(ms, maxMs);
  if (jitter === 0) return planned;
  // Spread below the most, not cut off at it: there would many be the same again.
  const least = planned * (1 - jitter);
  return least + random() * (Math.min(planned * (1 + jitter), maxMs) - least);
}
