import { describe, expect, it } from '@jest/globals';
import { resilient, type OperationResult } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { heldOf } from './memory.js';
import { everySeconds, rejection } from './support.js';

const noWait = everySeconds(0);

describe('the account of a call', () => {
  it('names an inner call once, however many attempts fail with what that failed with', async () => {
    const inner = resilient({ name: 'inner' }, async () => {
      throw new Error('down');
    });
    let once: Promise<unknown> | undefined;
    const outer = resilient({ name: 'outer', retries: 2, backoff: noWait }, () => (once ??= inner()));
    const { report } = await rejection(outer());
    expect(report.attemptCount).toBe(3);
    expect(report.causedBy.map(({ operationName }: { operationName: string }) => operationName)).toEqual([
      'inner',
    ]);
  });

  it('does not keep the errors of its failed attempts', async () => {
    const refs: WeakRef<object>[] = [];
    let calls = 0;
    const options = { name: 'read', clock: new FakeClock(), retries: 1, backoff: noWait };
    const run = resilient(options, async () => {
      calls += 1;
      if (calls % 2 === 0) return 'up';
      const error = new Error('down');
      refs.push(new WeakRef(error));
      throw error;
    });
    const results: OperationResult<string>[] = [];
    for (let call = 0; call < 10; call += 1) results.push(await run());
    expect(await heldOf(refs)).toBe(0);
    expect(results.map(({ report }) => report.attempts[0]?.error?.message)).toEqual(Array(10).fill('down'));
  });
});
