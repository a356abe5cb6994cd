import { describe, expect, it } from '@jest/globals';
import { ConcurrencyLimit, resilient } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { after, everySeconds, gives, rejects, scene } from './support.js';

describe('a deadline that comes in line', () => {
  it('is a timeout of the attempt, which nobody has refused', async () => {
    const clock = new FakeClock();
    const concurrencyLimit = new ConcurrencyLimit({
      name: 'pool',
      maxConcurrent: 1,
      queue: { size: 1 },
      clock,
    });
    void concurrencyLimit.run(after(clock, 9, gives('done')));
    const { report } = await scene(gives(1), { concurrencyLimit, deadline: 2 }, clock).failure();
    expect(report.attempts.map(({ status }) => status)).toEqual(['timed_out']);
    expect(report.attempts[0]?.metadata).toMatchObject({ admission_waited_seconds: 2 });
    expect(report.attempts[0]?.metadata).not.toHaveProperty('admission_refused');
  });
});

describe('the reports of calls with very many attempts', () => {
  it('are of their own attempts, the first and the last fifty', async () => {
    const { failure } = scene(rejects(new Error('no')), { retries: 119, backoff: everySeconds(0) });
    for (let call = 0; call < 2; call += 1) {
      const { report } = await failure();
      const numbers = report.attempts.map(({ attemptNumber }) => attemptNumber);
      expect([report.attemptCount, report.attemptsOmitted, numbers.length]).toEqual([120, 20, 100]);
      expect(numbers.slice(48, 52)).toEqual([49, 50, 71, 72]);
    }
  });

  it('leave the next report without an attempt of theirs', async () => {
    await scene(rejects(new Error('no')), { retries: 60, backoff: everySeconds(0) }).failure();
    const { report } = await scene(rejects(new Error('no'))).failure();
    expect(report.attempts.map(({ attemptNumber }) => attemptNumber)).toEqual([1]);
  });
});

describe('a report that is read late', () => {
  it('says when the call began all the same', async () => {
    const clock = new FakeClock();
    const startMs = clock.wallMs();
    const { report } = await clock.settle(resilient({ name: 'op', clock }, after(clock, 2, gives(1)))());
    await clock.advance(60);
    expect([report.startedAt.getTime() - startMs, report.durationSeconds]).toEqual([0, 2]);
    expect(report.attempts[0]?.startedAt.getTime()).toBe(startMs);
  });
});
