import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Between a client and a server: what either says arrives later, or not at all. */
export class SlowProxy {
  /** Half of it on the way there, half on the way back. */
  delayMs = 0;
  private isCut = false;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly port: number,
  ) {}

  static async to(port: number): Promise<SlowProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new SlowProxy(server, port);
    server.on('connection', (socket) => proxy.pass(socket));
    return proxy;
  }

  get url(): string {
    return `redis://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Ends all connections, and any new one. */
  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  mend(): void {
    this.isCut = false;
  }

  async close(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  private pass(near: Socket): void {
    if (this.isCut) return void near.destroy();
    const far = connect(this.port, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(from);
      from.setNoDelay(true);
      from.on('error', () => undefined);
      from.on('data', (data) => void setTimeout(() => to.destroyed || to.write(data), this.delayMs / 2));
      from.on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
    }
  }
}
