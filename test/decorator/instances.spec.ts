import { describe, expect, it, jest } from '@jest/globals';
import { Resilient, resultOf } from '../../lib/index.js';
import { noWait, World } from './support.js';

class Client {
  tries = 0;
  constructor(readonly host = 'h') {}

  @Resilient({ retries: 1, backoff: noWait })
  async read(): Promise<string> {
    this.tries += 1;
    if (this.tries % 2 === 1) throw new Error('first try');
    return this.host;
  }

  @Resilient({ retries: 1, backoff: noWait })
  async alone(value: number): Promise<number> {
    return value + 1;
  }
}

const clients: readonly [string, () => Client][] = [
  ['an object made from one', () => Object.create(new Client()) as Client],
  ['a proxy of one', () => new Proxy(new Client(), {})],
  [
    'an object that was given the prototype',
    () => Object.setPrototypeOf({ tries: 0, host: 'h' }, Client.prototype) as Client,
  ],
];

describe('a decorated method called on', () => {
  it.each(clients)('%s runs under its policy and its name', async (_what, make) => {
    const client = make();
    const { value, report } = await resultOf(client.read());
    expect(value).toBe('h');
    expect(client.tries).toBe(2);
    expect(report).toMatchObject({ operationName: 'Client.read', attemptCount: 2 });
  });

  it('an object made from an adopted one, or a proxy of it, runs in the same world', async () => {
    const world = new World();
    const adopted = world.adopt(new Slow());
    for (const client of [adopted, Object.create(adopted) as Slow, new Proxy(adopted, {})]) {
      expect(await world.clock.settle(client.read().catch(() => 'timed out'))).toBe('timed out');
      expect(world.clock.pendingTimers).toBe(0);
    }
    expect(world.clock.monotonicMs()).toBe(180_000);
  });

  it('a frozen instance runs in its world and leaves no trace on it', async () => {
    const world = new World();
    const frozen = Object.freeze(new Slow());
    const keys = Reflect.ownKeys(frozen);
    world.adopt(frozen);
    expect(await world.clock.settle(frozen.read().catch(() => 'timed out'))).toBe('timed out');
    expect(Reflect.ownKeys(frozen)).toEqual(keys);
  });

  it('an instance of a class whose prototype was frozen before there was any', async () => {
    class Hardened {
      @Resilient({ timeout: '60s' })
      read(): Promise<string> {
        return new Promise<string>(() => undefined);
      }
    }
    Object.freeze(Hardened.prototype);
    const world = new World();
    const hardened = world.adopt(new Hardened());
    expect(await world.clock.settle(hardened.read().catch(() => 'timed out'))).toBe('timed out');
  });

  it('a frozen or sealed instance outside any application runs as on any other', async () => {
    class Constant {
      constructor() {
        Object.freeze(this);
      }
      @Resilient({ retries: 1, backoff: noWait })
      async read(): Promise<string> {
        return 'constant';
      }
    }
    expect(await new Constant().read()).toBe('constant');
    expect(await Object.seal(new Client()).read()).toBe('h');
  });

  it('an instance that bound it in its constructor, or whose method a test spies on', async () => {
    class Bound extends Client {
      constructor() {
        super('bound');
        this.read = this.read.bind(this);
      }
    }
    const { read } = new Bound();
    const { value, report } = await resultOf(read());
    expect([value, report.operationName]).toEqual(['bound', 'Bound.read']);

    const client = new Client();
    const spy = jest.spyOn(client, 'read');
    expect(await client.read()).toBe('h');
    expect(spy).toHaveBeenCalledTimes(1);
    expect(client.tries).toBe(2);
  });

  it('nothing at all: a method taken off its object has no this, as in plain JavaScript', async () => {
    const { alone, read } = new Client();
    const { value, report } = await resultOf(alone(1));
    expect(value).toBe(2);
    expect(report.operationName).toBe('Client.alone');
    await expect(read()).rejects.toThrow(TypeError);
  });

  it('an object of another class, or of none, works with what that has', async () => {
    const stranger = { tries: 1, host: 'stranger' };
    const bare = Object.assign(Object.create(null) as object, { tries: 1, host: 'bare' });
    for (const other of [stranger, bare]) {
      const { value, report } = await resultOf(Client.prototype.read.call(other as Client));
      expect(value).toBe(other === stranger ? 'stranger' : 'bare');
      expect(report.operationName).toBe('Client.read');
    }
  });

  it('leaves instances clean: no keys, nothing in JSON, in copies or in comparisons', () => {
    const world = new World();
    const adopted = world.adopt(new Client('a'));
    expect(Object.keys(adopted).sort()).toEqual(['host', 'tries']);
    expect(JSON.parse(JSON.stringify(adopted))).toStrictEqual({ tries: 0, host: 'a' });
    expect(Reflect.ownKeys({ ...adopted }).sort()).toEqual(['host', 'tries']);
    expect(adopted).toEqual(new Client('a'));
    expect(structuredClone(adopted)).toEqual({ tries: 0, host: 'a' });
  });
});

class Slow {
  @Resilient({ timeout: '60s' })
  read(): Promise<string> {
    return new Promise<string>(() => undefined);
  }
}
