import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { seededRandom } from 'relprim/testing';
import { ATTEMPT_HEADER } from './app/upstream-http.js';
import { faultOf, inRound, type Fault, type Phase } from './fault-schedule.js';
import { misbehave } from './misbehave.js';

/** A real HTTP server on this machine, which misbehaves by its schedule and writes down who came. */
export class Upstream {
  /** The attempt header of every request that reached it, in order of arrival. */
  readonly arrivals: string[] = [];
  /** What the latest request met. */
  fault: Fault = 'none';
  private readonly server = createServer((request, response) => this.receive(request, response));
  private readonly random = seededRandom(1);
  private requests = 0;

  constructor(
    readonly name: string,
    private readonly phases: readonly Phase[],
    private readonly goodAnswer: object,
    /** After the last phase comes the first one again, and nothing is written down: it may go on for days. */
    private readonly again = false,
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
    this.requests += 1;
    if (!this.again) this.arrivals.push(String(request.headers[ATTEMPT_HEADER]));
    const number = this.again ? inRound(this.phases, this.requests) : this.requests;
    const fault = (this.fault = faultOf(this.phases, number));
    const thinkMs = 5 + 20 * this.random();
    // A connection that is closed while it idles would fail the next request before it arrives.
    response.shouldKeepAlive = false;
    request.resume().once('end', () => misbehave(fault, response, this.goodAnswer, thinkMs));
  }
}
