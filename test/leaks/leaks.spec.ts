import { describe, expect, it } from '@jest/globals';
import { MEGABYTE } from '../operation/memory.js';
import { childProcesses } from '../support/child-processes.js';
import { describeLeftovers } from './calls.js';
import { describeSoak } from './soaking.js';

/* What is left of calls: a small part of what leaks.slow.ts looks at. */

const { runModule } = childProcesses('leaks');

describeLeftovers({ runModule, calls: 1_000, grownBytes: MEGABYTE, timeoutMs: 300_000 });
describeSoak({ runModule, seconds: 5, watchesHeap: false });

describe('a process that has used everything, and closed its application', () => {
  it('ends by itself', async () => {
    const beside = ['test/leaks/shapes/shape.ts'];
    const { code, stdout, stderr } = await runModule('test/leaks/children/leaver.ts', { beside });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [used, ended] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(used).toEqual({
      standAlone: { breakers: ['open', 'open', 'open'], engaged: true, kept: 1 },
      nest: { breaker: 'open', engaged: true, waits: ['ResilienceShutdownError', 'ResilienceShutdownError'] },
    });
    expect(ended).toEqual({ code: 0, inTime: true });
  });
});
