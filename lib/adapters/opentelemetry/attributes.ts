/** The names of attributes, in spans and metrics alike. A name is never changed or removed. */
export const OPERATION_NAME = 'relprim.operation.name';
/** `succeeded`, `failed`, `timed_out` or `cancelled`. */
export const OPERATION_OUTCOME = 'relprim.operation.outcome';
export const OPERATION_ATTEMPTS = 'relprim.operation.attempts';
/** The same in the report, and in events. */
export const CALL_ID = 'relprim.call.id';
export const ATTEMPT_NUMBER = 'relprim.attempt.number';
/** `primary` or `fallback`. */
export const ATTEMPT_KIND = 'relprim.attempt.kind';
/** As of operations, or `refused` by a circuit breaker. */
export const ATTEMPT_OUTCOME = 'relprim.attempt.outcome';
export const FALLBACK_USED = 'relprim.fallback.used';
export const FALLBACK_CANDIDATE = 'relprim.fallback.candidate';
export const FALLBACK_OUTCOME = 'relprim.fallback.outcome';
/** `executed`, `joined`, `replayed`, or `none` of them. */
export const IDEMPOTENCY_STATUS = 'relprim.idempotency.status';
/** `backoff` or `provider`. */
export const DELAY_SOURCE = 'relprim.retry.delay_source';
/** `waited`, or `too_long`: then the wait was not begun. */
export const RATE_LIMIT_OUTCOME = 'relprim.rate_limit.outcome';
export const BREAKER_NAME = 'relprim.circuit_breaker.name';
export const BREAKER_STATE = 'relprim.circuit_breaker.state';
export const BREAKER_REASON = 'relprim.circuit_breaker.reason';
/** Who changed a breaker: a `call`, an `operator` or the `fleet`. */
export const BREAKER_CHANGED_BY = 'relprim.circuit_breaker.changed_by';
export const SHIELD_NAME = 'relprim.shield.name';
/** Of the semantic conventions: the type of what failed, and what stands where no type is known. */
export const ERROR_TYPE = 'error.type';
export const UNKNOWN_ERROR = '_OTHER';
