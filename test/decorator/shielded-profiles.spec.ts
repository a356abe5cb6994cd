import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { resultOf, Shielded, type ExecutionReport } from '../../lib/index.js';
import { rejectionOf, World } from './support.js';

class TooSlow extends Error {
  override name = 'TimeoutError';
}

const down = new RangeError('broken');
const slow = (): Promise<never> => Promise.reject(new TooSlow('slow'));

afterEach(() => void jest.restoreAllMocks());

/** The metadata of one call of a shielded method. */
async function accountOf(world: World, call: Promise<unknown>): Promise<any> {
  const ended = await world.clock.settle(resultOf(call).catch((error: unknown) => error));
  return (ended as { report: ExecutionReport }).report.metadata;
}

describe('@Shielded() and its profiles', () => {
  class Client {
    @Shielded()
    async bare(): Promise<string> {
      return 'up';
    }
    @Shielded.internal()
    async internal(): Promise<string> {
      return 'up';
    }
    @Shielded.api('github')
    async api(): Promise<string> {
      return 'up';
    }
    @Shielded.slow({ fallback: () => 'stand-in' })
    async slow(): Promise<string> {
      throw down;
    }
    @Shielded.api('named', { fallback: () => 'stand-in' }, { name: 'client.both' })
    async both(): Promise<string> {
      throw down;
    }
    @Shielded.internal({ fallback: () => 'stand-in' }, { name: 'client.unnamed' })
    async unnamed(): Promise<string> {
      throw down;
    }
  }

  it.each([
    ['bare', 'Client.bare', 'api', 'up'],
    ['internal', 'Client.internal', 'internal', 'up'],
    ['api', 'github', 'api', 'up'],
    ['slow', 'Client.slow', 'slow', 'stand-in'],
    ['both', 'named', 'api', 'stand-in'],
    ['unnamed', 'client.unnamed', 'internal', 'stand-in'],
  ] as const)(
    '%s has a shield named %s with the profile %s [S39, S41, S42, S43]',
    async (method, name, profile, value) => {
      const world = new World();
      const client = world.adopt(new Client());
      expect(await client[method]()).toBe(value);
      expect(await accountOf(world, client[method]())).toMatchObject({
        shield_name: name,
        shield_profile: profile,
      });
    },
  );

  it('retry what is too slow [S40]', async () => {
    const world = new World();
    let calls = 0;
    class Flaky {
      @Shielded()
      async read(): Promise<string> {
        calls += 1;
        return calls === 1 ? slow() : 'up';
      }
    }
    expect(await world.clock.settle(world.adopt(new Flaky()).read())).toBe('up');
    expect(calls).toBe(2);
  });

  it('have one for each method, and outside an application for each instance', async () => {
    const world = new World();
    const limited = { maxRate: 1, whenLimited: 'reject' } as const;
    class Limited {
      @Shielded.api(limited)
      async one(): Promise<string> {
        return 'up';
      }
      @Shielded.api(limited)
      async other(): Promise<string> {
        return 'up';
      }
    }
    const [first, second] = [world.adopt(new Limited()), world.adopt(new Limited())];
    for (const call of [() => first.one(), () => first.other(), () => second.one()])
      expect(await call()).toBe('up');
    expect(((await rejectionOf(first.one())) as Error).name).toBe('ShieldLimitedError');
  });
});

describe("@Shielded('github') outside an application", () => {
  it('is a shield with default settings for each instance, with one warning that says the cure', async () => {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const world = new World();
    class Users {
      @Shielded('github')
      read(): Promise<string> {
        return slow();
      }
    }
    const [first, second] = [world.adopt(new Users()), world.adopt(new Users())];
    const metadata = await accountOf(world, first.read());
    expect(metadata).toMatchObject({
      shield_name: 'github',
      shield_profile: 'api',
      shield_gave_up: 'attempts_exhausted',
    });
    await world.clock.settle(rejectionOf(second.read()));
    expect(warn.mock.calls.map(([message]) => String(message))).toEqual([
      expect.stringMatching(
        /^shield 'github' is given by name outside an application.*ResilienceModule, or give a Shield$/,
      ),
    ]);
  });
});
