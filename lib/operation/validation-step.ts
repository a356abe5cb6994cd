import { ValidationFailedError } from '../policies/validation/validation-failed-error.js';
import type { ValidationResult } from '../policies/validation/validation-result.js';
import type { Call } from './call.js';
import { CUT } from './interruptible.js';
import { isPromiseLike } from './kinds.js';
import { tell } from './tell.js';

/**
 * Asks the validators of a call about a value. A promise only where one of them, or a sink, gave one.
 * @throws {ValidationFailedError} for a value that is not accepted; what a validator throws as it is.
 */
export function validateValue(call: Call, value: unknown): Promise<void> | undefined {
  const { validation } = call.plan;
  if (validation === undefined) return undefined;
  const { phase } = call;
  if (phase === 'attempt') call.phase = 'validation';
  const result = validation.validate(value);
  if (isPromiseLike(result)) return judgeLater(call, result);
  return judge(call, result);
}

async function judgeLater(call: Call, later: Promise<ValidationResult>): Promise<void> {
  const result = await call.untilCut(later);
  call.stopWaiting();
  await judge(call, result);
}

function judge(call: Call, result: ValidationResult): Promise<void> | undefined {
  call.validation = result;
  const { validatorName, reason } = result;
  // The failure's event belongs to the failure of the attempt or candidate, and is told there.
  if (!result.valid) throw new ValidationFailedError(validatorName, reason ?? validatorName);
  // A validator that made the caller go away: whether somebody is told of the call makes no difference.
  if (call.cancelled) throw CUT;
  if (call.emitters === undefined) return undefined;
  const attempt_number = call.attemptNumber;
  const inFallback = call.phase === 'fallback' ? { fallback_used: true as const } : {};
  return tell(call, 'validation.succeeded', call.clock.monotonicMs(), () => ({
    attempt_number,
    validator_name: validatorName,
    ...inFallback,
  }));
}
