import type { AnyEvent } from '../../lib/index.js';
import { counted, oneLine, type Line } from './line.js';

type BreakerEvent = Extract<
  AnyEvent,
  { eventType: 'circuit_breaker.opened' | 'circuit_breaker.half_opened' | 'circuit_breaker.closed' }
>;
type Told = Omit<Line, 'subject'>;

/** What a change of a circuit breaker has to say. */
export function breakerLine(event: BreakerEvent): Line {
  const { breaker_name, forced, reason } = event.payload;
  const subject = `circuit breaker '${oneLine(breaker_name)}'`;
  if (forced !== undefined) return { subject, ...operated(event, forced, reason) };
  const told = moved(event);
  return { subject, ...told, details: `${told.details} (${oneLine(event.operationName)})` };
}

/** By a call. */
function moved({ eventType, payload }: BreakerEvent): Told {
  if (eventType === 'circuit_breaker.closed') return { level: 'log', fact: 'closed', details: '' };
  if (eventType === 'circuit_breaker.half_opened')
    return { level: 'log', fact: 'half-opened', details: ': a probe is on its way' };
  return { level: 'error', fact: 'opened', details: whatOpened(payload) };
}

function whatOpened({ opened_by, from_state, failure_count }: BreakerEvent['payload']): string {
  if (opened_by === 'budget') return ': its budget is spent';
  if (opened_by === 'slow_call_rate') return ': too many calls are slow';
  if (opened_by === 'fleet') return ': it is open in other processes';
  return from_state === 'half_open'
    ? ' again: the probe failed'
    : ` after ${counted(failure_count, 'failure')}`;
}

/** By a person, who knows what they do; others on call want to know it, too. */
function operated({ eventType }: BreakerEvent, forced: boolean, reason: string | null | undefined): Told {
  const state = eventType === 'circuit_breaker.opened' ? 'open' : 'closed';
  const fact = forced ? `was forced ${state}` : 'was reset';
  return { level: 'warn', fact, details: typeof reason === 'string' ? `: ${oneLine(reason)}` : '' };
}

/** The processes that share the breakers. */
export function sharingLine({
  payload,
}: Extract<AnyEvent, { eventType: 'circuit_breaker.sharing_changed' }>): Line {
  const subject = `${counted(payload.breaker_count, 'circuit breaker')}`;
  return payload.shared
    ? { level: 'log', subject, fact: 'shared with other processes', details: '' }
    : { level: 'warn', subject, fact: 'not shared any more', details: ': the store does not answer' };
}
