import { describe, expect, it } from '@jest/globals';
import { childProcesses } from '../support/child-processes.js';

const { runModule } = childProcesses('many-breakers');

describe('a hundred thousand breakers that are in use', () => {
  it.each(['failures in a row', 'a window of calls', 'a window of time', 'a budget', 'two rules', 'keys'])(
    'cost less than 100 MB, and no timers: %s',
    async (kind) => {
      const ended = await runModule('test/circuit-breaker/children/many-breakers.ts', {
        flags: ['--expose-gc'],
        args: [kind],
      });
      expect(ended).toMatchObject({ code: 0, stderr: '' });
      const { bytesEach, used, timers } = JSON.parse(ended.stdout);
      expect(bytesEach).toBeLessThan(1_000);
      expect([used, timers]).toEqual([100_000, 0]);
    },
  );
});
