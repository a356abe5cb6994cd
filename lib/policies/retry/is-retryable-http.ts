import { isObject, read, statusOf } from '../../errors/http-failure.js';

/** Statuses worth another try: asked to come back (408, 429) or the server's own trouble. */
const RETRYABLE_STATUSES = new Set([408, 429]);
/** Server errors that will not go away by asking again. */
const PERMANENT_SERVER_STATUSES = new Set([501, 505, 508, 511]);
/** Failures of the network or of the connection, by the codes of Node's sockets, its resolver and undici. */
const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENETDOWN',
  'ENETUNREACH',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'EAI_AGAIN',
  'ERR_NETWORK',
  'ERR_STREAM_PREMATURE_CLOSE',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_SOCKET',
]);

/**
 * Whether the failure of an HTTP call may pass by asking again: network errors by their code, statuses 408, 429
 * and 5xx (but 501, 505, 508, 511), our own timeout of an attempt, and a rejected value. Never an abort, a
 * programming error, another status, or the refusal of an open circuit breaker.
 * It cannot know whether the request is safe to repeat: that is the application's word.
 */
export function isRetryableHttp(error: unknown): boolean {
  // Causes may form a ring; real chains are short.
  for (
    let failure = error, depth = 0;
    depth < 8 && isObject(failure);
    failure = read(failure, 'cause'), depth += 1
  ) {
    const verdict = judge(failure);
    if (verdict !== undefined) return verdict;
  }
  return false;
}

function judge(failure: object): boolean | undefined {
  const name = read(failure, 'name');
  const code = read(failure, 'code');
  if (name === 'AbortError' || code === 'ABORT_ERR' || code === 'ERR_CANCELED') return false;
  if (code === 'RELPRIM_CIRCUIT_BREAKER_OPEN') return false;
  if (code === 'RELPRIM_TIMEOUT' || code === 'RELPRIM_VALIDATION_FAILED') return true;
  const status = statusOf(failure);
  if (status !== undefined) return isRetryableStatus(status);
  if (typeof code === 'string' && NETWORK_CODES.has(code)) return true;
  // A client's own timeout, as `AbortSignal.timeout()` makes it.
  if (name === 'TimeoutError') return true;
  return undefined;
}

function isRetryableStatus(status: number): boolean {
  return (
    RETRYABLE_STATUSES.has(status) ||
    (status >= 500 && status <= 599 && !PERMANENT_SERVER_STATUSES.has(status))
  );
}
