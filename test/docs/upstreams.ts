import { once } from 'node:events';
import { createServer, type OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the first example of README.md calls. */
export interface Order {
  readonly id: string;
}

export interface Receipt {
  readonly text: string;
}

/** Answers with a 503, then not at all, then well. */
export class PaymentsHttp {
  private readonly statuses = [503, 0, 201];

  async post(
    _path: string,
    { id }: Order,
    { signal }: { signal: AbortSignal; headers: object },
  ): Promise<Receipt> {
    const status = this.statuses.shift();
    if (status === 201) return { text: `receipt for ${id}` };
    if (status === 503) throw Object.assign(new Error('status 503'), { name: 'HttpError', status });
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
  }
}

export async function askTheBank(_currency: string): Promise<number> {
  return 11.3;
}

/** A real HTTP server on this machine that answers with these statuses, one a request, then with 200. */
export async function startShop(
  ...answers: readonly [status: number, headers?: OutgoingHttpHeaders][]
): Promise<string> {
  const left = [...answers];
  const server = createServer((request, response) => {
    const [status, headers] = left.shift() ?? [200];
    response.shouldKeepAlive = false;
    response.writeHead(status, headers).end(JSON.stringify({ path: request.url, price: 25 }));
  });
  await once(server.listen(0, '127.0.0.1').unref(), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
