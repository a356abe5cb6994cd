import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly atMs: number;
}

/** The body of every answer: longer than the headers, even compressed, so that an answer can be cut in its middle. */
export const BODY = Array.from({ length: 25 }, (_, row) =>
  createHash('sha256').update(`${row}`).digest('hex'),
).join('');

/** How an answer is sent: with its length, without it, or compressed. */
export const PATHS = ['/sized', '/chunked', '/gzip'] as const;

/** A healthy HTTP server on this machine, which keeps connections. */
export class Upstream {
  readonly requests: Request[] = [];
  /** How many requests it had at once, at most. */
  most = 0;
  /** So many requests from now on are too many: each is told to come back in a second. */
  tooMany = 0;
  /** The bytes of the bodies of all requests. */
  received = 0;
  /** Whether it keeps connections for more than one request. */
  keeps = true;
  private running = 0;
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer({ keepAliveTimeout: 60_000 }, (request, response) =>
    this.receive(request, response),
  ).on('connection', (socket) => {
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
  });

  static async start(): Promise<Upstream> {
    const upstream = new Upstream();
    upstream.server.listen(0, '127.0.0.1');
    await once(upstream.server, 'listening');
    return upstream;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Connections that are open. */
  get open(): number {
    return this.sockets.size;
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private receive(request: IncomingMessage, response: ServerResponse): void {
    const { method = '', url: path = '', headers } = request;
    this.requests.push({ method, path, headers, atMs: performance.now() });
    this.running += 1;
    this.most = Math.max(this.most, this.running);
    response.once('close', () => (this.running -= 1));
    request.on('data', (part: Buffer) => (this.received += part.length));
    request.once('end', () => this.answer(path, response));
  }

  private answer(path: string, response: ServerResponse): void {
    const isTooMany = this.tooMany > 0;
    if (isTooMany) this.tooMany -= 1;
    response.shouldKeepAlive = this.keeps;
    const body = path === '/gzip' ? gzipSync(BODY) : Buffer.from(BODY);
    response.writeHead(isTooMany ? 429 : 200, {
      'content-type': 'text/plain',
      ...(isTooMany && { 'retry-after': '1' }),
      ...(path === '/gzip' && { 'content-encoding': 'gzip' }),
      ...(path !== '/chunked' && { 'content-length': body.length }),
    });
    response.write(body.subarray(0, 100));
    response.end(body.subarray(100));
  }
}
