import { isMisuse } from '../../errors/misuse-error.js';
import { conclude, concludeOutside } from '../conclusion.js';
import { CUT } from '../interruptible.js';
import { Interruption } from '../interruption.js';
import type { KeyedCall } from './keyed-call.js';

/** A call has ended before it was given what came of an execution: gives what its promise rejects with. */
export function concludeKeyed(call: KeyedCall, ending: unknown): unknown {
  if (ending instanceof Interruption) return conclude(call, ending);
  // Whatever came in the same moment, a caller who has gone away is told why it went.
  if (call.cancelled) return conclude(call, CUT);
  if (isMisuse(ending)) return conclude(call, ending);
  return concludeOutside(call, ending, ending === call.missedDeadline ? 'timed_out' : 'failed');
}
