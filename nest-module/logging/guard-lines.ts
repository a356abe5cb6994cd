import type { AnyEvent, EventPayloads } from '../../lib/index.js';
import { oneLine, type Line } from './line.js';

type EventOf<T extends AnyEvent['eventType']> = Extract<AnyEvent, { eventType: T }>;

const REFUSALS = { queue_full: 'it is full', waited_too_long: 'the wait grew too long' };

/** The limiter of a shield goes on, or off. How its rate moves in between is for dashboards. */
export function limiterLine(event: EventOf<'shield.engaged' | 'shield.disengaged'>): Line {
  const { operationName, payload } = event;
  const subject = shield(payload.shield_name);
  const by = ` (${oneLine(operationName)})`;
  if (event.eventType === 'shield.disengaged')
    return { level: 'log', subject, fact: 'limits the rate no more', details: by };
  const details = ` to ${digits(payload.rate)} calls a second${by}`;
  return { level: 'warn', subject, fact: 'limits the rate', details };
}

/** Calls that are too slow are not tried again until others have succeeded. */
export function budgetLine({ operationName, payload }: EventOf<'shield.budget_exhausted'>): Line {
  const details = ` (${oneLine(operationName)})`;
  return { level: 'warn', subject: shield(payload.shield_name), fact: 'has no retry left', details };
}

/**
 * What a shield had to do with the end of a call. That it gave up, and what answered instead, are facts of the call and
 * told by its own line: one call, one line.
 */
export function shieldText({ shield_name, shield_gave_up }: EventPayloads['operation.failed']): string {
  if (shield_name === undefined) return '';
  if (shield_gave_up === 'budget_exhausted') return `; ${shield(shield_name)} had no retry left`;
  return shield_gave_up === 'not_admitted' ? `; ${shield(shield_name)} let it not in` : '';
}

export function refusedLine({ operationName, payload }: EventOf<'concurrency_limit.rejected'>): Line {
  const { limit_name, reason } = payload;
  const details = ` ${oneLine(operationName)}: ${REFUSALS[reason]}`;
  return { level: 'warn', subject: `concurrency limit '${oneLine(limit_name)}'`, fact: 'refused', details };
}

function shield(name: string): string {
  return `shield '${oneLine(name)}'`;
}

/** Three digits are enough for people. */
function digits(callsPerSecond: number): string {
  return String(Number(callsPerSecond.toPrecision(3)));
}
