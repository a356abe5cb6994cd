import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ExecutionAttempt, ExecutionReport } from '../../lib/index.js';
import { LastMinute } from '../../nest-module/state/last-minute.js';
import { Latest } from '../../nest-module/state/latest.js';
import { ReportShelf } from '../../nest-module/state/report-shelf.js';

describe('what the state of an application keeps', () => {
  it('is of the latest entries as many as it was made for, newest first', () => {
    const property = fc.property(fc.array(fc.integer()), fc.integer({ min: 1, max: 9 }), (entries, most) => {
      const latest = new Latest<number>(most);
      for (const entry of entries) latest.add(entry);
      expect(latest.list()).toEqual(entries.slice(-most).reverse());
    });
    fc.assert(property);
  });

  it('is of reports as many as it was made for, and fewer where they are long', () => {
    const shelf = new ReportShelf(3);
    const report = (callId: string, attempts: number, causedBy: ExecutionReport[] = []) =>
      new ExecutionReport({
        operationName: 'op',
        callId,
        status: 'failed',
        startedAt: new Date(0),
        durationSeconds: 0,
        causedBy,
        attempts: Array.from({ length: attempts }, (_, index) => {
          const [attemptNumber, startedAt] = [index + 1, new Date(0)];
          return new ExecutionAttempt({ attemptNumber, status: 'failed', startedAt, durationSeconds: 0 });
        }),
      });
    const kept = () => shelf.list().map(({ callId }) => callId);
    for (const callId of ['a', 'b', 'c', 'd']) shelf.add(report(callId, 1));
    expect(kept()).toEqual(['d', 'c', 'b']);
    shelf.add(report('e', 28));
    expect(kept()).toEqual(['e', 'd', 'c']);
    shelf.add(report('f', 2, [report('cause', 1)]));
    expect(kept()).toEqual(['f']);
    shelf.add(report('too long', 31));
    expect([kept(), shelf.has('f'), shelf.get('f')]).toEqual([[], false, undefined]);
  });

  it('is of a minute what a list of all moments says, on any clock', () => {
    const step = fc.tuple(fc.constantFrom(0, 1, 999, 1_000, 30_500, 59_999, 60_000, 3_600_000), fc.boolean());
    const start = fc.constantFrom(0, 0.5, -90_000.25, 1e12);
    const property = fc.property(start, fc.array(step, { maxLength: 200 }), (startMs, steps) => {
      const minute = new LastMinute();
      const all: { second: number; failed: boolean }[] = [];
      let nowMs = startMs;
      for (const [ms, failed] of steps) {
        nowMs += ms;
        const second = Math.floor(nowMs / 1_000);
        minute.note(nowMs, failed);
        all.push({ second, failed });
        const recent = all.filter((one) => second - one.second < 60);
        expect(minute.sum(nowMs)).toEqual({
          calls: recent.length,
          failed: recent.filter((one) => one.failed).length,
        });
      }
      expect(minute.sum(nowMs + 61_000)).toEqual({ calls: 0, failed: 0 });
    });
    fc.assert(property);
  });
});
