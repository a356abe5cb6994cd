import { describe, expect, it } from '@jest/globals';
import { describeBreaks, CASES } from './breaks.js';
import { CLIENTS, OF_EACH_KIND, type MakeClient } from './clients.js';
import * as faults from './faults.js';
import { attemptsOf, checkTimes, marksOf, PATIENT, scene, timed } from './scene.js';
import { BODY } from './upstream.js';

describeBreaks(OF_EACH_KIND);

describe.each(Object.entries(CLIENTS))('with %s, a connection', (_client, make) => {
  it('that breaks in any way is forgotten after a better one', async () => {
    const { catalog, proxy, upstream, reports, breaker } = await scene(make);
    upstream.keeps = false;
    for (const { fault, isAsked } of CASES) {
      upstream.requests.length = 0;
      proxy.will(fault, faults.PASSES);
      const [value, ms] = await timed(() => catalog.read());
      expect(value).toBe(BODY);
      const report = reports.pop()!;
      expect(attemptsOf(report)).toEqual(['failed, retryable', 'succeeded']);
      checkTimes(report, ms);
      expect([proxy.met.length, upstream.requests.length]).toEqual([2, isAsked ? 2 : 1]);
      expect(breaker.snapshot()).toMatchObject({ state: 'closed', failureCount: 0 });
    }
  });

  it('that is refused is tried again until somebody listens', async () => {
    let asked = 0;
    const errors: unknown[] = [];
    const opens: MakeClient = () => {
      const { get, close } = make();
      return {
        close,
        get: async (...request) => {
          if ((asked += 1) === 3) await proxy.accept();
          return get(...request).catch((error: unknown) => {
            errors.push(error);
            throw error;
          });
        },
      };
    };
    const { catalog, proxy, upstream, reports, breaker } = await scene(opens);
    await proxy.refuse();
    expect(await catalog.read()).toBe(BODY);
    expect(errors.map(marksOf)).toEqual(
      [1, 2].map(() => expect.arrayContaining([expect.stringMatching(/^ECONNREFUSED$/)])),
    );
    expect(attemptsOf(reports[0]!)).toEqual(['failed, retryable', 'failed, retryable', 'succeeded']);
    expect([upstream.requests.length, breaker.snapshot().failureCount]).toEqual([1, 0]);
  });

  it('that was kept and is reset by the next request costs one try, or none', async () => {
    const { catalog, proxy, upstream, reports } = await scene(make);
    proxy.will(faults.STALE, faults.PASSES);
    for (const call of [1, 2]) {
      expect(await catalog.read()).toBe(BODY);
      expect(upstream.requests).toHaveLength(call);
      // An idle connection is given back a moment after its answer.
      await new Promise((resolve) => void setTimeout(resolve, 10));
    }
    expect(attemptsOf(reports[0]!)).toEqual(['succeeded']);
    expect(attemptsOf(reports[1]!)).toEqual(['failed, retryable', 'succeeded']);
    expect([proxy.met.length, upstream.requests.length]).toEqual([2, 2]);
  });

  it('that breaks is told to a caller without retries, whose fallback answers', async () => {
    const { catalog, proxy, upstream, reports, breaker } = await scene(make, {
      policy: { ...PATIENT, retries: 0, fallback: 'fromShelf' },
    });
    proxy.will(faults.RESET_IN_BODY);
    expect(await catalog.read()).toBe('from the shelf');
    expect(attemptsOf(reports[0]!)).toEqual(['failed', 'fallback succeeded']);
    expect([upstream.requests.length, breaker.snapshot().failureCount]).toEqual([1, 1]);
  });
});
