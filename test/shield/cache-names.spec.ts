import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Shielded } from '../../lib/index.js';
import { gives, rejects, Upstream, type Fn } from '../operation/support.js';
import { original, outcome, shielded } from './support.js';

const broken = new RangeError('broken');
const down = rejects(broken);

function silenced() {
  return jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
}
afterEach(() => void jest.restoreAllMocks());

/** Works once, and never again. */
const livesOnce = (value: unknown): Fn => new Upstream(gives(value), down).call;

describe('functions that share a shield and are called with the same arguments', () => {
  it('never get the values of each other', async () => {
    const scene = shielded({ cache: new Map() });
    const flaky = (value: string): Fn => new Upstream(gives(value), down).call;
    const [users, orders] = [flaky('users'), flaky('orders')];
    const getUsers = async (id: number): Promise<unknown> => users(id);
    const getOrders = async (id: number): Promise<unknown> => orders(id);
    for (const fn of [getUsers, getOrders]) await outcome(scene, scene.shield.run(fn, 1));
    expect(await outcome(scene, scene.shield.run(getUsers, 1))).toBe('users');
    expect(await outcome(scene, scene.shield.run(getOrders, 1))).toBe('orders');
  });

  it('do in the original, whose key does not tell them apart', async () => {
    const scene = original({ cache: new Map() });
    const up = async (value: unknown): Promise<unknown> => value;
    await outcome(scene, scene.shield.run(up, 1));
    const other = async (): Promise<never> => Promise.reject(broken);
    expect(await outcome(scene, (scene.shield.run as Fn)(other, 1))).toBe(1);
  });

  it('and have no name are not cached, with one warning that says the cure', async () => {
    const warn = silenced();
    const cache = new Map<string, unknown>();
    const get = jest.spyOn(cache, 'get');
    const scene = shielded({ cache });
    expect(
      await outcome(
        scene,
        scene.shield.run(async () => 'first'),
      ),
    ).toBe('first');
    for (let call = 0; call < 3; call += 1)
      expect(
        await outcome(
          scene,
          scene.shield.run(async () => Promise.reject(broken)),
        ),
      ).toBe(broken);
    expect([cache.size, get.mock.calls.length]).toEqual([0, 0]);
    expect(warn.mock.calls.map(([message]) => message)).toEqual([
      "the cache of shield 'github' is not used for functions without a name of their own; " +
        'give the shield a cacheKey, or give each function a name',
    ]);
  });

  it('and have the same name are not cached: each may have closed over something else', async () => {
    const warn = silenced();
    const scene = shielded({ cache: new Map() });
    const request = async (id: number, fails = false): Promise<unknown> => {
      const load = async (): Promise<number> => (fails ? Promise.reject(broken) : id);
      return outcome(scene, scene.shield.run(load));
    };
    expect(await request(1)).toBe(1);
    expect(await request(2, true)).toBe(broken);
    expect(await request(1, true)).toBe(broken);
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it('and are methods of two classes of one name are not cached either', async () => {
    const warn = silenced();
    const scene = shielded({ cache: new Map() });
    const make = (fn: Fn): (() => Promise<unknown>) => {
      class Client {
        @Shielded(scene.shield)
        read(): Promise<unknown> {
          return fn() as Promise<unknown>;
        }
      }
      const client = new Client();
      return () => outcome(scene, client.read());
    };
    const users = make(livesOnce('users'));
    expect([await users(), await users()]).toEqual(['users', 'users']);
    const orders = make(down);
    expect(await orders()).toBe(broken);
    expect(await users()).toBe(broken);
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it('and have no name are cached with a `cacheKey`', async () => {
    const scene = shielded({ cache: new Map(), cacheKey: (id: number) => `user:${id}` });
    await outcome(
      scene,
      scene.shield.run(async (id: number) => id * 2, 21),
    );
    expect(
      await outcome(
        scene,
        scene.shield.run(async (_: number) => Promise.reject(broken), 21),
      ),
    ).toBe(42);
  });
});
