/** The groups of metadata keys as they stand on the wire, for a check called 'is good' with the reason 'it is not'. */
import { validator } from '../../lib/index.js';

export const isGood = validator('is good', (value) => value === 'good', { message: 'it is not' });

export const PRIMARY = { fallback_used: false, circuit_breaker_open: false };
/** By a breaker that failures in a row have opened. */
export const REFUSED = { circuit_breaker_open: true, circuit_breaker_reason: 'consecutive_failures' };

export const UNCHECKED = {
  validation_performed: false,
  validation_valid: null,
  validation_validator_name: null,
  validation_reason: null,
};
export const ACCEPTED = {
  ...UNCHECKED,
  validation_performed: true,
  validation_valid: true,
  validation_validator_name: 'validation_policy',
};
export const REJECTED = {
  validation_performed: true,
  validation_valid: false,
  validation_validator_name: 'is good',
  validation_reason: 'it is not',
};

export const NO_DELAY = {
  rate_limited: false,
  rate_limit_retry_after_seconds: null,
  rate_limit_delay_seconds: null,
  rate_limit_delay_source: null,
  rate_limit_wait_exceeded: false,
};
export const delayed = (seconds: number) => ({
  ...NO_DELAY,
  rate_limit_delay_seconds: seconds,
  rate_limit_delay_source: 'backoff',
});

/** What a report has beside the metadata of its last attempt. */
export const CALL = {
  rate_limit_encountered: false,
  rate_limit_wait_seconds: 0,
  rate_limit_wait_exceeded: false,
};
