import { describe, expect, it } from '@jest/globals';
import { fallbackChain, FallbackChainError, reportOf, Resilient, resultOf } from '../../lib/index.js';
import { noWait, rejectionOf, World } from './support.js';

const down = new Error('down');

describe('a fallback given by name', () => {
  it('is a method of the instance, called with the arguments and the instance [R242]', async () => {
    class Payments {
      private readonly queue: string[] = [];
      @Resilient({ retries: 1, backoff: noWait, fallback: 'queueForLater' })
      async charge(_order: string, _amount: number): Promise<string> {
        throw down;
      }
      async queueForLater(order: string, amount: number): Promise<string> {
        this.queue.push(`${order}: ${amount}`);
        return this.queue.join('; ');
      }
    }
    const payments = new Payments();
    expect(await payments.charge('a', 1)).toBe('a: 1');
    const { value, report } = await resultOf(payments.charge('b', 2));
    expect(value).toBe('a: 1; b: 2');
    expect(report).toMatchObject({ status: 'succeeded', attemptCount: 3, retryCount: 1 });
    expect(report.metadata).toMatchObject({ fallback_used: true, fallback_candidate_name: 'queueForLater' });
  });

  it('may be private, protected, inherited or overridden', async () => {
    class Base {
      protected async inherited(): Promise<string> {
        return 'inherited';
      }
      async overridden(): Promise<string> {
        return 'of the base';
      }
    }
    class Payments extends Base {
      @Resilient({ fallback: 'own' as string })
      async one(): Promise<string> {
        throw down;
      }
      @Resilient({ fallback: 'inherited' as string })
      async two(): Promise<string> {
        throw down;
      }
      @Resilient({ fallback: 'overridden' })
      async three(): Promise<string> {
        throw down;
      }
      private async own(): Promise<string> {
        return 'private';
      }
    }
    class Child extends Payments {
      override async overridden(): Promise<string> {
        return 'of the child';
      }
    }
    const [payments, child] = [new Payments(), new Child()];
    expect(await Promise.all([payments.one(), payments.two(), payments.three(), child.three()])).toEqual([
      'private',
      'inherited',
      'of the base',
      'of the child',
    ]);
  });

  it('may be a property of the instance', async () => {
    class Payments {
      readonly later = async (): Promise<string> => 'a property';
      @Resilient({ fallback: 'later' })
      async charge(): Promise<string> {
        throw down;
      }
    }
    expect(await new Payments().charge()).toBe('a property');
  });

  it('runs under its own decorator', async () => {
    const world = new World();
    class Payments {
      @Resilient({ fallback: 'slow' })
      async charge(): Promise<string> {
        throw down;
      }
      @Resilient({ timeout: '2s', fallback: 'last' })
      slow(): Promise<string> {
        return new Promise<string>(() => undefined);
      }
      async last(): Promise<string> {
        return 'last';
      }
    }
    const promise = world.adopt(new Payments()).charge();
    expect(await world.clock.settle(promise)).toBe('last');
    expect(world.clock.monotonicMs()).toBe(2_000);
    expect(world.clock.pendingTimers).toBe(0);
  });

  it('is asked of the instance at each call', async () => {
    class Payments {
      later: () => Promise<string> = async () => 'first';
      @Resilient({ fallback: 'later' })
      async charge(): Promise<string> {
        throw down;
      }
    }
    const payments = new Payments();
    expect(await payments.charge()).toBe('first');
    payments.later = async () => 'second';
    expect(await payments.charge()).toBe('second');
  });
});

describe('a fallback given as a function', () => {
  it('gets the instance as this, and the arguments [R242]', async () => {
    class Payments {
      readonly host = 'h';
      @Resilient({
        async fallback(this: Payments, order: string) {
          return `${this.host} keeps ${order}`;
        },
      })
      async charge(order: string): Promise<string> {
        throw new Error(order);
      }
    }
    expect(await new Payments().charge('a')).toBe('h keeps a');
  });

  it('is a candidate that is named after the function [R233]', async () => {
    const readCache = async (): Promise<string> => 'cached';
    class Payments {
      @Resilient({ fallback: readCache })
      async named(): Promise<string> {
        throw down;
      }
      @Resilient({
        fallback: (
          () => async () =>
            'nameless'
        )(),
      })
      async nameless(): Promise<string> {
        throw down;
      }
    }
    const candidateOf = async (promise: Promise<string>) =>
      (await resultOf(promise)).report.metadata.fallback_candidate_name;
    expect(await candidateOf(new Payments().named())).toBe('readCache');
    expect(await candidateOf(new Payments().nameless())).toBe('fallback');
  });

  it('may answer at once, without a promise', async () => {
    class Payments {
      @Resilient({ fallback: () => 'at once' })
      async charge(): Promise<string> {
        throw down;
      }
    }
    expect(await new Payments().charge()).toBe('at once');
  });
});

describe('a single fallback that fails', () => {
  // B111
  it.each([
    ['later', () => Promise.reject(new RangeError('empty'))],
    [
      'at once',
      () => {
        throw new RangeError('empty');
      },
    ],
  ])('%s rejects with its own error; the first failure is in the report', async (_when, fallback) => {
    class Payments {
      @Resilient({ fallback: fallback as () => Promise<string> })
      async charge(): Promise<string> {
        throw down;
      }
    }
    const error = await rejectionOf(new Payments().charge());
    expect(error).toEqual(new RangeError('empty'));
    const report = reportOf(error);
    expect(report?.status).toBe('failed');
    expect(
      report?.attempts.map((attempt) => [attempt.fallback, attempt.error?.type, attempt.error?.message]),
    ).toEqual([
      [false, 'Error', 'down'],
      [true, 'FallbackChainError', 'all 1 fallback candidate(s) failed, the last with RangeError (empty)'],
    ]);
  });

  it('is the cause of what resultOf rejects with', async () => {
    const empty = new RangeError('empty');
    class Payments {
      @Resilient({ fallback: () => Promise.reject(empty) })
      async charge(): Promise<string> {
        throw down;
      }
    }
    const error = (await rejectionOf(resultOf(new Payments().charge()))) as Error;
    expect(error.cause).toBe(empty);
  });

  it('is not asked for a failure that its filter leaves out', async () => {
    class Payments {
      @Resilient({ fallback: () => 'kept', fallbackOn: [RangeError] })
      async charge(error: Error): Promise<string> {
        throw error;
      }
    }
    expect(await new Payments().charge(new RangeError('x'))).toBe('kept');
    expect(await rejectionOf(new Payments().charge(down))).toBe(down);
  });
});

describe('a chain of fallbacks', () => {
  it('calls its candidates with the instance as this, too [R242]', async () => {
    class Payments {
      readonly host = 'h';
      @Resilient({
        fallbacks: fallbackChain(
          ['first', () => Promise.reject(new Error('no'))],
          [
            'second',
            async function (this: Payments, order: string) {
              return `${this.host} keeps ${order}`;
            },
          ],
        ),
      })
      async charge(_order: string): Promise<string> {
        throw down;
      }
    }
    const { value, report } = await resultOf(new Payments().charge('a'));
    expect(value).toBe('h keeps a');
    expect(report.metadata).toMatchObject({ fallback_candidate_name: 'second', fallback_candidate_index: 1 });
  });

  it('of one candidate still rejects with the error of a chain', async () => {
    class Payments {
      @Resilient({ fallbacks: fallbackChain(['only', () => Promise.reject(new Error('no'))]) })
      async charge(): Promise<string> {
        throw down;
      }
    }
    expect(await rejectionOf(new Payments().charge())).toBeInstanceOf(FallbackChainError);
  });

  it('is not meant when the failure is the error of somebody else’s chain', async () => {
    const foreign = new FallbackChainError([new Error('inner')], down);
    class Payments {
      @Resilient({ fallback: async () => 'f', fallbackOn: (error) => error === 'never' })
      async charge(): Promise<string> {
        throw foreign;
      }
    }
    expect(await rejectionOf(new Payments().charge())).toBe(foreign);
  });
});
