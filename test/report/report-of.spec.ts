import { describe, expect, it } from '@jest/globals';
import { CircuitBreakerOpenError, OperationExecutionError, reportOf, resilient } from '../../lib/index.js';

describe('the report of an error', () => {
  it('is that of the call that rejected with it, for the failure and for its wrapper', async () => {
    const failure = Object.freeze(new Error('upstream'));
    const call = resilient({ name: 'charge' }, () => Promise.reject(failure));
    const error: unknown = await call().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(OperationExecutionError);
    const { report } = error as OperationExecutionError;
    expect(report).toMatchObject({
      operationName: 'charge',
      status: 'failed',
      lastError: { type: 'Error', message: 'upstream' },
    });
    expect(reportOf(error)).toBe(report);
    expect(reportOf(failure)).toBe(report);
  });

  it('is that of the outermost call, which has the inner ones in it, when several rejected with one object', async () => {
    const failure = new Error('upstream');
    const inner = resilient({ name: 'inner' }, () => Promise.reject(failure));
    const unwrapped = (): Promise<unknown> =>
      inner().catch((error: OperationExecutionError) => Promise.reject(error.cause));
    await resilient({ name: 'outer' }, unwrapped)().catch(() => undefined);
    expect(reportOf(failure)?.operationName).toBe('outer');
    expect(reportOf(failure)?.causedBy.map(({ operationName }) => operationName)).toEqual(['inner']);
  });

  it.each([undefined, null, 'boom', 42, Symbol('boom'), {}, () => 1, new Error('of nobody')])(
    'is none for %p',
    (error) => {
      expect(reportOf(error)).toBeUndefined();
    },
  );

  it('is not found by a thrown value that is no object', async () => {
    await resilient({ name: 'charge' }, () => Promise.reject('boom'))().catch(() => undefined);
    expect(reportOf('boom')).toBeUndefined();
  });

  it('is found on a proxy that lets nobody read what it does not know', async () => {
    const strict = new Proxy(new Error('upstream'), {
      get(target, key, receiver) {
        if (!(key in target)) throw new TypeError(`nobody said what ${String(key)} is`);
        return Reflect.get(target, key, receiver) as unknown;
      },
    });
    await resilient({ name: 'charge' }, () => Promise.reject(strict))().catch(() => undefined);
    expect(reportOf(strict)?.operationName).toBe('charge');
  });

  it('of ours is nothing for what only inherits from it', async () => {
    const error = await resilient(
      { name: 'charge', timeout: 0.001 },
      () => new Promise(() => undefined),
    )().catch(({ cause }: OperationExecutionError) => cause as Error);
    expect(reportOf(error)?.operationName).toBe('charge');
    const heir: unknown = Object.create(error);
    expect(reportOf(heir)).toBeUndefined();
    await resilient({ name: 'other' }, () => Promise.reject(heir))().catch(() => undefined);
    expect([reportOf(error), reportOf(heir)].map((report) => report?.operationName)).toEqual([
      'charge',
      'other',
    ]);
  });

  it('of ours is hidden, and kept when the error is frozen', async () => {
    const refused = new CircuitBreakerOpenError('b', 'open', 1);
    Object.freeze(refused);
    await resilient({ name: 'charge' }, () => Promise.reject(refused))().catch(() => undefined);
    expect(reportOf(refused)?.operationName).toBe('charge');
    expect(Object.getOwnPropertySymbols(refused)).toEqual([]);
  });
});
