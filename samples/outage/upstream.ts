import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { seededRandom } from 'relprim/testing';
import { ATTEMPT_HEADER } from './app/upstream-http.js';
import { faultOf, type Fault, type Phase } from './fault-schedule.js';
import { misbehave } from './misbehave.js';

/** A real HTTP server on this machine, which misbehaves by its schedule and writes down who came. */
export class Upstream {
  /** The attempt header of every request that reached it, in order of arrival. */
  readonly arrivals: string[] = [];
  /** What the latest request met. */
  fault: Fault = 'none';
  private readonly server = createServer((request, response) => this.receive(request, response));
  private readonly random = seededRandom(1);

  constructor(
    readonly name: string,
    private readonly phases: readonly Phase[],
    private readonly goodAnswer: object,
  ) {}

  async start(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private receive(request: IncomingMessage, response: ServerResponse): void {
    this.arrivals.push(String(request.headers[ATTEMPT_HEADER]));
    const fault = (this.fault = faultOf(this.phases, this.arrivals.length));
    const thinkMs = 5 + 20 * this.random();
    // A connection that is closed while it idles would fail the next request before it arrives.
    response.shouldKeepAlive = false;
    request.resume().once('end', () => misbehave(fault, response, this.goodAnswer, thinkMs));
  }
}
