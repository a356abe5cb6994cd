import { describe, expect, it } from '@jest/globals';
import { httpPolicy } from '../../lib/index.js';
import { everySeconds } from '../operation/support.js';
import type { MakeClient } from './clients.js';
import * as faults from './faults.js';
import { attemptsOf, checkTimes, scene, timed } from './scene.js';
import { BODY } from './upstream.js';

const policy = httpPolicy({ circuitBreaker: 'catalog', backoff: everySeconds(0.005) });

/** A provider that says when to come back, on a network that fails between its answers. */
export function describeRateLimits(clients: readonly [client: string, make: MakeClient][]): void {
  describe.each(clients)('with %s, a provider that limits', (_client, make) => {
    it('is asked again when it has said, and again at once after a reset', async () => {
      const { catalog, proxy, upstream, reports, breaker } = await scene(make, { policy });
      upstream.tooMany = 1;
      upstream.keeps = false;
      proxy.will(faults.PASSES, faults.RESET_IN_BODY, faults.PASSES);
      const [value, ms] = await timed(() => catalog.read());
      expect(value).toBe(BODY);
      const [report] = reports;
      expect(attemptsOf(report!)).toEqual(['failed, retryable', 'failed, retryable', 'succeeded']);
      expect(
        report!.attempts.map(({ metadata }) => [
          metadata.rate_limited,
          metadata.rate_limit_retry_after_seconds,
          metadata.rate_limit_delay_source,
        ]),
      ).toEqual([
        [true, 1, 'provider'],
        [false, null, 'backoff'],
        [undefined, undefined, undefined],
      ]);
      expect(report!.attempts.map(({ waitedSeconds }) => waitedSeconds >= 0.999)).toEqual([
        true,
        false,
        false,
      ]);
      expect(report!.metadata).toMatchObject({
        rate_limit_encountered: true,
        rate_limit_wait_exceeded: false,
      });
      const [first, second] = upstream.requests;
      expect(second!.atMs - first!.atMs).toBeGreaterThanOrEqual(995);
      checkTimes(report!, ms);
      expect([proxy.met.length, upstream.requests.length]).toEqual([3, 3]);
      expect(breaker.snapshot()).toMatchObject({ state: 'closed', failureCount: 0 });
    });

    it('and whose word is lost on the way is asked again as after any reset', async () => {
      const { catalog, proxy, upstream, reports } = await scene(make, { policy });
      upstream.tooMany = 1;
      upstream.keeps = false;
      proxy.will(faults.RESET_IN_HEADERS, faults.PASSES);
      const [value, ms] = await timed(() => catalog.read());
      expect([value, upstream.requests.length]).toEqual([BODY, 2]);
      expect(attemptsOf(reports[0]!)).toEqual(['failed, retryable', 'succeeded']);
      expect(reports[0]!.metadata.rate_limit_encountered).toBe(false);
      expect(reports[0]!.attempts[0]!.waitedSeconds).toBeLessThan(0.9);
      checkTimes(reports[0]!, ms);
    });
  });
}
