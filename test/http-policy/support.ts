import { once } from 'node:events';
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One answer of the upstream: a status with headers, or something worse. */
export type Answer =
  readonly [status: number, headers?: OutgoingHttpHeaders] | 'no answer' | 'connection lost';

/** A real HTTP server on this machine, which answers by a script; its last answer is repeated. */
export class HttpUpstream {
  /** Method, path and time of each request, in order of arrival. */
  readonly requests: {
    readonly method: string;
    readonly headers: IncomingMessage['headers'];
    readonly atMs: number;
  }[] = [];
  private answers: readonly Answer[] = [[200]];
  private readonly server = createServer((request, response) => this.receive(request, response));

  async start(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  /** A new script, and nothing has been asked yet. */
  will(...answers: Answer[]): void {
    this.requests.length = 0;
    this.answers = answers;
  }

  private receive(request: IncomingMessage, response: ServerResponse): void {
    const { method = '', headers } = request;
    this.requests.push({ method, headers, atMs: performance.now() });
    const answer = this.answers[Math.min(this.requests.length, this.answers.length) - 1] as Answer;
    response.shouldKeepAlive = false;
    if (answer === 'no answer') return;
    if (answer === 'connection lost') {
      request.socket.destroy();
      return;
    }
    const [status, more] = answer;
    response.writeHead(status, more).end(`answer ${this.requests.length}`);
  }
}

/** A failure as an application throws it over fetch. */
export class HttpError extends Error {
  constructor(readonly response: Response) {
    super(`status ${response.status}`);
  }
}

/** A failure with this status and these headers, as most clients have it. */
export function failureWith(status: number, headers: object = {}): Error {
  return Object.assign(new Error(`status ${status}`), { status, headers });
}

/** A failure with this code, as sockets have it. */
export function failureOf(code: string): Error {
  return Object.assign(new Error(code), { code });
}
