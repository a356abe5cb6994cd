import { checkName, isRecord, refuse } from '../../errors/check.js';
import { isNetworkFailure, judgeNearest, saysNothing, statusOf } from '../../errors/http-failure.js';
import { checkBreakerOptions, type CircuitBreakerOptions } from './circuit-breaker-options.js';

/** They say something about the request, not about the health of the server. */
const ABOUT_THE_REQUEST = new Set([501, 505]);
/** Nothing that passes by asking again, and yet nobody can be served: no such host, no TLS, a certificate not to trust. */
const UNREACHABLE =
  /^(ENOTFOUND|EPROTO|ERR_SSL_.+|ERR_TLS_CERT_.+|CERT_.+|UNABLE_TO_.+|(DEPTH_ZERO_)?SELF_SIGNED_.+)$/;

/**
 * The settings of a circuit breaker in front of an HTTP dependency, for `circuitBreakers` of a module or for
 * `new CircuitBreaker()`: `recordFailureOn` counts what says that the dependency is unwell. All others are the
 * library's, unless they are given.
 *
 * Counted are statuses of 500 and above (but 501 and 505), failures of the network, timeouts and rejected values. Not
 * counted: statuses below 500, 408 and 429 among them, aborts, refusals of other breakers, and whatever is no failure
 * of HTTP.
 * @throws {ConfigurationError} for a blank name, and for what a breaker refuses.
 */
export function httpCircuitBreaker(
  name: string,
  overrides: Omit<CircuitBreakerOptions, 'name'> = {},
): CircuitBreakerOptions & { readonly name: string } {
  checkName('name', name);
  if (!isRecord(overrides)) refuse('overrides', overrides, 'give an object of options');
  const given = Object.entries(overrides).filter(([, value]: [string, unknown]) => value !== undefined);
  const options = { recordFailureOn: isUpstreamFailure, ...Object.fromEntries(given), name };
  checkBreakerOptions(options);
  return options;
}

function isUpstreamFailure(error: unknown): boolean {
  return judgeNearest(error, judge) === true;
}

function judge(failure: object, code: unknown): boolean | undefined {
  if (saysNothing(failure, code) || code === 'RELPRIM_SHUTDOWN') return false;
  if (code === 'RELPRIM_TIMEOUT' || code === 'RELPRIM_VALIDATION_FAILED') return true;
  const status = statusOf(failure);
  if (status !== undefined) return status >= 500 && !ABOUT_THE_REQUEST.has(status);
  return isNetworkFailure(failure, code) || isUnreachable(code) || undefined;
}

function isUnreachable(code: unknown): boolean {
  return typeof code === 'string' && UNREACHABLE.test(code);
}
