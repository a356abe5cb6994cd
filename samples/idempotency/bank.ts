import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

const WORK_MS = 100;

/** An upstream that charges whatever it is asked to, and counts. */
export class Bank {
  charges = 0;
  private waiting: (() => void) | undefined;
  private readonly server: Server = createServer((request, response) => {
    this.charges += 1;
    this.waiting?.();
    const receipt = `receipt ${this.charges} for ${request.url?.slice(1) ?? ''}`;
    setTimeout(() => response.end(receipt), WORK_MS);
  });

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async start(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  /** Resolves when the next charge begins. */
  nextCharge(): Promise<void> {
    return new Promise((resolve) => (this.waiting = resolve));
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}
