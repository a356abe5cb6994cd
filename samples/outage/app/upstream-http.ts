import type { CurrentAttempt } from 'relprim';

/** Says which call and which of its attempts a request belongs to: `<call id>/<attempt number>`. */
export const ATTEMPT_HEADER = 'x-attempt';

/** The upstream answered with a status that is no success. */
export class HttpStatusError extends Error {
  constructor(readonly status: number) {
    super(`the upstream answered with status ${status}`);
    this.name = `HttpStatus${status}`;
  }
}

/** The connection broke. `fetch` calls that a TypeError; what happened is in the cause, where isRetryableHttp finds it. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** A request for one attempt: it is aborted when the attempt has timed out, and says which attempt it belongs to. */
export async function requestJson<T>(
  url: string,
  attempt: CurrentAttempt,
  init: RequestInit = {},
): Promise<T> {
  const { signal, callId, number } = attempt;
  const headers = { ...init.headers, [ATTEMPT_HEADER]: `${callId}/${number}` };
  const response = await connected(fetch(url, { ...init, headers, signal }));
  const body = await connected(response.text());
  if (!response.ok) throw new HttpStatusError(response.status);
  return JSON.parse(body) as T;
}

async function connected<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    throw error instanceof TypeError ? new ConnectionError(error.message, { cause: error }) : error;
  }
}
