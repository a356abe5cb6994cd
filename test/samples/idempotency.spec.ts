import { describe, expect, it } from '@jest/globals';
import { hasRedis, WITHOUT_REDIS } from '../redis/redis-server.js';
import { childProcesses } from '../support/child-processes.js';

const { runModule } = childProcesses('sample-idempotency');

const FILES = ['bank', 'own-redis', 'worker', 'worker-process'].map(
  (name) => `samples/idempotency/${name}.ts`,
);
const run = () => runModule('samples/idempotency/main.ts', { beside: [...FILES, 'samples/outage/table.ts'] });

/** What the table says of the processes: delivered, executed, joined, replayed, failed. */
function tallies(stdout: string): number[][] {
  const rows = stdout.split('\n').filter((line) => /^(one|two) /.test(line));
  return rows.map((row) => row.split(/ +/).slice(1).map(Number));
}

describe('the sample of idempotency', () => {
  const withRedis = hasRedis ? it : it.skip;

  withRedis(
    `shows two processes that do each order once${hasRedis ? '' : `: ${WITHOUT_REDIS}`}`,
    async () => {
      const { code, stdout, stderr } = await run();
      expect([code, stderr]).toEqual([0, '']);
      const [one = [], two = []] = tallies(stdout);
      const both = one.map((count, index) => count + (two[index] ?? 0));
      const [delivered, executed, joined = NaN, replayed = NaN, failed] = both;
      expect([delivered, executed, joined + replayed, failed]).toEqual([200, 25, 175, 0]);
      // A process that is slow to start finds done what it would have joined.
      expect(replayed).toBeGreaterThanOrEqual(100);
      expect(joined).toBeGreaterThan(0);
      expect(stdout).toContain('The bank was asked 25 times for 25 orders.');
      const [, seconds = NaN] = /took over 1 order after ([\d.]+) s/.exec(stdout)?.map(Number) ?? [];
      expect(seconds).toBeGreaterThan(1);
      expect(seconds).toBeLessThan(10);
      expect(stdout).toContain('The bank was asked 2 times for that order');
    },
  );

  it('says that there is no Redis, and shows one process on the store in memory', async () => {
    const path = process.env['PATH'];
    process.env['PATH'] = '/nowhere';
    try {
      const { code, stdout, stderr } = await run();
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toContain('There is no redis-server on the PATH');
      expect(tallies(stdout)).toEqual([[100, 25, 25, 50, 0]]);
      expect(stdout).toContain('The bank was asked 25 times for 25 orders.');
    } finally {
      process.env['PATH'] = path;
    }
  });
});
