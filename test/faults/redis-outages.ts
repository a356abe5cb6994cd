import { describe, expect, it } from '@jest/globals';
import { IdempotencyStoreError } from '../../lib/index.js';
import { inTime } from '../nest/support.js';
import { rejection } from '../operation/support.js';
import { delay, describeWithRedis, freshKey, until, type PackageName } from '../redis/support.js';
import * as faults from './faults.js';
import { COMMAND_MS, INTERVAL_MS, surroundings } from './redis-scene.js';
import { marksOf, SLACK_MS, timed } from './scene.js';
import { BODY } from './upstream.js';

/** Whatever becomes of the Redis, in an application that asks it by a package. */
export function describeOutages(kind: PackageName): void {
  describeWithRedis('an application, where a Redis', () => {
    const { fleet, upstream, toUpstream, toRedis } = surroundings();

    const back = async (): Promise<void> => {
      toRedis().will(faults.PASSES);
      await toRedis().accept();
      toRedis().cut();
    };
    const OUTAGES: readonly [title: string, begin: () => Promise<void> | void][] = [
      ['refuses', () => toRedis().refuse()],
      [
        'resets every connection',
        () => {
          toRedis().will(faults.RESET_AT_CONNECT);
          toRedis().cut();
        },
      ],
      [
        'takes connections and answers nothing',
        () => {
          toRedis().will(faults.BLACK_HOLE);
          toRedis().cut('silence');
        },
      ],
      [
        'is gone, and nobody has said so',
        () => {
          toRedis().will(faults.GONE_AT_CONNECT);
          toRedis().cut('gone');
        },
      ],
      [
        'gives one byte a second',
        () => {
          toRedis().will(faults.ONE_BYTE_A_SECOND);
          toRedis().cut('silence');
        },
      ],
    ];

    describe(`asked by the package ${kind}`, () => {
      it.each(OUTAGES)(
        'that %s costs no call more than its limits, and is found again',
        async (_title, begin) => {
          const [lenient, strict] = await fleet(kind);
          expect([await lenient.payments.charge('o-1'), await strict.payments.charge('o-1')]).toEqual([
            BODY,
            BODY,
          ]);
          expect(upstream().requests).toHaveLength(1);

          const startMs = performance.now();
          await begin();
          await until(() => [lenient, strict].every(({ shared }) => shared.state === 'alone'));
          expect(performance.now() - startMs).toBeLessThan(INTERVAL_MS + SLACK_MS);

          const [value, ms] = await timed(() => lenient.payments.charge('o-2'));
          expect([value, upstream().requests.length]).toEqual([BODY, 2]);
          // The claim, and the outcome.
          expect(ms).toBeLessThan(2 * COMMAND_MS + SLACK_MS);
          const unprotected = lenient.reports.at(-1)!;
          expect(unprotected).toMatchObject({ status: 'succeeded', attemptCount: 1 });
          expect(unprotected.metadata).toMatchObject({
            idempotency_status: 'executed',
            idempotency_protected: false,
          });
          expect(unprotected.durationSeconds * 1_000).toBeLessThanOrEqual(ms + 1);

          const [refusal, waitedMs] = await timed(() => rejection(strict.payments.charge('o-2')));
          expect(refusal).toBeInstanceOf(IdempotencyStoreError);
          expect(waitedMs).toBeLessThan(COMMAND_MS + SLACK_MS);
          expect([upstream().requests.length, strict.reports.at(-1)!.attemptCount]).toEqual([2, 0]);

          // Each breaker decides by itself, and what has failed was not Redis.
          expect(strict.breaker.snapshot()).toMatchObject({
            state: 'closed',
            failureCount: 0,
            shared: false,
          });
          toUpstream().will(faults.RESET_AT_CONNECT);
          toUpstream().cut();
          await delay(20);
          for (let calls = 0; calls < 3; calls += 1) await rejection(lenient.payments.list());
          expect(lenient.breaker.snapshot()).toMatchObject({
            state: 'open',
            openedBy: 'consecutive_failures',
          });
          expect(strict.breaker.state).toBe('closed');
          toUpstream().will(faults.PASSES);
          expect(await strict.payments.list()).toBe(BODY);

          await back();
          await until(() => [lenient, strict].every(({ shared }) => shared.state === 'shared'));
          const asked = upstream().requests.length;
          await until(() => strict.payments.charge('o-3').then(Boolean, () => false));
          expect([await strict.payments.charge('o-3'), upstream().requests.length]).toEqual([
            BODY,
            asked + 1,
          ]);
          expect(strict.reports.at(-1)!.metadata.idempotency_status).toBe('replayed');
        },
        20_000,
      );

      it.each(OUTAGES.slice(0, 3))(
        'that %s does not hold up the end of the application',
        async (_title, begin) => {
          const [lenient] = await fleet(kind);
          await begin();
          // It waits for its key when the application stops: nothing has been done yet, and nothing will be.
          const charge = rejection(lenient.payments.charge('o-1'));
          await inTime(lenient.app.close());
          expect([marksOf(await charge)[0], upstream().requests]).toEqual(['RELPRIM_SHUTDOWN', []]);
          expect(lenient.reports).toMatchObject([{ attemptCount: 0 }]);
          const [, ms] = await timed(() => lenient.shared.stop());
          expect(ms).toBeLessThan(INTERVAL_MS + SLACK_MS);
        },
      );

      it('that is slow, but in time, protects as ever', async () => {
        const [lenient, strict] = await fleet(kind);
        toRedis().will(faults.late(20));
        toRedis().cut();
        await until(async () => strict.payments.charge(freshKey()).then(Boolean, () => false));
        const asked = upstream().requests.length;
        const [first, second] = await Promise.all([
          lenient.payments.charge('o-4'),
          strict.payments.charge('o-4'),
        ]);
        expect([first, second, upstream().requests.length]).toEqual([BODY, BODY, asked + 1]);
        const kept = [lenient, strict].map(({ reports }) => reports.at(-1)!.metadata.idempotency_status);
        expect(kept.filter((status) => status === 'executed')).toHaveLength(1);
      });
    });
  });
}
