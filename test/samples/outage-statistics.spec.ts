import { describe, expect, it } from '@jest/globals';
import {
  exampleOf,
  kindOf,
  KINDS,
  percentile,
  statisticsOf,
  type Kind,
} from '../../samples/outage/statistics.js';
import { fixedReport, type Ending } from './fixed-reports.js';

describe('the kind of a call', () => {
  const kinds: [Ending[], Kind][] = [
    [['good'], 'first try'],
    [['bad', 'late', 'good'], 'retry'],
    [['bad', 'fallback'], 'fallback'],
    [['refused', 'fallback'], 'fallback'],
    [['refused'], 'refused'],
    [['bad', 'refused'], 'refused'],
    [['bad', 'late'], 'timed out'],
    [['late', 'bad'], 'failed'],
    [['refused', 'bad fallback'], 'failed'],
  ];
  it.each(kinds)('of %j is %s', (endings, kind) => {
    expect(kindOf(fixedReport(endings))).toBe(kind);
  });
});

describe('the statistics', () => {
  const reports = kindsOnce();

  it('count every call once', () => {
    const { calls, kinds } = statisticsOf(reports);
    expect(calls).toBe(6);
    expect(kinds).toEqual(Object.fromEntries(KINDS.map((kind) => [kind, 1])));
  });

  it('take the times from the reports, in whatever order they come', () => {
    const some = [0.3, 0.1, 0.2].map((durationSeconds) => fixedReport(['good'], { durationSeconds }));
    expect(statisticsOf(some)).toMatchObject({ p50Seconds: 0.2, p99Seconds: 0.3 });
  });

  it('of no calls are zeros', () => {
    expect(statisticsOf([])).toMatchObject({ calls: 0, p50Seconds: 0, p99Seconds: 0 });
  });

  it('find percentiles by nearest rank', () => {
    const rising = Array.from({ length: 200 }, (_, index) => index + 1);
    expect([50, 99, 100].map((percent) => percentile(rising, percent))).toEqual([100, 198, 200]);
  });
});

describe('the example of a kind', () => {
  it('is the first of the calls with the most attempts', () => {
    const short = fixedReport(['bad', 'good'], { callId: 'short' });
    const long = fixedReport(['bad', 'late', 'good'], { callId: 'long' });
    const alike = fixedReport(['late', 'bad', 'good'], { callId: 'alike' });
    expect(exampleOf('retry', [short, fixedReport(['good']), long, alike])).toBe(long);
  });

  it('is nothing where there was no such call', () => {
    expect(exampleOf('failed', [fixedReport(['good'])])).toBeUndefined();
  });
});

function kindsOnce() {
  const endings: Ending[][] = [
    ['good'],
    ['bad', 'good'],
    ['bad', 'fallback'],
    ['refused'],
    ['late'],
    ['bad'],
  ];
  return endings.map((one) => fixedReport(one));
}
