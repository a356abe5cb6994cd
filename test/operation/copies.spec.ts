import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import * as lib from '../../lib/index.js';
import { gives } from './support.js';

/** The library once more, as a bundler, or `import` beside `require`, makes it. */
let copy: typeof lib;

beforeAll(async () => {
  await jest.isolateModulesAsync(async () => {
    copy = await import('../../lib/index.js');
  });
});

describe('resultOf()', () => {
  it('gives the result that an operation of another copy made, as it is', async () => {
    const promise = copy.resilient({ name: 'op' }, gives(7))();
    const made = await promise;
    expect(made).not.toBeInstanceOf(lib.OperationResult);
    expect(await lib.resultOf(promise)).toBe(made);
  });

  it('takes a value that lets nobody look for a value', async () => {
    const closed = new Proxy(
      {},
      {
        get(_target, key) {
          if (key === 'then') return undefined;
          throw new Error('closed');
        },
      },
    );
    class Vault {
      @lib.Resilient()
      async open(): Promise<object> {
        return closed;
      }
    }
    const result = await lib.resultOf(new Vault().open());
    expect(result).toBeInstanceOf(lib.OperationResult);
    expect(result.value === closed).toBe(true);
  });
});
