import { describe, expect, it } from '@jest/globals';
import {
  CircuitBreaker,
  CircuitBreakerOpenError,
  fallbackChain,
  FallbackChainError,
  OperationExecutionError,
  OperationResult,
  OperationTimeoutError,
  reportOf,
  Resilient,
  resultOf,
  ValidationFailedError,
} from '../../lib/index.js';
import { noWait, rejectionOf, World } from './support.js';

/** As a web framework's: its status is what a caller's filter looks at. */
class HttpException extends Error {
  constructor(readonly status: number) {
    super(`status ${status}`);
  }
}
class NotFoundException extends HttpException {
  constructor() {
    super(404);
  }
}

describe('the value of a decorated method', () => {
  it('is the very object that the method made, after retries too', async () => {
    const receipt = { id: 7 };
    let calls = 0;
    class Payments {
      @Resilient({ retries: 2, backoff: noWait, timeout: '1s' })
      async charge(): Promise<object> {
        calls += 1;
        if (calls < 3) throw new Error('down');
        return receipt;
      }
    }
    expect(await new World().adopt(new Payments()).charge()).toBe(receipt);
    expect(calls).toBe(3);
  });

  // B131
  it.each([undefined, 0, '', null, false, [[1]]])('may be anything: %p', async (value) => {
    class Plain {
      @Resilient({ timeout: 1 })
      read(): Promise<unknown> {
        return value as never;
      }
    }
    expect(await new Plain().read()).toBe(value);
  });

  it('comes from a foreign thenable as from a promise', async () => {
    class Legacy {
      @Resilient({ timeout: 1 })
      read(): PromiseLike<string> {
        return {
          then: (done?: ((value: string) => any) | null) => done?.('from afar'),
        } as PromiseLike<string>;
      }
    }
    expect(await new Legacy().read()).toBe('from afar');
  });

  it('is one half of a result whose other half resultOf gives [R218]', async () => {
    class Payments {
      @Resilient({ name: 'charge a card' })
      async charge(amount: number): Promise<number> {
        return amount * 2;
      }
    }
    const payments = new Payments();
    expect(await payments.charge(4)).toBe(8);
    const result = await resultOf(payments.charge(4));
    expect(result).toBeInstanceOf(OperationResult);
    expect(result.value).toBe(8);
    expect(result.report).toMatchObject({
      operationName: 'charge a card',
      status: 'succeeded',
      attemptCount: 1,
    });
  });
});

describe('the error of a decorated method', () => {
  it('is the same object, of the same class, with its own stack', async () => {
    const thrown: Error[] = [];
    class Orders {
      @Resilient({ retries: 1, backoff: noWait })
      async find(): Promise<never> {
        const error = new NotFoundException();
        thrown.push(error);
        throw error;
      }
    }
    const error = (await rejectionOf(new Orders().find())) as NotFoundException;
    expect(thrown).toHaveLength(2);
    expect(error).toBe(thrown[1]);
    expect(error).toBeInstanceOf(NotFoundException);
    expect(error).toBeInstanceOf(HttpException);
    expect(error.status).toBe(404);
    expect(Object.keys(error)).toEqual(['status']);
    expect(error.stack).toContain('find');
    expect(reportOf(error)).toMatchObject({
      operationName: 'Orders.find',
      status: 'failed',
      attemptCount: 2,
    });
  });

  it('stays as it is when it is frozen', async () => {
    const frozen = Object.freeze(new Error('frozen'));
    class Store {
      @Resilient({ retries: 1, backoff: noWait })
      async read(): Promise<never> {
        throw frozen;
      }
    }
    expect(await rejectionOf(new Store().read())).toBe(frozen);
    expect(reportOf(frozen)?.attemptCount).toBe(2);
  });

  // B117
  it.each(['boom', 42, Symbol('odd'), null, undefined, { code: 1 }])(
    'may be no Error: %p',
    async (thrown) => {
      class Odd {
        @Resilient({ retries: 1, backoff: noWait })
        async fail(): Promise<never> {
          throw thrown;
        }
      }
      expect(await rejectionOf(new Odd().fail())).toBe(thrown);
    },
  );

  // B132
  it('never escapes synchronously, also from a method that is not async', async () => {
    let calls = 0;
    class Sync {
      @Resilient({ retries: 2, backoff: noWait })
      read(): Promise<number> {
        calls += 1;
        if (calls < 3) throw new Error('at once');
        return Promise.resolve(1);
      }
    }
    const promise = new Sync().read();
    expect(promise).toBeInstanceOf(Promise);
    expect(await promise).toBe(1);
    expect(calls).toBe(3);
  });

  it('belongs to the caller alone: an OperationExecutionError that an inner call threw is not unwrapped', async () => {
    class Inner {
      @Resilient({ throws: 'execution-error' })
      async read(): Promise<never> {
        throw new Error('deep');
      }
    }
    const inner = new Inner();
    class Outer {
      @Resilient()
      read(): Promise<never> {
        return inner.read();
      }
    }
    const error = (await rejectionOf(new Outer().read())) as OperationExecutionError;
    expect(error).toBeInstanceOf(OperationExecutionError);
    expect(error.message).toBe('Inner.read failed: Error (deep)');
    expect(reportOf(error)?.operationName).toBe('Outer.read');
    expect(reportOf(error)?.causedBy.map((report) => report.operationName)).toEqual(['Inner.read']);
  });
});

describe('errors of the library', () => {
  it('reach the caller as they are: a timeout', async () => {
    const world = new World();
    const { clock } = world;
    class Slow {
      @Resilient({ timeout: '2s' })
      read(): Promise<never> {
        return new Promise<never>(() => undefined);
      }
    }
    const error = await clock.settle(rejectionOf(world.adopt(new Slow()).read()));
    expect(error).toBeInstanceOf(OperationTimeoutError);
    expect(error).toMatchObject({ timeoutSeconds: 2, scope: 'attempt' });
    expect(reportOf(error)?.status).toBe('timed_out');
    expect(clock.pendingTimers).toBe(0);
  });

  // B122
  it('reach the caller as they are: a refusal of an open breaker, but not for the call that opens it', async () => {
    const down = new Error('down');
    let calls = 0;
    class Payments {
      @Resilient({ circuitBreaker: new CircuitBreaker({ name: 'payments', failureThreshold: 1 }) })
      async charge(): Promise<never> {
        calls += 1;
        throw down;
      }
    }
    const payments = new Payments();
    expect(await rejectionOf(payments.charge())).toBe(down);
    const error = await rejectionOf(payments.charge());
    expect(error).toBeInstanceOf(CircuitBreakerOpenError);
    expect(error).toMatchObject({ breakerName: 'payments', state: 'open' });
    expect(calls).toBe(1);
  });

  it('reach the caller as they are: a rejected value [R224]', async () => {
    class Payments {
      @Resilient({
        validate: function isPaid(receipt: { paid: boolean }) {
          return receipt.paid;
        },
      })
      async charge(): Promise<{ paid: boolean }> {
        return { paid: false };
      }
    }
    const error = await rejectionOf(new Payments().charge());
    expect(error).toBeInstanceOf(ValidationFailedError);
    expect(error).toMatchObject({ validatorName: 'isPaid', reason: 'isPaid said no' });
    expect(reportOf(error)?.metadata).toMatchObject({
      validation_performed: true,
      validation_valid: false,
      validation_validator_name: 'isPaid',
      validation_reason: 'isPaid said no',
    });
  });

  it('reach the caller as they are: all candidates of a chain have failed', async () => {
    const primary = new Error('primary');
    const [first, second] = [new Error('first'), new Error('second')];
    class Payments {
      @Resilient({
        fallbacks: fallbackChain(
          ['first', () => Promise.reject(first)],
          ['second', () => Promise.reject(second)],
        ),
      })
      async charge(): Promise<never> {
        throw primary;
      }
    }
    const error = (await rejectionOf(new Payments().charge())) as FallbackChainError;
    expect(error).toBeInstanceOf(FallbackChainError);
    expect(error.failures).toEqual([first, second]);
    expect(error.primaryFailure).toBe(primary);
    expect(error.cause).toBe(second);
  });
});
