import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How the upstream is doing. */
export interface Phase {
  readonly name: string;
  readonly seconds: number;
  /** How long an answer takes. */
  readonly latencyMs: number;
  /** Requests a second that it serves; it refuses more with status 429. */
  readonly capacity: number;
}

export const PHASES: readonly Phase[] = [
  { name: 'well', seconds: 6, latencyMs: 40, capacity: Infinity },
  { name: 'slow', seconds: 8, latencyMs: 200, capacity: Infinity },
  { name: 'overloaded', seconds: 14, latencyMs: 40, capacity: 20 },
  { name: 'well again', seconds: 16, latencyMs: 40, capacity: Infinity },
];

/** A server on loopback that does as the phase says. */
export class Upstream {
  phase = PHASES[0] as Phase;
  private server: Server | undefined;
  private tokens = 0;
  private refilledMs = 0;

  async listen(): Promise<string> {
    this.server = createServer((_request, response) => {
      const { latencyMs } = this.phase;
      const status = this.admits() ? 200 : 429;
      setTimeout(() => response.writeHead(status).end(), latencyMs);
    }).listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  close(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }

  /** A token bucket that holds one second's worth. */
  private admits(): boolean {
    const { capacity } = this.phase;
    if (capacity === Infinity) return true;
    const nowMs = performance.now();
    this.tokens = Math.min(capacity, this.tokens + ((nowMs - this.refilledMs) / 1_000) * capacity);
    this.refilledMs = nowMs;
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }
}
