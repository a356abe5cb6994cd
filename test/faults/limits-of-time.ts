import { describe, expect, it } from '@jest/globals';
import { rejection } from '../operation/support.js';
import { until } from '../redis/support.js';
import type { MakeClient } from './clients.js';
import * as faults from './faults.js';
import { attemptsOf, checkTimes, marksOf, PATIENT, scene, SLACK_MS, timed } from './scene.js';
import { BODY } from './upstream.js';

const TIMEOUT_MS = 100;
const HASTY = { ...PATIENT, timeout: `${TIMEOUT_MS}ms` } as const;

const SILENT: readonly [title: string, fault: faults.Fault, asked: boolean][] = [
  ['is never answered', faults.BLACK_HOLE, false],
  ['whose other end is gone', faults.GONE_AT_CONNECT, false],
  ['whose other end goes in the middle of a body', faults.GONE_IN_BODY, true],
  ['that gives one byte a second', faults.ONE_BYTE_A_SECOND, true],
  ['that is later than the timeout', faults.late(400), false],
];

/** What only a limit of time ends. */
export function describeLimits(clients: readonly [client: string, make: MakeClient][]): void {
  describe.each(clients)('with %s, a connection', (_client, make) => {
    it.each(SILENT)(
      '%s is given up at the timeout of each try, which is true of the report',
      async (...given) => {
        const [, fault, isAsked] = given;
        const { catalog, proxy, upstream, reports, breaker } = await scene(make, {
          policy: { ...HASTY, retries: 1 },
          breaker: { failureThreshold: 2 },
        });
        proxy.will(fault);
        const [error, ms] = await timed(() => rejection(catalog.read()));
        expect(marksOf(error)[0]).toBe('RELPRIM_TIMEOUT');
        expect(ms).toBeGreaterThanOrEqual(2 * TIMEOUT_MS - 1);
        expect(ms).toBeLessThan(2 * TIMEOUT_MS + SLACK_MS);
        const [report] = reports;
        expect(attemptsOf(report!)).toEqual(['timed_out, retryable', 'timed_out, retryable']);
        for (const { durationSeconds } of report!.attempts)
          expect(durationSeconds).toBeGreaterThanOrEqual((TIMEOUT_MS - 1) / 1_000);
        expect([report!.status, report!.metadata.outcome_unknown]).toEqual(['timed_out', true]);
        checkTimes(report!, ms);
        // Where nobody reads, nobody can count.
        if (fault !== faults.GONE_AT_CONNECT) expect(proxy.asked).toBe(2);
        if (isAsked) expect(upstream.requests).toHaveLength(2);
        expect(breaker.snapshot()).toMatchObject({ state: 'open', failureCount: 2 });
        // Given up by the client, too: nothing of a try that is over is left at the end that still listens.
        if (fault === faults.BLACK_HOLE) await until(() => proxy.open === 0);
      },
    );

    it('is given up at the deadline of the call, whatever its tries may take', async () => {
      const { catalog, proxy, reports, breaker } = await scene(make, {
        policy: { ...PATIENT, retries: 9, timeout: '100ms', deadline: '250ms' },
      });
      proxy.will(faults.BLACK_HOLE);
      const [error, ms] = await timed(() => rejection(catalog.read()));
      expect(ms).toBeLessThan(250 + SLACK_MS);
      expect(marksOf(error)[0]).toBe('RELPRIM_TIMEOUT');
      const [report] = reports;
      expect(report!.durationSeconds).toBeGreaterThanOrEqual(0.099);
      expect(report!.attempts.every(({ status }) => status === 'timed_out')).toBe(true);
      // What only the deadline cut says nothing about the dependency.
      const whole = report!.attempts.filter(({ durationSeconds }) => durationSeconds >= 0.099).length;
      expect(report!.attemptCount).toBeLessThanOrEqual(3);
      // The last may have been cut before it had a connection.
      expect([report!.attemptCount - 1, report!.attemptCount]).toContain(proxy.asked);
      expect(breaker.snapshot().failureCount).toBeLessThanOrEqual(whole);
    });

    it('that is narrow or late, but within its time, gives the whole body', async () => {
      const { catalog, proxy, reports, breaker } = await scene(make, {
        policy: { ...PATIENT, timeout: '3s' },
      });
      proxy.will(faults.NARROW, faults.late(50));
      const [value, ms] = await timed(() => catalog.read());
      expect([value, attemptsOf(reports[0]!)]).toEqual([BODY, ['succeeded']]);
      expect(reports[0]!.durationSeconds).toBeGreaterThanOrEqual(0.06);
      checkTimes(reports[0]!, ms);
      expect(breaker.snapshot().failureCount).toBe(0);
    });
  });
}
