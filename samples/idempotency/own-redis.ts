import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A Redis of the sample's own, on a free port, that keeps nothing on disk. */
export class OwnRedis {
  private constructor(
    readonly url: string,
    private readonly process: ChildProcess,
    private readonly folder: string,
  ) {}

  /** `undefined` where this machine has no Redis. */
  static async start(): Promise<OwnRedis | undefined> {
    if (spawnSync('redis-server', ['--version']).status !== 0) return undefined;
    const port = await freePort();
    const folder = await mkdtemp(join(tmpdir(), 'relprim-sample-'));
    const address = ['--port', String(port), '--bind', '127.0.0.1'];
    const storage = ['--save', '', '--appendonly', 'no', '--dir', folder];
    const server = spawn('redis-server', [...address, ...storage], { stdio: 'ignore' });
    await untilOpen(port);
    return new OwnRedis(`redis://127.0.0.1:${port}`, server, folder);
  }

  async stop(): Promise<void> {
    this.process.kill();
    await once(this.process, 'exit');
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function untilOpen(port: number): Promise<void> {
  for (let left = 200; left > 0; left -= 1) {
    const socket = connect(port, '127.0.0.1');
    const opened = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (opened) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('redis-server did not start');
}
