import type { IncomingHttpHeaders } from 'node:http';
import type { Body } from './body.js';

/** What an upstream answered, after redirects. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Where the answer came from, without secrets. */
  readonly url: string;
  readonly host: string;
  readonly redirects: number;
  readonly body: Body;
  /** What it costs of the budget of its breaker. */
  readonly cost: number;
}

/** An answer whose status says that the request failed. `status` and `headers` stand where filters look for them. */
export class HttpStatusError extends Error {
  override readonly name = 'HttpStatusError';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;

  constructor(readonly answer: HttpAnswer) {
    super(`the upstream answered ${answer.status}`);
    this.status = answer.status;
    this.headers = answer.headers;
  }
}
