import type { Guards, Plan } from '../lib/container.js';

/** What guards an operation; with an idempotency key it is the execution that is guarded, not each of its callers. */
export function guardsOf(plan: Plan): Guards | undefined {
  return (plan.keyed?.work ?? plan).guards;
}
