import { beforeAll, describe, expect, it } from '@jest/globals';
import type { childProcesses } from '../support/child-processes.js';
import type { Leftovers } from './leftovers.js';

const GROUPS = { first: 28, second: 26 };
const SHAPES = ['aborted', 'failing', 'good', 'keyed', 'nest', 'refused', 'timed', 'told', 'waiting'];
const BESIDE = [
  'test/leaks/leftovers.ts',
  'test/leaks/shapes/all.ts',
  'test/leaks/shapes/shape.ts',
  'test/operation/memory.ts',
  'test/support/deferred.ts',
];

interface Limits extends Pick<ReturnType<typeof childProcesses>, 'runModule'> {
  /** Of each shape. */
  readonly calls: number;
  readonly grownBytes: number;
  readonly timeoutMs: number;
}

/** Makes very many calls of every shape, in two processes, and says what must be left of them: nothing. */
export function describeLeftovers({ runModule, calls, grownBytes, timeoutMs }: Limits): void {
  const all: Leftovers[] = [];
  const ends: unknown[] = [];

  /** One fact of every shape, to compare at once. */
  const each = <T>(fact: (left: Leftovers) => T): Record<string, T> =>
    Object.fromEntries(all.map((left) => [left.shape, fact(left)]));

  describe(`${calls} calls of each shape, under one signal`, () => {
    beforeAll(async () => {
      const beside = [...BESIDE, ...SHAPES.map((kind) => `test/leaks/shapes/${kind}-calls.ts`)];
      const groups = Object.keys(GROUPS).map(async (group) => {
        const args = [group, String(calls)];
        const flags = ['--expose-gc'];
        const { code, stdout, stderr } = await runModule('test/leaks/children/every-shape.ts', {
          flags,
          args,
          beside,
          timeoutMs,
        });
        const lines = stdout.trimEnd().split('\n');
        ends.push({ code, stderr, last: lines.pop() });
        all.push(...lines.map((line) => JSON.parse(line) as Leftovers));
      });
      await Promise.all(groups);
    }, timeoutMs);

    it('are made in processes that end by themselves, without a warning', () => {
      const right = { code: 0, stderr: '', last: '{"warnings":[]}' };
      expect(ends).toEqual([right, right]);
      expect(all).toHaveLength(GROUPS.first + GROUPS.second);
    });

    it('end as they are meant to', () => {
      expect(each(({ endings }) => endings)).toEqual(each(({ rightEndings }) => rightEndings));
    });

    it('leave no timer but one at most for each length of time, which holds neither process nor call', () => {
      expect(all.filter(({ timers, rightTimers }) => timers > rightTimers)).toEqual([]);
      expect(each(({ resources }) => resources)).toEqual(each(() => []));
    });

    it('leave no listener on the signal', () => {
      expect(each(({ listeners }) => listeners)).toEqual(each(() => 0));
    });

    it('leave nothing in memory', () => {
      expect(all.filter((left) => left.grownBytes > grownBytes)).toEqual([]);
    });

    it('hold none of the async contexts in which they were made', () => {
      expect(each(({ contextsHeld }) => contextsHeld)).toEqual(each(() => 0));
      expect(Math.min(...all.map(({ contexts }) => contexts))).toBeGreaterThanOrEqual(500);
    });
  });
}
