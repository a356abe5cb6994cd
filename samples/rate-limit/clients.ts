import {
  currentAttempt,
  ExponentialBackoff,
  isRetryableHttp,
  Resilient,
  retryAfterFromHeaders,
} from 'relprim';

class HttpError extends Error {
  constructor(readonly response: Response) {
    super(`status ${response.status}`);
  }
}

const isTooManyRequests = (error: unknown): boolean =>
  error instanceof HttpError && error.response.status === 429;

async function send(url: string, client: string): Promise<void> {
  const { signal } = currentAttempt(); // before any await
  const response = await fetch(url, { signal, headers: { 'x-client': client } });
  await response.text();
  if (!response.ok) throw new HttpError(response);
}

/** Both have the same patience: up to ten tries, 50 ms apart unless they are told otherwise. */
const patience = {
  retries: 9,
  retryOn: isRetryableHttp,
  backoff: new ExponentialBackoff({ baseDelay: '50ms', maxDelay: '50ms', jitter: false }),
} as const;

export interface Client {
  readonly name: string;
  work(): Promise<void>;
}

/** Comes back when the provider asks it to. */
export class ObedientClient implements Client {
  readonly name = 'obedient';

  constructor(private readonly url: string) {}

  @Resilient({
    ...patience,
    rateLimitOn: isTooManyRequests,
    retryAfter: retryAfterFromHeaders,
    maxRateLimitWait: '10s',
  })
  async work(): Promise<void> {
    await send(this.url, this.name);
  }
}

/** Reads no headers. */
export class StubbornClient implements Client {
  readonly name = 'stubborn';

  constructor(private readonly url: string) {}

  @Resilient(patience)
  async work(): Promise<void> {
    await send(this.url, this.name);
  }
}
