import type { AnyEvent } from '../../lib/index.js';
import { oneLine, type Line } from './line.js';

type EventOf<T extends AnyEvent['eventType']> = Extract<AnyEvent, { eventType: T }>;

const STEPS = {
  claim: 'asked for a key',
  complete: 'given a result to keep',
  release: 'told that a key is free',
};
const REASONS = {
  too_large: 'it is too large',
  not_encodable: 'it could not be copied or written down',
  lost: 'the key was lost to another owner',
};

/** The store of idempotency keys is in trouble. */
export function storeLine({ operationName, payload }: EventOf<'idempotency.store_failed'>): Line {
  const { step, error_type, continued } = payload;
  const end = continued ? '; the call went on' : '; nothing was executed';
  const details = ` when ${STEPS[step]}: ${oneLine(error_type)}${end}`;
  return { level: 'error', subject: oneLine(operationName), fact: 'met a failing store of keys', details };
}

/** A later call with the same key cannot be given this result. */
export function notKeptLine({ operationName, payload }: EventOf<'idempotency.not_kept'>): Line {
  const details = `: ${REASONS[payload.reason]}`;
  return { level: 'warn', subject: oneLine(operationName), fact: 'has a result that is not kept', details };
}
