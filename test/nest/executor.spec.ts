import { describe, expect, it, jest } from '@jest/globals';
import { Injectable, Logger } from '@nestjs/common';
import {
  CircuitBreaker,
  OperationExecutionError,
  reportOf,
  Resilient,
  type ExecutionReport,
  type OperationResult,
} from '../../lib/index.js';
import {
  RESILIENCE_EXECUTOR,
  ResilienceExecutor,
  type ResilienceModuleOptions,
} from '../../nest-module/index.js';
import { start } from './support.js';

const now = { delayForRetry: () => 0 };
const down = new RangeError('down');

@Injectable()
class Client {
  calls = 0;

  @Resilient({ retries: 1, backoff: now })
  async add(a: number, b: number): Promise<number> {
    this.calls += 1;
    if (this.calls % 2 === 1) throw down;
    return a + b;
  }

  @Resilient({ retries: 2, backoff: now, timeout: '1s', circuitBreaker: 'payments', fallback: 'nothing' })
  async charge(): Promise<number> {
    throw down;
  }

  @Resilient()
  async fail(): Promise<never> {
    throw down;
  }

  async nothing(): Promise<number> {
    return 0;
  }

  sum(a: number): number {
    return a;
  }

  @Resilient({ name: 'named' })
  async other(): Promise<void> {}
}

const options: ResilienceModuleOptions = {
  circuitBreakers: [{ name: 'payments' }],
  silenceWarnings: ['retries-without-retry-on'],
};

async function executorAndClient() {
  const app = await start({ providers: [Client] }, options);
  return { executor: app.get(ResilienceExecutor), client: app.get(Client), app };
}

describe('executor.run', () => {
  it('gives the value with its report, typed by the method', async () => {
    const { executor, client, app } = await executorAndClient();
    const result: OperationResult<number> = await executor.run(client, 'add', 1, 2);
    expect(result.value).toBe(3);
    expect(result.report.toJSON()).toMatchObject({
      operation_name: 'Client.add',
      status: 'succeeded',
      attempt_count: 2,
      retry_count: 1,
    });
    expect(app.get(RESILIENCE_EXECUTOR)).toBe(executor);
    const mistyped = [
      // @ts-expect-error the second argument is a number
      () => executor.run(client, 'add', 1, '2'),
      // @ts-expect-error the method takes two arguments
      () => executor.run(client, 'add', 1),
      // @ts-expect-error there is no such method
      () => executor.run(client, 'ad', 1, 2),
      // @ts-expect-error a field is no method
      () => executor.run(client, 'calls'),
    ];
    expect(mistyped).toHaveLength(4);
  });

  it('rejects with the report and the cause in hand', async () => {
    const { executor, client } = await executorAndClient();
    const error: any = await executor.run(client, 'fail').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(OperationExecutionError);
    expect(error.cause).toBe(down);
    expect(error.report.toJSON()).toMatchObject({
      operation_name: 'Client.fail',
      status: 'failed',
      attempt_count: 1,
    });
    expect(reportOf(down)?.callId).toBe(error.report.callId);
  });

  it('refuses what is no decorated method, without calling anything twice', async () => {
    const { executor, client } = await executorAndClient();
    await expect(executor.run(client, 'subtract' as 'add', 1, 2)).rejects.toThrow(
      'method is undefined; give an instance and the name of one of its decorated methods',
    );
    await expect(executor.run(undefined as unknown as Client, 'add', 1, 2)).rejects.toThrow(
      'method is undefined',
    );
    await expect(executor.run(client, 'sum', 1)).rejects.toThrow(TypeError);
    await expect(executor.run(client, 'nothing')).rejects.toThrow('Client.nothing started no operation');
  });
});

describe('executor.describe', () => {
  it('says the policies of an operation in one line, from the outside in', async () => {
    const { executor } = await executorAndClient();
    expect(executor.operationNames()).toEqual(['Client.add', 'Client.charge', 'Client.fail', 'named']);
    expect(executor.descriptionOf('Client.charge').summary).toBe(
      "Client.charge: up to 3 attempts > circuit breaker 'payments' > timeout 1 s > method; else fallback nothing",
    );
    expect(executor.describe('Client.fail')).toBe('Client.fail: method');
    expect(executor.describe('named')).toBe('named: method');
  });

  it('names the nearest operation for a name that none has', async () => {
    const { executor } = await executorAndClient();
    expect(() => executor.describe('Client.chrage')).toThrow(
      'operationName is not known; did you mean Client.charge?',
    );
    expect(() => executor.describe('xyz')).toThrow(
      'operationName is not known; operations are named Class.method',
    );
  });

  it('has one name for each class that inherits a method', async () => {
    @Injectable()
    class Eu extends Client {}
    @Injectable()
    class Us extends Client {
      @Resilient({ circuitBreaker: new CircuitBreaker({ name: 'us' }) })
      override async fail(): Promise<never> {
        return super.fail();
      }
    }
    const app = await start({ providers: [Eu, Us] }, options);
    const names = app.get(ResilienceExecutor).operationNames();
    expect([...names].sort()).toEqual([
      'Eu.add',
      'Eu.charge',
      'Eu.fail',
      'Us.add',
      'Us.charge',
      'Us.fail',
      'named',
    ]);
    expect(app.get(ResilienceExecutor).describe('Us.fail')).toBe(
      "Us.fail: circuit breaker 'us' > method\n  circuitBreaker CircuitBreaker 'us' (decorator)",
    );
  });
});

describe('executor.observe', () => {
  it('gets the report of every call, whatever its end, until it is ended', async () => {
    const { executor, client } = await executorAndClient();
    const seen: string[] = [];
    const end = executor.observe(({ operationName, status }) => seen.push(`${operationName} ${status}`));
    await client.add(1, 2);
    await client.charge();
    await expect(client.fail()).rejects.toBe(down);
    expect(seen).toEqual(['Client.add succeeded', 'Client.charge succeeded', 'Client.fail failed']);
    end();
    end();
    await client.add(1, 2);
    expect(seen).toHaveLength(3);
  });

  // B017
  it('leaves no listener behind, however often calls begin and end an observation', async () => {
    const { executor, client } = await executorAndClient();
    const listeners = (): number => executor.host.observers.length;
    const before = listeners();
    for (let call = 0; call < 1_000; call += 1) {
      const end = executor.observe(() => undefined);
      await client.other();
      end();
    }
    expect(listeners()).toBe(before);
  });

  it('tells every observer, also when one ends itself or is there twice', async () => {
    const { executor, client } = await executorAndClient();
    const seen: string[] = [];
    const endFirst = executor.observe(() => {
      seen.push('first');
      endFirst();
    });
    const twice = (): void => void seen.push('twice');
    const endTwice = executor.observe(twice);
    executor.observe(twice);
    await client.other();
    expect(seen.splice(0)).toEqual(['first', 'twice', 'twice']);
    endTwice();
    endTwice();
    await client.other();
    expect(seen).toEqual(['twice']);
  });

  it('keeps what an observer throws or rejects with away from the call, and says so in the log', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const { executor, client } = await executorAndClient();
    const reports: ExecutionReport[] = [];
    executor.observe(() => {
      throw new SyntaxError('secret');
    });
    executor.observe(async () => Promise.reject(new RangeError('secret')));
    executor.observe((report) => reports.push(report));
    await expect(client.add(1, 2)).resolves.toBe(3);
    await new Promise(setImmediate);
    expect(reports).toHaveLength(1);
    expect(warn.mock.calls.flat().sort()).toEqual([
      expect.stringMatching(/^a listener to reports of Client\.add failed with RangeError/),
      expect.stringMatching(/^a listener to reports of Client\.add failed with SyntaxError/),
    ]);
    expect(warn.mock.calls.flat().join()).not.toContain('secret');
    warn.mockRestore();
  });

  it('refuses a listener that cannot be called', async () => {
    const { executor } = await executorAndClient();
    expect(() => executor.observe(undefined as never)).toThrow('listener is undefined; give a function');
  });
});
