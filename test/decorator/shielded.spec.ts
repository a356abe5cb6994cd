import { describe, expect, it } from '@jest/globals';
import {
  CircuitBreaker,
  getResilientMetadata,
  reportOf,
  Shield,
  Shielded,
  type ExecutionReport,
} from '../../lib/index.js';
import { rejectionOf, World } from './support.js';

class TooSlow extends Error {
  override name = 'TimeoutError';
}

const down = new RangeError('broken');
const slow = (): Promise<never> => Promise.reject(new TooSlow('slow'));

describe('@Shielded(shield)', () => {
  it('puts methods of several classes under one shield: one budget, one rate [S39, S112]', async () => {
    const world = new World();
    const shield = Shield.api('github', { env: false });
    class Users {
      @Shielded(shield)
      read(): Promise<string> {
        return slow();
      }
    }
    class Repos {
      @Shielded(shield)
      list(): Promise<string> {
        return slow();
      }
    }
    const [users, repos] = [world.adopt(new Users()), world.adopt(new Repos())];
    await world.clock.settle(rejectionOf(users.read()));
    expect(shield.snapshot()).toMatchObject({ budget: 17, engaged: true });
    await world.clock.settle(rejectionOf(repos.list()));
    expect(shield.snapshot().budget).toBe(14);
    expect(world.clock.pendingTimers).toBe(0);
  });

  it('leaves the method its name, length, `this`, arguments, value and error [S128]', async () => {
    const world = new World();
    class Users {
      readonly base = 40;
      @Shielded(Shield.api('github', { env: false }))
      async read(id: number, _more?: string): Promise<number> {
        if (id < 0) throw down;
        return this.base + id;
      }
    }
    const users = world.adopt(new Users());

    expect([users.read.name, users.read.length]).toEqual(['read', 2]);
    expect(await users.read(2)).toBe(42);
    expect(await rejectionOf(users.read(-1))).toBe(down);
    expect(reportOf(down)?.operationName).toBe('Users.read');
    expect(getResilientMetadata(Users, 'read')).toBeDefined();
  });

  it('takes beside the shield what is not the business of one', async () => {
    const world = new World();
    const breaker = new CircuitBreaker({ name: 'b', failureThreshold: 1, clock: world.clock });
    const reports: ExecutionReport[] = [];
    class Users {
      @Shielded(Shield.api('github', { env: false }), {
        name: 'users.read',
        circuitBreaker: breaker,
        maxConcurrent: 1,
        deadline: '5s',
        throws: 'execution-error',
        validate: (value: unknown) => value !== 'bad',
        onReport: (report) => void reports.push(report),
      })
      async read(value: string): Promise<string> {
        return value;
      }
    }
    const users = world.adopt(new Users());
    expect(await users.read('good')).toBe('good');
    expect((await rejectionOf(users.read('bad'))) as Error).toMatchObject({
      name: 'OperationExecutionError',
    });
    expect(reports.map(({ operationName, status }) => [operationName, status])).toEqual([
      ['users.read', 'succeeded'],
      ['users.read', 'failed'],
    ]);
    expect(breaker.state).toBe('open');
  });

  it('is found in inherited methods, and calls the method of the base through super', async () => {
    const world = new World();
    const shield = Shield.api('github', { env: false });
    class Base {
      @Shielded(shield)
      async read(): Promise<string> {
        return 'base';
      }
    }
    class Derived extends Base {
      override async read(): Promise<string> {
        return `derived ${await super.read()}`;
      }
    }
    expect(await world.adopt(new Derived()).read()).toBe('derived base');
    expect(shield.snapshot().samples).toBe(1);
  });

  it('works on a static method', async () => {
    class Users {
      @Shielded(Shield.internal('github', { env: false }))
      static async read(): Promise<string> {
        return 'up';
      }
    }
    expect(await Users.read()).toBe('up');
  });
});
