import { seconds } from '../../lib/container.js';
import type { AnyEvent, EventPayloads } from '../../lib/index.js';
import { shieldText } from './guard-lines.js';
import { counted, oneLine, type Line, type LineOptions } from './line.js';

type EventOf<T extends AnyEvent['eventType']> = Extract<AnyEvent, { eventType: T }>;
type Failure = Pick<EventPayloads['operation.failed'], 'error_type' | 'validation_reason'>;

/** Refusals by an open breaker come in masses and say nothing new: they are a fact of their own. */
export function failedLine(
  { operationName, payload }: EventOf<'operation.failed'>,
  options: LineOptions,
): Line {
  const { retry_count, fallback_failed, deadline_exhausted, duration_seconds } = payload;
  const line = { level: 'warn', subject: oneLine(operationName) } as const;
  if (payload.circuit_breaker_open === true)
    return { ...line, fact: 'was refused by an open circuit breaker', details: afterAttempts(retry_count) };
  const fallback = fallback_failed === true ? ' and its fallback' : '';
  const deadline = deadline_exhausted === true ? ', at its deadline' : '';
  const tries = `${afterAttempts(retry_count + 1)}${fallback} in ${seconds(duration_seconds)}${deadline}`;
  return {
    ...line,
    fact: 'gave up',
    details: `${tries}: ${failureText(payload, options)}${shieldText(payload)}`,
  };
}

export function fallbackLine({ operationName, payload }: EventOf<'fallback.succeeded'>): Line {
  const { attempt_number, fallback_candidate_name: name } = payload;
  // That of a shield has no other name.
  const candidate = name === undefined || name === 'fallback' ? '' : ` ${oneLine(name)}`;
  const details = `${candidate}${afterAttempts(attempt_number - 1)}`;
  return { level: 'warn', subject: oneLine(operationName), fact: 'used its fallback', details };
}

export function attemptLine(
  { operationName, payload }: EventOf<'attempt.failed'>,
  options: LineOptions,
): Line {
  const { attempt_number, duration_seconds } = payload;
  const details = ` ${attempt_number} after ${seconds(duration_seconds)}: ${failureText(payload, options)}`;
  return { level: 'debug', subject: oneLine(operationName), fact: 'failed in attempt', details };
}

export function waitLine({ operationName, payload }: EventOf<'retry.scheduled'>): Line {
  const details = ` ${seconds(payload.delay_seconds)} before attempt ${payload.next_attempt_number}`;
  return { level: 'debug', subject: oneLine(operationName), fact: 'waits', details };
}

/** The kind of a failure. What a validator says about a value may repeat a secret in it, and is shown when asked for. */
function failureText({ error_type, validation_reason }: Failure, { messages }: LineOptions): string {
  const type = oneLine(error_type);
  const told = messages && typeof validation_reason === 'string';
  return told ? `${type} (${oneLine(validation_reason)})` : type;
}

function afterAttempts(count: number): string {
  return count > 0 ? ` after ${counted(count, 'attempt')}` : '';
}
