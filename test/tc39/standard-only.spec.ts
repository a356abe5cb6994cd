import { describe, expect, it } from '@jest/globals';
import { getResilientMetadata, Resilient, resultOf, type ExecutionReport } from '../../lib/index.js';
import { mistakeOf, noWait, World } from '../decorator/support.js';

const nameOf = async (promise: Promise<unknown>): Promise<string> =>
  (await resultOf(promise)).report.operationName;

describe('a private method, which only standard decorators can reach', () => {
  class Payments {
    readonly reports: ExecutionReport[] = [];
    tries = 0;

    @Resilient({
      retries: 1,
      backoff: noWait,
      onReport(this: Payments, report: ExecutionReport) {
        this.reports.push(report);
      },
    })
    async #charge(amount: number): Promise<number> {
      this.tries += 1;
      if (this.tries === 1) throw new Error('first try');
      return amount;
    }

    @Resilient({ timeout: '2s' })
    static #hang(): Promise<never> {
      return new Promise<never>(() => undefined);
    }

    charge(amount: number): Promise<number> {
      return this.#charge(amount);
    }

    static hang(): Promise<never> {
      return this.#hang();
    }
  }
  class OtherPayments extends Payments {}

  it('runs under its policy, and is named with its sign', async () => {
    const payments = new Payments();
    expect(await payments.charge(3)).toBe(3);
    expect(payments.reports).toMatchObject([{ operationName: 'Payments.#charge', attemptCount: 2 }]);
    const other = new OtherPayments();
    await other.charge(1);
    expect(other.reports[0]?.operationName).toBe('OtherPayments.#charge');
  });

  it('runs in the world of its instance', async () => {
    const world = new World();
    class Slow {
      @Resilient({ timeout: '2s' })
      #read(): Promise<string> {
        return new Promise<string>(() => undefined);
      }
      read(): Promise<string> {
        return this.#read().catch(() => 'timed out');
      }
    }
    expect(await world.clock.settle(world.adopt(new Slow()).read())).toBe('timed out');
    expect(world.clock.monotonicMs()).toBe(2_000);
  });

  it('is nothing that others can ask about', () => {
    expect(getResilientMetadata(Payments, '#charge')).toBeUndefined();
    expect(getResilientMetadata(Payments, 'charge')).toBeUndefined();
  });

  it('is refused with its sign when its options are wrong', () => {
    const mistake = mistakeOf(() => {
      class Client {
        @Resilient({ retries: -1 })
        async #read(): Promise<void> {}
        read(): Promise<void> {
          return this.#read();
        }
      }
      return Client;
    });
    expect(mistake.message).toBe('#read: retries is the number -1; give a whole number, 0 or more');
  });
});

describe('a class expression', () => {
  const made = () =>
    class {
      @Resilient()
      async read(): Promise<void> {}
      @Resilient()
      static async create(): Promise<void> {}
    };

  it('is named after the variable that holds it', async () => {
    const Client = class {
      @Resilient()
      async read(): Promise<void> {}
    };
    expect(await nameOf(new Client().read())).toBe('Client.read');
  });

  it('without a name leaves the name of its method', async () => {
    const Nameless = made();
    Object.defineProperty(Nameless, 'name', { value: '' });
    expect(await nameOf(new Nameless().read())).toBe('read');
    expect(await nameOf(Nameless.create())).toBe('create');
    expect(getResilientMetadata(Nameless, 'read')?.operationName).toBe('read');
  });
});

describe('before the first instance', () => {
  it('a method that was taken off its prototype has no class yet', async () => {
    class Client {
      @Resilient()
      async read(): Promise<string> {
        return 'read';
      }
    }
    const { read } = Client.prototype;
    expect(await nameOf(read())).toBe('read');
    expect(await nameOf(new Client().read())).toBe('Client.read');
  });

  it('a static method knows its class all the same', async () => {
    class Client {
      @Resilient()
      static async create(): Promise<void> {}
    }
    const { create } = Client;
    expect(await nameOf(create())).toBe('Client.create');
  });
});
