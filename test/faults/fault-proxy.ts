import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Ending, Fault } from './faults.js';
import { Flow, sleep } from './flow.js';

/** What has been said is heard before the end: of both at once libuv makes an end without an error. */
const ARRIVAL_MS = 10;

/** Between clients and a server on this machine. Each new connection meets the next fault of its script. */
export class FaultProxy {
  /** The faults that connections have met, in order. */
  readonly met: Fault[] = [];
  private used = 0;
  private script: readonly Fault[] = [{}];
  private readonly lines = new Set<Line>();
  private server: Server | undefined;

  private constructor(
    private readonly target: number,
    /** Its own, which it keeps while it refuses. */
    public port = 0,
  ) {}

  static async to(port: number): Promise<FaultProxy> {
    const proxy = new FaultProxy(port);
    await proxy.accept();
    return proxy;
  }

  /** From now on; the last fault is repeated. Connections that are open keep theirs. */
  will(...faults: Fault[]): void {
    this.met.length = 0;
    this.used = 0;
    this.script = faults;
  }

  /** How many connections a client has said something on. Some open more than they use. */
  get asked(): number {
    return this.used;
  }

  /** Connections of clients that have not ended, as far as this end knows. */
  get open(): number {
    return this.lines.size;
  }

  /** New connections are refused, as by a machine on which nothing listens. */
  async refuse(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (server === undefined) return;
    const closed = [once(server, 'close'), ...[...this.lines].map((line) => line.closed)];
    server.close();
    this.cut();
    await Promise.all(closed);
  }

  /** Takes connections again, on the same port. */
  async accept(): Promise<void> {
    if (this.server !== undefined) return;
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => this.pass(near));
    this.server = server;
    server.listen(this.port, '127.0.0.1');
    await once(server, 'listening');
    this.port = (server.address() as AddressInfo).port;
  }

  /** All connections that are open are reset, or go silent. */
  cut(how: Ending = 'reset'): void {
    for (const line of [...this.lines]) line.end(how);
  }

  close(): Promise<void> {
    return this.refuse();
  }

  private pass(near: Socket): void {
    const fault = this.script[Math.min(this.met.length, this.script.length - 1)] ?? {};
    this.met.push(fault);
    const line = new Line(near, fault, this.target);
    this.lines.add(line);
    near.once('data', () => (this.used += 1));
    void line.closed.then(() => this.lines.delete(line));
  }
}

/** One connection through the proxy. */
class Line {
  readonly closed: Promise<unknown>;
  private far: Socket | undefined;
  private readonly gone = new AbortController();
  private hasEnded = false;
  private requests = 0;
  private hasAnswered = true;
  private answered = 0;

  constructor(
    private readonly near: Socket,
    private readonly fault: Fault,
    target: number,
  ) {
    near.on('error', () => undefined);
    this.closed = new Promise((resolve) => near.once('close', resolve));
    near.once('close', () => {
      this.gone.abort();
      this.far?.destroy();
    });
    const { atConnect, answer } = fault;
    if (atConnect !== undefined) this.end(atConnect);
    else if (answer !== undefined) near.once('data', () => near.end(answer));
    else this.carry(target);
  }

  /** Whatever was on its way is lost. */
  end(how: Ending): void {
    if (this.hasEnded && how !== 'reset') return;
    this.hasEnded = true;
    this.gone.abort();
    this.far?.destroy();
    // A connection that is read says when its client has gone; one that is not keeps it for itself.
    if (how === 'gone') this.near.pause();
    else this.near.resume().once('end', () => this.near.destroy());
    if (how === 'reset') reset(this.near);
    else if (how === 'close') this.near.end();
  }

  private carry(target: number): void {
    const far = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true }).setNoDelay();
    this.far = far;
    const { near, fault, gone } = this;
    const { signal } = gone;
    const answers = new Flow(near, fault, signal, (chunk) => this.allowed(chunk));
    const requests = new Flow(far, { latencyMs: fault.latencyMs }, signal);
    far.on('error', () => reset(near));
    far.on('data', (chunk) => answers.add(chunk)).once('end', () => answers.end());
    near.on('data', (chunk) => this.isLetThrough() && requests.add(chunk)).once('end', () => requests.end());
  }

  /** Whether this request is let through. */
  private isLetThrough(): boolean {
    if (this.hasEnded) return false;
    if (this.hasAnswered) this.requests += 1;
    this.hasAnswered = false;
    const { requests, then = 'reset' } = this.fault;
    if (requests === undefined || this.requests <= requests) return true;
    this.end(then);
    return false;
  }

  private async endOnceHeard(how: Ending): Promise<void> {
    const stays = await sleep(ARRIVAL_MS, this.gone.signal);
    // A loop that was busy has run the timer before it has looked at its sockets.
    await nextTurn();
    if (stays) this.end(how);
  }

  /** As much of an answer as gets through. */
  private allowed(chunk: Buffer): Buffer {
    this.hasAnswered = true;
    const { bytes = Infinity, then = 'reset' } = this.fault;
    const part = chunk.subarray(0, Math.max(0, bytes - this.answered));
    this.answered += part.length;
    if (this.answered >= bytes && part.length > 0) void this.endOnceHeard(then);
    return part;
  }
}

/** A socket that has said FIN cannot be reset any more, and would wait for its end for ever. */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
