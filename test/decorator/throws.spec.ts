import { describe, expect, it } from '@jest/globals';
import {
  currentAttempt,
  fallbackChain,
  FallbackChainError,
  MisuseError,
  OperationExecutionError,
  OperationTimeoutError,
  reportOf,
  Resilient,
  resultOf,
} from '../../lib/index.js';
import { noWait, rejectionOf, World } from './support.js';

describe("throws: 'execution-error'", () => {
  it('rejects with the report, and with the own error as cause', async () => {
    const down = new Error('down');
    class Payments {
      @Resilient({ throws: 'execution-error', retries: 1, backoff: noWait })
      async charge(): Promise<never> {
        throw down;
      }
    }
    const error = (await rejectionOf(new Payments().charge())) as OperationExecutionError;
    expect(error).toBeInstanceOf(OperationExecutionError);
    expect(error.cause).toBe(down);
    expect(error.report).toMatchObject({
      operationName: 'Payments.charge',
      status: 'failed',
      attemptCount: 2,
    });
    expect(reportOf(error)).toBe(error.report);
    expect(reportOf(down)).toBe(error.report);
  });

  it('still gives the plain value of a success', async () => {
    class Payments {
      @Resilient({ throws: 'execution-error' })
      async charge(): Promise<string> {
        return 'paid';
      }
    }
    expect(await new Payments().charge()).toBe('paid');
  });

  it('is given on by resultOf as it is, and not wrapped again', async () => {
    class Payments {
      @Resilient({ throws: 'execution-error' })
      async charge(): Promise<never> {
        throw new Error('down');
      }
    }
    const promise = new Payments().charge();
    const error = await rejectionOf(promise);
    expect(await rejectionOf(resultOf(promise))).toBe(error);
  });

  it('wraps the timeout of the library too', async () => {
    const world = new World();
    class Payments {
      @Resilient({ throws: 'execution-error', timeout: '2s' })
      charge(): Promise<never> {
        return new Promise<never>(() => undefined);
      }
    }
    const error = (await world.clock.settle(rejectionOf(world.adopt(new Payments()).charge()))) as Error;
    expect(error).toBeInstanceOf(OperationExecutionError);
    expect(error.cause).toBeInstanceOf(OperationTimeoutError);
    expect((error as OperationExecutionError).report.status).toBe('timed_out');
  });

  it('has the error of a chain as cause when every candidate has failed', async () => {
    class Payments {
      @Resilient({
        throws: 'execution-error',
        fallbacks: fallbackChain(['queue', () => Promise.reject(new Error('full'))]),
      })
      async charge(): Promise<never> {
        throw new Error('down');
      }
    }
    const error = (await rejectionOf(new Payments().charge())) as Error;
    expect(error).toBeInstanceOf(OperationExecutionError);
    expect(error.cause).toBeInstanceOf(FallbackChainError);
  });

  it('leaves a cancellation alone: the reason of the signal is what the caller gets', async () => {
    const caller = new AbortController();
    class Payments {
      @Resilient({ throws: 'execution-error', signal: (signal: AbortSignal) => signal })
      charge(_signal: AbortSignal): Promise<never> {
        return new Promise<never>(() => undefined);
      }
    }
    const rejection = rejectionOf(new Payments().charge(caller.signal));
    const reason = new Error('the user went away');
    caller.abort(reason);
    expect(await rejection).toBe(reason);
  });

  it('leaves a misuse of the library alone', async () => {
    class Payments {
      @Resilient({ throws: 'execution-error' })
      async charge(): Promise<void> {
        await Promise.resolve();
        currentAttempt();
      }
    }
    expect(await rejectionOf(new Payments().charge())).toBeInstanceOf(MisuseError);
  });
});

describe("throws: 'original'", () => {
  it('is what a decorator without the option does', async () => {
    const down = new Error('down');
    class Payments {
      @Resilient({ throws: 'original' })
      async charge(): Promise<never> {
        throw down;
      }
    }
    expect(await rejectionOf(new Payments().charge())).toBe(down);
  });
});
