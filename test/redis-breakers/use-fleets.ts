import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { RedisServer } from '../redis/redis-server.js';
import { freshKey, PACKAGES, until, type PackageName } from '../redis/support.js';
import { replicaOf, type Replica, type ReplicaOptions } from './support.js';

/** One process of a fleet, and how it loses its connection. */
export interface Member extends Replica {
  readonly cut: () => void;
}

/** Tests take as many as they have asked for. */
type Members = [Member, Member, Member, Member];

type Options = Omit<ReplicaOptions, 'client' | 'name'>;

/** Fleets on a Redis of the test file; what a test has begun ends with it. */
export function useFleets() {
  let server: RedisServer;
  const endings: (() => unknown)[] = [];
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterEach(async () => {
    for (const end of endings.splice(0).reverse()) await end();
  });
  afterAll(() => server.stop());

  async function join(
    options: Options & { readonly name: string },
    kind: PackageName = 'ioredis',
  ): Promise<Member> {
    const { client, close } = await PACKAGES[kind](server.url);
    endings.push(close);
    const replica = replicaOf({ recoveryTimeout: '1m', ...options, client });
    endings.push(() => replica.shared.stop());
    return { ...replica, cut: close };
  }

  /** As many processes as asked for, who have heard of each other. */
  async function fleetOf(size: number, options: Options = {}, kind?: PackageName): Promise<Members> {
    const name = freshKey();
    const fleet: Member[] = [];
    for (let made = 0; made < size; made += 1) fleet.push(await join({ ...options, name }, kind));
    await until(() => fleet.every(({ shared }) => shared.state === 'shared' && shared.replicas === size));
    return fleet as Members;
  }

  return { fleetOf, join };
}
