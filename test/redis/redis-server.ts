import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Whether this machine has a Redis to start. Without one, these suites are skipped and say so. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0;

export const WITHOUT_REDIS = 'there is no redis-server on the PATH';

/** A Redis of our own on a free port, that keeps nothing. */
export class RedisServer {
  private constructor(
    readonly port: number,
    private readonly process: ChildProcess,
    private readonly folder: string,
  ) {}

  static async start(port?: number, settings: readonly string[] = []): Promise<RedisServer> {
    const own = port ?? (await freePort());
    const folder = await mkdtemp(join(tmpdir(), 'relprim-redis-'));
    const args = ['--port', String(own), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    const server = spawn('redis-server', [...args, '--dir', folder, ...settings], { stdio: 'ignore' });
    await untilOpen(own);
    return new RedisServer(own, server, folder);
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** It answers nobody, and keeps its connections. */
  pause(): void {
    this.process.kill('SIGSTOP');
  }

  resume(): void {
    this.process.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    const ended = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await ended;
    await rm(this.folder, { recursive: true, force: true });
  }
}

export async function freePort(): Promise<number> {
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
