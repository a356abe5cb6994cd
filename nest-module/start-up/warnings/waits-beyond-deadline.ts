import type { Plan } from '../../../lib/container.js';
import { Shield } from '../../../lib/index.js';
import { guardsOf } from '../../guards-of.js';
import type { Finder } from './warning.js';

/** Chance at its mean, so that a back-off which usually fits is not complained about. */
const mean = (): number => 0.5;
/** Enough to see where a sum is going. */
const MOST_WAITS = 100;

/** Attempts and waits for which the deadline leaves no time. */
export const waitsBeyondDeadline: Finder = ({ operations }) =>
  operations.flatMap(({ name, plan }) => {
    const { timeoutMs, deadlineMs } = plan;
    if (deadlineMs === Infinity) return [];
    const found: string[] = [];
    if (timeoutMs < Infinity && timeoutMs >= deadlineMs)
      found.push(
        `${name} has a timeout of ${timeoutMs / 1_000} s for each try and a deadline of ${deadlineMs / 1_000} s for all of them, so no try meets its timeout; shorten the timeout, or raise the deadline`,
      );
    found.push(...ofShield(name, plan));
    const waitMs = waitsOf(plan);
    if (waitMs >= deadlineMs)
      found.push(
        `${name} waits ${Math.round(waitMs) / 1_000} s on average between its tries, longer than its deadline of ${deadlineMs / 1_000} s, so the last ones never happen; lower retries or the back-off, or raise the deadline`,
      );
    return found;
  });

/** A shield's timeout adapts, between bounds. */
function ofShield(name: string, plan: Plan): string[] {
  const shield = guardsOf(plan)?.shield;
  if (!(shield instanceof Shield)) return [];
  const { name: profile, shortestTimeoutSeconds } = shield.current.settings.profile;
  const deadlineSeconds = plan.deadlineMs / 1_000;
  if (shortestTimeoutSeconds < deadlineSeconds) return [];
  return [
    `${name} has a shield with the profile '${profile}', which gives each try ${shortestTimeoutSeconds} s at the least, and a deadline of ${deadlineSeconds} s for all of them, so no try meets its timeout; choose a faster profile, or raise the deadline`,
  ];
}

function waitsOf({ retry, maxAttempts }: Plan): number {
  let sum = 0;
  for (let number = 1; number < Math.min(maxAttempts, MOST_WAITS); number += 1) sum += delayOf(retry, number);
  return sum;
}

/** A back-off of the application may give nonsense; a call that meets it says so. */
function delayOf(retry: Plan['retry'], number: number): number {
  try {
    return retry?.delayMs(number, mean) ?? 0;
  } catch {
    return 0;
  }
}
