import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import * as ours from '../../lib/index.js';
import { mistakeOf, noWait, rejectionOf } from './support.js';

describe('beside a second copy of the package', () => {
  let theirs: typeof ours;
  beforeAll(async () => {
    jest.resetModules();
    theirs = await import('../../lib/index.js');
    expect(theirs.Resilient).not.toBe(ours.Resilient);
  });

  // B121
  it.each<[string, () => unknown]>([
    ['a NonRetryableError', () => new theirs.NonRetryableError('declined')],
    [
      'a subclass of NonRetryableError',
      () => new (class Declined extends theirs.NonRetryableError {})('declined'),
    ],
    ['an error that it marked', () => theirs.nonRetryable(new RangeError('declined'))],
  ])('%s of the other copy is not retried', async (_what, make) => {
    let calls = 0;
    const declined = make();
    class Payments {
      @ours.Resilient({ retries: 3, backoff: noWait })
      async charge(): Promise<void> {
        calls += 1;
        throw declined;
      }
    }
    expect(await rejectionOf(new Payments().charge())).toBe(declined);
    expect(calls).toBe(1);
  });

  it('a filter of one copy matches the errors of the other', async () => {
    const down = theirs.resilient({ name: 'theirs' }, () => Promise.reject(new RangeError('down')));
    let calls = 0;
    class Payments {
      @ours.Resilient({ retries: 1, backoff: noWait, retryOn: [ours.OperationExecutionError] })
      async byClass(): Promise<unknown> {
        calls += 1;
        return down();
      }
      @ours.Resilient({ retries: 1, backoff: noWait, retryOn: [RangeError] })
      async byCause(): Promise<unknown> {
        calls += 1;
        return down();
      }
    }
    const error = await rejectionOf(new Payments().byClass());
    expect(error).toBeInstanceOf(ours.OperationExecutionError);
    expect(error).toBeInstanceOf(theirs.OperationExecutionError);
    await rejectionOf(new Payments().byCause());
    expect(calls).toBe(4);
  });

  it('either reads the metadata of what the other decorated', () => {
    class Payments {
      @theirs.Resilient({ retries: 1 })
      async charge(): Promise<void> {}
    }
    expect(ours.getResilientMetadata(Payments, 'charge')).toEqual({
      operationName: 'Payments.charge',
      options: { retries: 1 },
    });
  });

  it('either finds the report of a call of the other', async () => {
    class Payments {
      @theirs.Resilient()
      async charge(fails: boolean): Promise<string> {
        if (fails) throw new Error('down');
        return 'paid';
      }
    }
    expect((await ours.resultOf(new Payments().charge(false))).report.operationName).toBe('Payments.charge');
    expect(ours.reportOf(await rejectionOf(new Payments().charge(true)))?.status).toBe('failed');
  });

  it('either gives the result of an operation of the other as it is, and not a result in a result', async () => {
    const three = theirs.resilient({ name: 'three' }, async () => 3);
    expect((await ours.resultOf(three())).value).toBe(3);
    expect((await ours.resultOf(() => three())).value).toBe(3);
  });

  it('either takes a circuit breaker of the other', async () => {
    const circuitBreaker = new theirs.CircuitBreaker({ name: 'theirs', failureThreshold: 1 });
    class Payments {
      @ours.Resilient({ circuitBreaker: circuitBreaker })
      async charge(): Promise<void> {
        throw new Error('down');
      }
    }
    await rejectionOf(new Payments().charge());
    expect(await rejectionOf(new Payments().charge())).toBeInstanceOf(ours.CircuitBreakerOpenError);
  });

  it('mistakes are told apart by code, whichever copy found them', () => {
    const mistake = mistakeOf(() => theirs.resilient({ retries: -1 }, mistakeOf));
    expect(mistake).toBeInstanceOf(ours.ConfigurationError);
    expect(mistake.code).toBe('RELPRIM_CONFIGURATION');
  });
});
