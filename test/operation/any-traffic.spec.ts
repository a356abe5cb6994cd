import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CircuitBreaker, type ExecutionReport } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { isGood } from './metadata-keys.js';
import { after, gives, hangs, listenersOf, rejects, scene, story, Upstream } from './support.js';

const END =
  /^OS (ATTEMPT AF retry\.scheduled )*ATTEMPT (AOK OOK|AF (OF|fallback\.started (validation\.\w+ )?(fallback\.succeeded AOK OOK|fallback\.failed AF OF)))$/;
const ATTEMPT =
  '(circuit_breaker\\.half_opened )?AS (validation\\.\\w+ |circuit_breaker\\.rejected )?(circuit_breaker\\.(opened|closed) )?';
/** Every story of a call that was not cancelled. */
const GRAMMAR = new RegExp(END.source.replaceAll('ATTEMPT ', ATTEMPT));

const step = fc.record({
  seconds: fc.integer({ min: 0, max: 12 }),
  end: fc.constantFrom('good', 'good', 'bad', 'error', 'hang'),
});
const traffic = fc.array(
  fc.record({
    startsAt: fc.integer({ min: 0, max: 30 }),
    steps: fc.array(step, { minLength: 1, maxLength: 4 }),
    abortsAfter: fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined }),
    timeout: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }),
    retries: fc.integer({ min: 0, max: 4 }),
    fallback: fc.option(step, { nil: undefined }),
  }),
  { minLength: 1, maxLength: 8 },
);

function expectSound(report: ExecutionReport): void {
  const { attempts, status } = report;
  expect(attempts.map((attempt) => attempt.attemptNumber)).toEqual(attempts.map((_, index) => index + 1));
  const parts = attempts.reduce((sum, attempt) => sum + attempt.durationSeconds + attempt.waitedSeconds, 0);
  expect(parts).toBeCloseTo(report.durationSeconds, 9);
  if (status !== 'cancelled') expect(attempts.at(-1)?.succeeded).toBe(status === 'succeeded');
  expect(JSON.parse(JSON.stringify(report))).toEqual(report.toJSON());
}

describe('any traffic over one breaker', () => {
  it('ends every call once, by the rules, and leaves nothing behind', async () => {
    await fc.assert(
      fc.asyncProperty(traffic, async (calls) => {
        const clock = new FakeClock();
        const circuitBreaker = new CircuitBreaker({ failureThreshold: 2, recoveryTimeout: 5 });
        const stepOf = ({ seconds, end }: { seconds: number; end: string }) =>
          end === 'hang'
            ? hangs
            : after(clock, seconds, end === 'error' ? rejects(new Error('no')) : gives(end));
        const scenes = calls.map(({ startsAt, steps, abortsAfter, timeout, retries, fallback }) => {
          const controller = new AbortController();
          const seen = scene(
            new Upstream(...steps.map(stepOf)).call,
            {
              circuitBreaker,
              timeout,
              retries,
              deadline: 40,
              validate: isGood,
              // A fallback has no limit of its own: one that hangs would hang for ever.
              fallback:
                fallback === undefined
                  ? undefined
                  : stepOf(fallback.end === 'hang' ? { ...fallback, end: 'bad' } : fallback),
              backoff: { delayForRetry: (retry) => retry * 3 },
              signal: controller.signal,
            },
            clock,
          );
          let ends = 0;
          const ended = async (): Promise<void> => {
            await new Promise<void>((resolve) => void clock.setTimer(resolve, startsAt * 1_000));
            if (abortsAfter !== undefined)
              clock.setTimer(() => controller.abort('gone'), abortsAfter * 1_000);
            await seen.run().then(
              () => (ends += 1),
              () => (ends += 1),
            );
          };
          return { ...seen, controller, ended: ended(), ends: () => ends };
        });
        await clock.settle(Promise.all(scenes.map(({ ended }) => ended)));
        await clock.advance('1h');
        for (const { reports, sink, controller, ends } of scenes) {
          expect([ends(), reports.length]).toEqual([1, 1]);
          const [report] = reports as [ExecutionReport];
          expectSound(report);
          if (report.status === 'cancelled') expect(story(sink)).not.toMatch(/O(OK|F)$/);
          else expect(story(sink)).toMatch(GRAMMAR);
          expect(listenersOf(controller.signal)).toBe(0);
        }
        expect(clock.pendingTimers).toBe(0);
        expect(circuitBreaker.snapshot().halfOpenProbeInFlight).toBe(false);
      }),
      { numRuns: 40 },
    );
  }, 60_000);
});
