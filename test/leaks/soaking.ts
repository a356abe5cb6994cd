import { beforeAll, describe, expect, it } from '@jest/globals';
import { MEGABYTE } from '../operation/memory.js';
import type { childProcesses } from '../support/child-processes.js';
import type { Sample } from './soak/invariants.js';

const BESIDE = [
  'test/leaks/leftovers.ts',
  'test/leaks/shapes/shape.ts',
  ...['client', 'invariants', 'phases', 'sinks', 'tally', 'traffic'].map(
    (part) => `test/leaks/soak/${part}.ts`,
  ),
  'test/operation/memory.ts',
];

interface Outcome {
  readonly last: Sample;
  readonly started: number;
  readonly seconds: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly opened: Readonly<Record<string, number>>;
}

interface Soak extends Pick<ReturnType<typeof childProcesses>, 'runModule'> {
  readonly seconds: number;
  /** Whether it is long enough to see where the heap is going. */
  readonly watchesHeap: boolean;
}

/** Soaks a Nest application in calls, and says what must hold in each second of it. */
export function describeSoak({ runModule, seconds, watchesHeap }: Soak): void {
  let samples: Sample[] = [];
  let outcome = {} as Outcome;
  let end: unknown;
  const timeoutMs = seconds * 1_000 + 60_000;

  describe(`${seconds} seconds of calls through a slow, failing, hanging and recovering upstream`, () => {
    beforeAll(async () => {
      const flags = ['--expose-gc'];
      const options = { flags, args: [String(seconds)], beside: BESIDE, timeoutMs };
      const { code, stdout, stderr } = await runModule('test/leaks/children/soak.ts', options);
      end = { code, stderr };
      const lines = stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown);
      outcome = lines.pop() as Outcome;
      samples = lines as Sample[];
    }, timeoutMs + 30_000);

    it('pass in a process that ends by itself, without a warning or an unhandled rejection', () => {
      expect(end).toEqual({ code: 0, stderr: '' });
      expect(outcome).toMatchObject({ resources: [], strays: [] });
    });

    it('break in no second what must always hold', () => {
      expect(samples).toHaveLength(seconds);
      expect(samples.filter(({ broken }) => broken.length > 0)).toEqual([]);
      expect(outcome.last.broken).toEqual([]);
    });

    it('leave no call without its end and its report, and no listener', () => {
      const { started, last } = outcome;
      expect(outcome).toMatchObject({ ended: started, reports: started });
      expect(last).toMatchObject({ inFlight: 0, listeners: 0, running: 0 });
      expect(started).toBeGreaterThan(200 * seconds);
    });

    // A few seconds of a busy machine may not see all of it.
    if (!watchesHeap) return;

    it('see every end a call can have, and breakers that open and close again', () => {
      const { statuses, opened } = outcome;
      for (const status of ['succeeded', 'failed', 'timed_out', 'cancelled'])
        expect(statuses[status]).toBeGreaterThan(10);
      for (const breaker of ['payments', 'rates']) expect(opened[breaker]).toBeGreaterThan(1);
    });

    it('do not let the heap grow from one healthy time to the next', () => {
      const healthy = samples.filter(({ phase }) => phase === 'healthy').map(({ heapBytes }) => heapBytes);
      const third = Math.floor(healthy.length / 3);
      // The first third is where code is compiled and caches fill.
      const [early, late] = [healthy.slice(third, 2 * third), healthy.slice(2 * third)];
      expect(Math.min(...late) - Math.min(...early)).toBeLessThan(2 * MEGABYTE);
    });
  });
}
