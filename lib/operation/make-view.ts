import { AttemptView } from '../attempt/attempt-view.js';
import { costsOf } from './breaker-records.js';
import type { Call } from './call.js';

/** What the running attempt shows to the code that runs in it. */
export function makeView(call: Call): AttemptView {
  const { attemptNumber, trouble } = call;
  if (call.phase === 'fallback')
    return new AttemptView(call, attemptNumber, 'fallback', trouble?.failure, Infinity);
  const dueMs = Math.min(call.attemptStartMs + call.timeoutMs, call.deadlineDueMs);
  // The breaker guards the primary path alone.
  return new AttemptView(call, attemptNumber, 'primary', trouble?.failure, dueMs, costsOf(call));
}
