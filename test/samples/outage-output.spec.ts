import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { progressLine, showProgress, type Screen } from '../../samples/outage/progress.js';
import { writeReports } from '../../samples/outage/report-file.js';
import { legend, resultsTable, stories } from '../../samples/outage/results.js';
import { KINDS } from '../../samples/outage/statistics.js';
import { table } from '../../samples/outage/table.js';
import { fixedReport } from './fixed-reports.js';

const reports = [
  fixedReport(['good'], { durationSeconds: 0.0124 }),
  fixedReport(['bad', 'good'], { durationSeconds: 0.25 }),
  fixedReport(['refused', 'fallback'], { operationName: 'Shop.pay', durationSeconds: 0.001 }),
];

describe('the tables', () => {
  it('put words to the left and numbers to the right', () => {
    expect(
      table(
        ['name', 'calls'],
        [
          ['a', 1],
          ['longer', 1000],
        ],
      ),
    ).toBe(['name    calls', '──────  ─────', 'a           1', 'longer   1000'].join('\n'));
  });

  it('show each operation, and all of them', () => {
    const lines = resultsTable(['Shop.buy', 'Shop.pay', 'Shop.send'], reports).split('\n');
    const cells = lines.map((line) => line.split(/ {2,}/));
    expect(cells[0]).toEqual(['operation', 'calls', ...KINDS, 'p50', 'p99']);
    expect(cells.slice(2)).toEqual([
      ['Shop.buy', '2', '1', '1', '0', '0', '0', '0', '12 ms', '250 ms'],
      ['Shop.pay', '1', '0', '0', '1', '0', '0', '0', '1 ms', '1 ms'],
      ['Shop.send', '0', '0', '0', '0', '0', '0', '0', '0 ms', '0 ms'],
      ['all', '3', '1', '1', '1', '0', '0', '0', '12 ms', '250 ms'],
    ]);
  });

  it('explain their columns', () => {
    expect(
      legend()
        .split('\n')
        .map((line) => line.trim().split(/ {2,}/)[0]),
    ).toEqual([...KINDS]);
  });
});

describe('the stories', () => {
  it('tell one call of each kind in the words of its report', () => {
    const text = stories(reports);
    expect(text).toContain('retry\n  Shop.buy succeeded after 0.25 s, 2 attempts\n  #1 failed');
    expect(text).toContain('timed out\n  there was no such call in this run');
  });
});

describe('the progress', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  const run = (screen: Omit<Screen, 'write'>): string => {
    let text = '';
    const end = showProgress({ ...screen, write: (more) => (text += more) }, () => 'x'.repeat(100));
    jest.advanceTimersByTime(2_500);
    end();
    jest.advanceTimersByTime(2_500);
    return text;
  };

  it('is a new line every second and at the end, where it goes into a file', () => {
    expect(
      run({})
        .split('\n')
        .map((line) => line.slice(0, 8)),
    ).toEqual([' 1.0 s  ', ' 2.0 s  ', ' 2.5 s  ', '']);
  });

  it('is one line that is drawn again, and fits, on a terminal', () => {
    const text = run({ isTTY: true, columns: 20 });
    expect(text.split('\r\x1b[2K').map((line) => line.length)).toEqual([0, 19, 19, 20]);
    expect(text.split('\n')).toHaveLength(2);
  });

  it('says what has happened and where the trouble is', () => {
    const upstreams = [
      { name: 'rates', fault: 'slow' },
      { name: 'catalog', fault: 'none' },
    ] as const;
    expect(progressLine(reports, upstreams)).toBe(
      '  3 calls: 1 first try, 1 retry, 1 fallback, 0 no answer  [rates: slow]',
    );
  });
});

describe('the report file', () => {
  it('has one line of JSON for each report, in a folder that is made when needed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'outage-'));
    try {
      const path = await writeReports(join(folder, 'reports'), reports);
      const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
      expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(
        reports.map((report) => report.toJSON()),
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
