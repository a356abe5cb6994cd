import { describe, expect, it } from '@jest/globals';
import { OperationExecutionError, reportOf, resilient } from '../../lib/index.js';

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
});
