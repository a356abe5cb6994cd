import { afterEach, describe, expect, it, jest } from '@jest/globals';
import {
  asyncOperation,
  ConcurrencyLimit,
  ConcurrencyLimitRegistry,
  ConfigurationError,
  resilient,
  type ConcurrencyLimitOptions,
} from '../../lib/index.js';
import { gives, thrown } from '../operation/support.js';

afterEach(() => {
  jest.restoreAllMocks();
});

describe('the options of a concurrency limit', () => {
  it.each([
    [{}, 'maxConcurrent'],
    [{ maxConcurrent: 0 }, 'maxConcurrent'],
    [{ maxConcurrent: 1.5 }, 'maxConcurrent'],
    [{ maxConcurrent: NaN }, 'maxConcurrent'],
    [{ maxConcurrent: Infinity }, 'maxConcurrent'],
    [{ maxConcurrent: '5' }, 'maxConcurrent'],
    [{ maxConcurrent: 5, queue: { size: -1 } }, 'queue.size'],
    [{ maxConcurrent: 5, queue: { size: 0.5 } }, 'queue.size'],
    [{ maxConcurrent: 5, queue: { size: 1, maxWait: 'soon' } }, 'queue.maxWait'],
    [{ maxConcurrent: 5, queue: { size: 1, maxWait: 0 } }, 'queue.maxWait'],
    [{ maxConcurrent: 5, queue: { length: 1 } }, 'length'],
    [{ maxConcurrent: 5, queue: 5 }, 'queue'],
    [{ maxConcurrent: 5, max: 5 }, 'max'],
    [{ maxConcurrent: 5, name: ' ' }, 'name'],
    [{ maxConcurrent: 5, clock: {} }, 'clock'],
  ])('refuse %p', (options, option) => {
    const error = thrown(() => new ConcurrencyLimit(options as ConcurrencyLimitOptions));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain(option);
  });

  it.each([
    [{ maxConcurrent: 0 }, 'maxConcurrent'],
    [{ maxConcurrent: false }, 'maxConcurrent'],
    [{ concurrencyLimit: 5 }, 'a number is the option maxConcurrent'],
    [{ concurrencyLimit: '' }, 'concurrencyLimit'],
    [{ concurrencyLimit: {} }, 'concurrencyLimit'],
    [{ maxConcurrent: 5, concurrencyLimit: new ConcurrencyLimit({ maxConcurrent: 5 }) }, 'maxConcurrent'],
  ])('of an operation refuse %p', (options, text) => {
    const error = thrown(() => resilient({ name: 'op', ...(options as object) }, async () => 'up'));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain(text);
  });

  it('of the builder are a limit, and no name', () => {
    const operation = asyncOperation('op', async () => 'up');
    for (const wrong of ['pool', 5, false, {}])
      expect(
        thrown(() => operation.withConcurrencyLimit(wrong as unknown as ConcurrencyLimit)),
      ).toBeInstanceOf(ConfigurationError);
  });
});

describe('the registry of concurrency limits', () => {
  const pool = new ConcurrencyLimit({ name: 'pool', maxConcurrent: 5 });

  it('finds a limit by its name, or by the one it was registered under', () => {
    const registry = new ConcurrencyLimitRegistry();
    registry.register(pool);
    registry.register(pool, 'other');
    expect([registry.get('pool'), registry.get('other')]).toEqual([pool, pool]);
    expect([registry.has('pool'), registry.has('nobody')]).toEqual([true, false]);
    expect(registry.names()).toEqual(['pool', 'other']);
    expect(registry.list()).toEqual([pool, pool]);
  });

  it('takes a limit twice, and no other one under its name', () => {
    const registry = new ConcurrencyLimitRegistry();
    registry.register(pool);
    registry.register(pool);
    const other = new ConcurrencyLimit({ name: 'pool', maxConcurrent: 1 });
    expect(thrown(() => registry.register(other))).toBeInstanceOf(ConfigurationError);
  });

  it('says the nearest name for one that is not there', () => {
    const registry = new ConcurrencyLimitRegistry();
    expect(thrown(() => registry.get('pool')).message).toContain(
      "concurrencyLimits: [{ name: 'pool', maxConcurrent: 10 }]",
    );
    registry.register(pool);
    expect(thrown(() => registry.get('pol')).message).toContain("did you mean 'pool'?");
  });
});

describe('a concurrency limit that is given by name outside an application', () => {
  it('is one warning, however many functions name it', async () => {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    for (const name of ['one', 'other']) {
      const run = resilient({ name, concurrencyLimit: 'nobody knows' }, gives(name));
      expect((await run()).value).toBe(name);
    }
    expect(warn.mock.calls).toEqual([
      [
        "concurrency limit 'nobody knows' is given by name outside an application, where nobody knows it, so nothing is limited; " +
          'import ResilienceModule, or give a ConcurrencyLimit',
        { code: 'RELPRIM' },
      ],
    ]);
  });
});
