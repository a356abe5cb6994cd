import { describe, expect, it } from '@jest/globals';
import {
  ConfigurationError,
  MisuseError,
  OperationExecutionError,
  OperationResult,
  reportOf,
  Resilient,
  resilient,
  resultOf,
} from '../../lib/index.js';
import { gives, hangs, rejection, rejects, scene, throws } from './support.js';

const missing = new RangeError('no such user');

class Users {
  readonly name = 'Ada';

  @Resilient({ retries: 1, backoff: { delayForRetry: () => 0 } })
  async read(id: number): Promise<string> {
    if (id < 0) throw missing;
    return `${this.name} ${id}`;
  }

  @Resilient({ throws: 'execution-error' })
  async readOrExplain(): Promise<string> {
    throw missing;
  }

  @Resilient({ signal: (signal: AbortSignal) => signal })
  async watch(_signal: AbortSignal): Promise<string> {
    return hangs() as Promise<string>;
  }

  @Resilient()
  async fail(value: unknown): Promise<string> {
    throw value;
  }

  @Resilient()
  async readBoth(): Promise<string[]> {
    return Promise.all([this.read(1), this.read(2)]);
  }
}

/** What another decorator, above ours, makes of a method. */
const audited = async (call: () => Promise<string>): Promise<{ audited: string }> => ({
  audited: await call(),
});

describe('resultOf()', () => {
  const users = new Users();

  it('gives value and report of the promise of a method', async () => {
    const promise = users.read(7);
    const result = await resultOf(promise);
    expect(result).toBeInstanceOf(OperationResult);
    expect(result.value).toBe('Ada 7');
    expect(result.report.toJSON()).toMatchObject({
      operation_name: 'Users.read',
      status: 'succeeded',
      attempt_count: 1,
    });
    expect((await resultOf(promise)).report).toBe(result.report);
    expect(await promise).toBe('Ada 7');
  });

  it('gives the report of a failure with its error as cause, where the method rejects with the error itself', async () => {
    const promise = users.read(-1);
    expect(await rejection(promise)).toBe(missing);
    const error = await rejection(resultOf(promise));
    expect(error).toBeInstanceOf(OperationExecutionError);
    expect(error.cause).toBe(missing);
    expect(error.report.attemptCount).toBe(2);
    expect(reportOf(missing)).toBe(error.report);
  });

  it('is not needed for a method that rejects with execution errors, and gives the same one', async () => {
    const promise = users.readOrExplain();
    const error = await rejection(promise);
    expect(error).toBeInstanceOf(OperationExecutionError);
    expect(await rejection(resultOf(promise))).toBe(error);
  });

  it('finds the operation that a function starts, also behind a wrapper that makes another value of it', async () => {
    const own = await resultOf(() => users.read(7));
    expect([own.value, own.report.operationName]).toEqual(['Ada 7', 'Users.read']);
    const wrapped = await resultOf(() => audited(() => users.read(7)));
    expect(wrapped.value).toEqual({ audited: 'Ada 7' });
    expect(wrapped.report.operationName).toBe('Users.read');
    const error = await rejection(resultOf(() => audited(() => users.read(-1))));
    expect([error.cause, error.report.attemptCount]).toEqual([missing, 2]);
  });

  it('takes what an operation starts for a part of it, and not for one more', async () => {
    const { value, report } = await resultOf(() =>
      audited(() => users.readBoth().then((names) => names.join())),
    );
    expect(value).toEqual({ audited: 'Ada 1,Ada 2' });
    expect(report.operationName).toBe('Users.readBoth');
  });

  it('gives the result of a result form as it is', async () => {
    const { run } = scene(gives(1));
    let started: Promise<OperationResult<unknown>> | undefined;
    const result = await resultOf(() => (started = run()));
    expect(result).toBe(await started);
    const failing = scene(rejects(missing)).run;
    const error = await rejection(resultOf(() => (started = failing())));
    expect(error).toBe(await rejection(started as Promise<unknown>));
    expect(error.cause).toBe(missing);
  });

  it('refuses a function that starts several operations, unless one of them made the promise', async () => {
    const both = () => Promise.all([users.read(1), users.read(-1)]);
    const error = await rejection(resultOf(both));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toContain('several operations (Users.read, Users.read)');
    const { value, report } = await resultOf(() => {
      users.read(-1).catch(() => undefined);
      return users.read(3);
    });
    expect([value, report.attemptCount]).toEqual(['Ada 3', 1]);
  });

  it('refuses what no operation made, and leaves no rejection unhandled', async () => {
    const foreign = [
      Promise.resolve(1),
      Promise.reject(missing),
      gives(1),
      rejects(missing),
      () => 5,
      5,
      null,
      undefined,
    ];
    for (const source of foreign) {
      const error = await rejection(resultOf(source as never));
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toMatch(/no operation (made|before its first await)/);
      const isFunction = typeof source === 'function';
      expect(error.message).toContain(isFunction ? 'called a function that' : 'was given a promise that');
    }
  });

  it('rejects with what the function itself throws, before it starts anything', async () => {
    expect(await rejection(resultOf(throws(missing) as never))).toBe(missing);
    // Nothing of the broken call is left for the next one.
    expect((await resultOf(() => users.read(1))).value).toBe('Ada 1');
  });

  it.each(['boom', 42, Symbol('s'), null, undefined, {}])(
    'has the report of a call that threw %p, which reportOf cannot find',
    async (value) => {
      const promise = users.fail(value);
      expect(await rejection(promise)).toBe(value);
      const error = await rejection(resultOf(promise));
      expect(error.cause).toBe(value);
      expect(error.report.status).toBe('failed');
      expect(reportOf(value)).toBe(typeof value === 'object' && value !== null ? error.report : undefined);
    },
  );

  it('rejects with the reason itself when the call was cancelled', async () => {
    const controller = new AbortController();
    const promise = users.watch(controller.signal);
    controller.abort({ why: 'gone' });
    expect(await rejection(resultOf(promise))).toBe(controller.signal.reason);
    expect(reportOf(controller.signal.reason)?.status).toBe('cancelled');
  });

  it('rejects with a misuse itself', async () => {
    const observable = { subscribe: () => undefined, pipe: () => undefined };
    const { run } = scene(() => observable);
    expect(await rejection(resultOf(() => run()))).toBeInstanceOf(MisuseError);
  });

  it('can be used inside another operation, and around it, at the same time', async () => {
    const outer = resilient(
      { name: 'outer' },
      async () => (await resultOf(() => users.read(1))).report.operationName,
    );
    const { value, report } = await resultOf(() => outer());
    expect([value, report.operationName]).toEqual(['Users.read', 'outer']);
  });

  it('takes a signal only for a function, and no other options', async () => {
    const { signal } = new AbortController();
    const options: [unknown, unknown, string][] = [
      [users.read(1), { signal }, 'signal'],
      [users.read(-1), { signal }, 'signal'],
      [() => users.read(1), { signal: 'x' }, 'signal'],
      [() => users.read(1), { signl: signal }, 'signl'],
      [() => users.read(1), null, 'resultOf'],
    ];
    for (const [source, given, option] of options) {
      const error = await rejection(resultOf(source as never, given as never));
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error.option).toBe(option);
    }
    const error = await rejection(resultOf(() => users.read(1), { signal: 'x' as never }));
    expect(error.message).toBe('signal is a string; give an AbortSignal');
    const { message } = await rejection(resultOf(users.read(1), { signal }));
    expect(message).toBe(
      'signal is an object; give resultOf() a function that starts the operation: one that runs already takes no signal',
    );
  });
});

describe('reportOf()', () => {
  it('finds the report by the error, frozen or not, and leaves the error as it was', async () => {
    const frozen = Object.freeze(new RangeError('frozen'));
    const keys = Reflect.ownKeys(frozen);
    const error = await rejection(new Users().fail(frozen));
    expect(error).toBe(frozen);
    expect(reportOf(frozen)?.operationName).toBe('Users.fail');
    expect(Reflect.ownKeys(frozen)).toEqual(keys);
  });

  it('gives the report of the outermost layer that an error object has passed', async () => {
    const inner = new Users();
    class Service {
      @Resilient()
      async load(): Promise<string> {
        return inner.read(-1);
      }
    }
    expect(await rejection(new Service().load())).toBe(missing);
    const report = reportOf(missing);
    expect(report?.operationName).toBe('Service.load');
    expect(report?.causedBy.map((cause) => [cause.operationName, cause.attemptCount])).toEqual([
      ['Users.read', 2],
    ]);
  });

  it('knows nothing of other errors and of what is no error', () => {
    for (const value of [new Error('other'), {}, null, undefined, 'boom', 5])
      expect(reportOf(value)).toBeUndefined();
  });
});
