import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ExecutionError, OperationTimeoutError } from '../../lib/index.js';

class CardDeclined extends Error {}
class Named extends Error {
  override name = 'PaymentError';
}

describe("an error's summary", () => {
  it('comes from the error: its type, its message and whether it is retryable [R199]', () => {
    expect(ExecutionError.from(new TypeError('no'), true).toJSON()).toEqual({
      type: 'TypeError',
      message: 'no',
      module: null,
      retryable: true,
    });
    expect(ExecutionError.from(new CardDeclined('no'), false)).toMatchObject({
      type: 'CardDeclined',
      retryable: false,
    });
    expect(ExecutionError.from(new Error('no')).retryable).toBeNull();
  });

  it.each<[unknown, string]>([
    [new Error(), 'Error'],
    [new CardDeclined(''), 'CardDeclined'],
    ['', 'string'],
    [Object.create(null), 'object'],
  ])('has the type for an empty message of %p [R199]', (error, type) => {
    expect(ExecutionError.from(error)).toMatchObject({ type, message: type });
  });

  it.each<[unknown, string]>([
    [new Named('x'), 'PaymentError'],
    [new OperationTimeoutError(1), 'OperationTimeoutError'],
    [new DOMException('x', 'AbortError'), 'AbortError'],
    [Object.assign(new Error('x'), { name: 'AxiosError' }), 'AxiosError'],
    [Object.assign(new CardDeclined('x'), { name: '' }), 'CardDeclined'],
    [Object.assign(new Error('x'), { name: 5, constructor: 5 }), 'object'],
    [new (class extends Error {})('x'), 'Error'],
    [new AggregateError([], 'x'), 'AggregateError'],
    [{ name: 'Plain', message: 'x' }, 'Plain'],
    [{ message: 'x' }, 'object'],
    [Object.freeze(new RangeError('x')), 'RangeError'],
  ])('knows %p as %s', (error, type) => {
    expect(ExecutionError.from(error).type).toBe(type);
  });

  // B117, D1
  it.each<[unknown, string, string]>([
    ['boom', 'string', 'boom'],
    [42, 'number', '42'],
    [true, 'boolean', 'true'],
    [10n, 'bigint', '10'],
    [Symbol('boom'), 'symbol', 'Symbol(boom)'],
    [undefined, 'undefined', 'undefined'],
    [null, 'object', 'null'],
    [{}, 'object', '[object Object]'],
    [[1, 2], 'Array', '1,2'],
  ])('of the thrown value %p has its typeof as the type, and its text', (thrown, type, message) => {
    expect(ExecutionError.from(thrown)).toMatchObject({ type, message });
  });

  // B119
  it('of an error of another realm is that of a native one', () => {
    const foreign: unknown = runInNewContext('new TypeError("of another realm")');
    expect(ExecutionError.from(foreign)).toMatchObject({ type: 'TypeError', message: 'of another realm' });
    const derived: unknown = runInNewContext('class Late extends Error {}; new Late("x")');
    expect(ExecutionError.from(derived).type).toBe('Late');
  });

  it('survives anything', () => {
    const fails = (): never => {
      throw new Error('hostile');
    };
    const getters = Object.defineProperties(new Error(), { name: { get: fails }, message: { get: fails } });
    expect(ExecutionError.from(getters)).toMatchObject({ type: 'object', message: 'object' });
    expect(ExecutionError.from({ toString: fails })).toMatchObject({ type: 'object', message: 'object' });
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withSymbol: true } as object), (thrown) => {
        const { type, message } = ExecutionError.from(thrown);
        expect([typeof type, typeof message]).toEqual(['string', 'string']);
        expect(type).not.toBe('');
        expect(message).not.toBe('');
      }),
    );
  });

  it('cuts a message at 4,096 letters', () => {
    expect(ExecutionError.from(new Error('x'.repeat(4_096))).message).toHaveLength(4_096);
    expect(ExecutionError.from(new Error('x'.repeat(1e6))).message).toBe(`${'x'.repeat(4_096)}…`);
    expect(ExecutionError.from('x'.repeat(1e6)).message).toHaveLength(4_097);
  });

  it('keeps no error object, cannot be changed, and has what was given by hand', () => {
    const summary = new ExecutionError({ type: 'T', message: 'm', module: 'payments', retryable: false });
    expect(summary.toJSON()).toEqual({ type: 'T', message: 'm', module: 'payments', retryable: false });
    expect(Object.isFrozen(ExecutionError.from(new Error('x', { cause: {} })))).toBe(true);
    expect(
      Object.values(ExecutionError.from(new Error('x'))).every(
        (value) => typeof value !== 'object' || value === null,
      ),
    ).toBe(true);
  });
});
