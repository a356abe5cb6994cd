import { createHash } from 'node:crypto';
import { refuse } from '../../errors/check.js';

/** What is used of an ioredis client or cluster. */
export interface IoredisLike {
  evalsha(sha: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>;
  eval(script: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>;
  duplicate(): IoredisLike;
  readonly options: { enableOfflineQueue?: boolean | undefined };
  subscribe(channel: string): Promise<unknown>;
  on(event: string, listener: (...args: any[]) => void): unknown;
  disconnect(): void;
}

/** What is used of a client or cluster of the package `redis`. */
export interface NodeRedisLike {
  evalSha(sha: string, options: ScriptOptions): Promise<unknown>;
  eval(script: string, options: ScriptOptions): Promise<unknown>;
  duplicate(): NodeRedisLike;
  connect(): Promise<unknown>;
  subscribe(channel: string, listener: (message: string) => void): Promise<unknown>;
  on(event: string, listener: (...args: any[]) => void): unknown;
  destroy(): void;
}

interface ScriptOptions {
  keys: string[];
  arguments: string[];
}

/** A connected client of ioredis or of the package `redis`: a single server or a cluster. */
export type RedisClient = IoredisLike | NodeRedisLike;

/** A script that runs on the server, in one step. It touches one key, so that it runs on clusters, too. */
export class RedisScript {
  private readonly sha: string;

  constructor(private readonly source: string) {
    this.sha = createHash('sha1').update(source).digest('hex');
  }

  async run(client: RedisClient, key: string, args: readonly string[]): Promise<unknown> {
    try {
      return await this.call(client, true, key, args);
    } catch (error) {
      // The server does not know the script yet, or no longer.
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return this.call(client, false, key, args);
    }
  }

  private call(client: RedisClient, known: boolean, key: string, args: readonly string[]): Promise<unknown> {
    if (isIoredis(client))
      return known ? client.evalsha(this.sha, 1, key, ...args) : client.eval(this.source, 1, key, ...args);
    const options = { keys: [key], arguments: [...args] };
    return known ? client.evalSha(this.sha, options) : client.eval(this.source, options);
  }
}

/** A connection of its own that listens to one channel. */
export interface Subscription {
  /** When it listens. Clients connect again by themselves, so this may take for ever. */
  readonly opened: Promise<unknown>;
  /** Ends the connection, even one that is still being made. */
  close(): void;
}

/** `ended` is told of the end of the connection: some clients are told not to connect again. */
export function subscribe(
  client: RedisClient,
  channel: string,
  listener: (message: string) => void,
  ended: () => void,
): Subscription {
  if (isIoredis(client)) {
    const connection = client.duplicate();
    // Without a queue it would refuse to subscribe before it is connected.
    connection.options.enableOfflineQueue = true;
    // An error that nobody listens to would end the process.
    connection.on('error', ignore);
    connection.on('end', ended);
    connection.on('message', (_channel: string, message: string) => listener(message));
    return { opened: connection.subscribe(channel), close: () => connection.disconnect() };
  }
  const connection = client.duplicate();
  connection.on('error', ignore);
  // The name in version 6; older ones say nothing, and those who wait ask once a second.
  connection.on('terminated', ended);
  return {
    opened: connection.connect().then(() => connection.subscribe(channel, listener)),
    close: () => connection.destroy(),
  };
}

function ignore(): void {}

function isIoredis(client: RedisClient): client is IoredisLike {
  return typeof (client as Partial<IoredisLike>).evalsha === 'function';
}

export function checkClient(client: unknown): RedisClient {
  const given = (client ?? {}) as Partial<IoredisLike & NodeRedisLike>;
  if (typeof given.evalsha === 'function' || typeof given.evalSha === 'function')
    return client as RedisClient;
  return refuse('client', client, "give a client of 'ioredis' or 'redis'");
}
