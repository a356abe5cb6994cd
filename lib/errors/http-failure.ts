/** What HTTP clients leave in their failures, read so that no getter, proxy or odd shape of theirs can throw. */

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

export function read(object: object, key: string): unknown {
  try {
    return (object as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}

/**
 * The status that a failure is about. Clients keep it as `status`, `statusCode`, or the same on `response`; Nest has
 * `getStatus()`. Below 400 there was nothing to complain of: what failed came later, as in the middle of the body.
 */
export function statusOf(failure: object): number | undefined {
  const response = read(failure, 'response');
  const getStatus = read(failure, 'getStatus');
  const places = [read(failure, 'status'), read(failure, 'statusCode')];
  if (isObject(response)) places.push(read(response, 'status'), read(response, 'statusCode'));
  if (typeof getStatus === 'function') places.push(callOn(failure, getStatus as () => unknown));
  return places.find(
    (status): status is number => typeof status === 'number' && status >= 400 && status <= 599,
  );
}

function callOn(self: object, method: () => unknown): unknown {
  try {
    return method.call(self);
  } catch {
    return undefined;
  }
}

/** Causes and wrappers may form a ring; real ones are nested two or three deep. */
const MOST_LAYERS = 8;
/** Failures of the network or of the connection, by the codes of Node's sockets, its resolver and undici. */
const NETWORK_CODES: ReadonlySet<unknown> = new Set([
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
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  // What zlib says of a compressed answer that ends too early.
  'Z_BUF_ERROR',
]);
/** Headers that are too long are an answer of HTTP, and the next ones will be as long. */
const TOO_LONG_HEADERS = 'HPE_HEADER_OVERFLOW';

/**
 * What can be said of a failure, else of what lies beneath it. Not beneath a failed fallback, whose last stand-in says
 * nothing about the upstream: filters look at the primary failure themselves.
 */
export function judgeNearest<T>(
  error: unknown,
  judge: (failure: object, code: unknown) => T | undefined,
): T | undefined {
  let failure = error;
  for (let depth = 0; depth < MOST_LAYERS && isObject(failure); depth += 1) {
    const code = read(failure, 'code');
    const verdict = judge(failure, code);
    if (verdict !== undefined) return verdict;
    if (code === 'RELPRIM_FALLBACKS_FAILED' && read(failure, 'primaryFailure') !== undefined)
      return undefined;
    failure = read(failure, 'cause');
  }
  return undefined;
}

/** Somebody has given the request up, or our own circuit breaker refused it: the upstream has said nothing. */
export function saysNothing(failure: object, code: unknown): boolean {
  if (code === 'RELPRIM_CIRCUIT_BREAKER_OPEN') return true;
  const isAbort = isNamed(failure, 'AbortError') || code === 'ABORT_ERR' || code === 'ERR_CANCELED';
  // Node wraps what `AbortSignal.timeout()` says in an abort.
  return isAbort && !isNamed(read(failure, 'cause'), 'TimeoutError');
}

/** The network failed, a client gave up waiting, as `AbortSignal.timeout()` makes it, or what was said is no HTTP. */
export function isNetworkFailure(failure: object, code: unknown): boolean {
  return (
    NETWORK_CODES.has(code) ||
    isNamed(failure, 'TimeoutError') ||
    isNoHttp(failure, code) ||
    isCut(failure, code)
  );
}

/** Node's parser has a code, undici's a name. */
function isNoHttp(failure: object, code: unknown): boolean {
  if (code === TOO_LONG_HEADERS) return false;
  return (typeof code === 'string' && code.startsWith('HPE_')) || isNamed(failure, 'HTTPParserError');
}

/** How axios tells of an answer that ended too early; the code alone may as well mean that it was too long. */
function isCut(failure: object, code: unknown): boolean {
  return code === 'ERR_BAD_RESPONSE' && read(failure, 'message') === 'stream has been aborted';
}

function isNamed(failure: unknown, name: string): boolean {
  return isObject(failure) && read(failure, 'name') === name;
}
