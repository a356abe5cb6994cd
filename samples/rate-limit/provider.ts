import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TokenBucket } from './token-bucket.js';

/** What the provider wrote down about one client. */
export interface Ledger {
  requests: number;
  refused: number;
  readonly bucket: TokenBucket;
}

/** A real HTTP server on this machine that grants each client four requests at once, and four more a second. */
export class Provider {
  private readonly ledgers = new Map<string, Ledger>();
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
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  ledgerOf(client: string): Ledger {
    let ledger = this.ledgers.get(client);
    if (ledger === undefined) {
      ledger = { requests: 0, refused: 0, bucket: new TokenBucket(4, 4) };
      this.ledgers.set(client, ledger);
    }
    return ledger;
  }

  private receive({ headers }: IncomingMessage, response: ServerResponse): void {
    const ledger = this.ledgerOf(String(headers['x-client']));
    ledger.requests += 1;
    // A connection that is closed while it idles would fail the next request before it arrives.
    response.shouldKeepAlive = false;
    if (ledger.bucket.take()) {
      response.writeHead(200).end('done');
      return;
    }
    ledger.refused += 1;
    response.writeHead(429, { 'Retry-After': ledger.bucket.retryAfterSeconds }).end();
  }
}
