import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CircuitBreaker, fallbackChain, reportOf, type ExecutionReport } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { isGood } from './metadata-keys.js';
import { after, everySeconds, gives, hangs, rejection, rejects, scene, throws, Upstream } from './support.js';

const failing = rejects(new Error('no'));

describe('the report of a call with very many attempts', () => {
  it('keeps the first and the last fifty, and exact counts', async () => {
    const { failure, sink } = scene(failing, { retries: 249, backoff: everySeconds(1) });
    const { report } = await failure();
    const numbers = report.attempts.map((attempt) => attempt.attemptNumber);
    expect(numbers).toEqual([
      ...Array.from({ length: 50 }, (_, i) => i + 1),
      ...Array.from({ length: 50 }, (_, i) => i + 201),
    ]);
    expect([report.attemptCount, report.retryCount, report.attemptsOmitted, report.durationSeconds]).toEqual([
      250, 249, 150, 249,
    ]);
    expect(report.toJSON()).toMatchObject({ attempt_count: 250, retry_count: 249, attempts_omitted: 150 });
    expect(sink.events().at(-1)?.payload).toMatchObject({ attempt_count: 250, retry_count: 249 });
    expect(report.explain().split('\n')).toHaveLength(1 + 50 + 1 + 50);
    expect(report.explain().split('\n')[51]).toBe('… 150 attempts left out');
  });

  it('leaves the fallback attempt out of the retries, and a late success in', async () => {
    const saved = await scene(failing, {
      retries: 149,
      backoff: everySeconds(0),
      fallback: gives('F'),
    }).result();
    expect([saved.report.attemptCount, saved.report.retryCount, saved.report.attemptsOmitted]).toEqual([
      151, 149, 51,
    ]);
    expect(saved.report.lastAttempt?.toJSON()).toMatchObject({
      attempt_number: 151,
      fallback: true,
      status: 'succeeded',
    });
    const upstream = new Upstream(...Array.from({ length: 119 }, () => failing), gives('late'));
    const late = await scene(upstream.call, { retries: 149, backoff: everySeconds(0) }).result();
    expect([late.report.attemptCount, late.report.retryCount, late.report.attemptsOmitted]).toEqual([
      120, 119, 20,
    ]);
    expect(late.report.lastAttempt?.attemptNumber).toBe(120);
  });

  it('keeps all of exactly a hundred', async () => {
    const { report } = await scene(failing, { retries: 99, backoff: everySeconds(0) }).failure();
    expect([report.attempts.length, report.attemptsOmitted]).toEqual([100, 0]);
    expect(report.explain()).not.toContain('left out');
  });
});

describe('the times of a report', () => {
  it('add up: attempts and waits fill the whole call', async () => {
    const step = fc.record({
      seconds: fc.integer({ min: 0, max: 40 }),
      end: fc.constantFrom('value', 'error', 'hang'),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 5 }),
        fc.boolean(),
        async (steps, withFallback) => {
          const clock = new FakeClock();
          const upstream = new Upstream(
            ...steps.map(({ seconds, end }) =>
              end === 'hang' ? hangs : after(clock, seconds / 4, end === 'value' ? gives(1) : failing),
            ),
          );
          const options = {
            timeout: 8,
            deadline: 40,
            retries: 4,
            backoff: { delayForRetry: (retry: number) => retry / 2 },
          };
          const fallback = withFallback ? after(clock, 1.5, gives('F')) : undefined;
          const { run, reports } = scene(upstream.call, { ...options, fallback }, clock);
          await clock.settle(run().catch(() => undefined));
          const [report] = reports as [ExecutionReport];
          const parts = report.attempts.reduce(
            (sum, attempt) => sum + attempt.durationSeconds + attempt.waitedSeconds,
            0,
          );
          expect(parts).toBeCloseTo(report.durationSeconds, 9);
          expect(report.durationSeconds).toBe(clock.monotonicMs() / 1_000);
          for (const attempt of report.attempts)
            expect(+attempt.startedAt).toBeGreaterThanOrEqual(+report.startedAt);
          await clock.advance('1m');
          expect(clock.pendingTimers).toBe(0);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('are measured on a clock that never jumps, and begin on the wall clock', async () => {
    const clock = new FakeClock({ startAt: new Date('2026-03-01T12:00:00Z') });
    const { run, clock: same } = scene(after(clock, 10, gives(1)), { events: undefined }, clock);
    const promise = run();
    await same.advance(5);
    clock.stepWall('1h', 'back');
    const { report } = await same.settle(promise);
    expect(report.durationSeconds).toBe(10);
    expect(report.attempts[0]?.durationSeconds).toBe(10);
  });
});

describe('the causes of a report', () => {
  it('are the reports of the operations whose failures came up from inside, layer by layer', async () => {
    const clock = new FakeClock();
    const error = new Error('deep');
    const innermost = scene(rejects(error), { name: 'innermost' }, clock);
    const middle = scene(() => innermost.run(), { name: 'middle' }, clock);
    const { report } = await scene(
      () => middle.run(),
      { name: 'outer', retries: 1, backoff: everySeconds(1) },
      clock,
    ).failure();
    expect(report.causedBy).toEqual(middle.reports);
    expect(report.causedBy.map((cause) => cause.causedBy)).toEqual(innermost.reports.map((cause) => [cause]));
    expect(report.toJSON().caused_by.map((cause) => cause.operation_name)).toEqual(['middle', 'middle']);
  });

  it('are those of failed candidates, too, and stay when the call succeeds', async () => {
    const clock = new FakeClock();
    const cache = scene(failing, { name: 'cache' }, clock);
    const fallbacks = fallbackChain(['cache', () => cache.run()], ['default', gives('ok')]);
    const failed = await scene(
      failing,
      { fallbacks: fallbackChain(['cache', () => cache.run()]) },
      clock,
    ).failure();
    expect(failed.report.causedBy).toEqual([cache.reports[0]]);
    const { report } = await scene(() => cache.run(), { fallbacks }, clock).result();
    expect(report.causedBy).toEqual([cache.reports[1]]);
  });

  it('are the first and the last fifty of very many', async () => {
    const clock = new FakeClock();
    const inner = scene(failing, { name: 'inner', events: undefined }, clock);
    const options = { retries: 119, backoff: everySeconds(0), events: undefined };
    const { report } = await scene(() => inner.run(), options, clock).failure();
    expect(report.causedBy).toEqual([...inner.reports.slice(0, 50), ...inner.reports.slice(-50)]);
  });

  it('are none for an error object that calls one after the other share', async () => {
    const clock = new FakeClock();
    const shared = new Error('connection lost');
    const first = await scene(rejects(shared), { name: 'first' }, clock).failure();
    const second = await scene(rejects(shared), { name: 'second' }, clock).failure();
    expect([first.report.causedBy, second.report.causedBy]).toEqual([[], []]);
    expect(reportOf(shared)?.operationName).toBe('second');
  });
});

describe('explain()', () => {
  it('tells a call in one short line per attempt', async () => {
    const clock = new FakeClock();
    const circuitBreaker = new CircuitBreaker({ failureThreshold: 4 });
    const upstream = new Upstream(
      after(clock, 0.2149, rejects(new RangeError('no'))),
      hangs,
      after(clock, 0.0004, gives('bad')),
      throws(new Error('')),
    );
    const options = {
      circuitBreaker,
      timeout: 12.346,
      retries: 9,
      backoff: everySeconds(0.4),
      validate: isGood,
      fallback: gives('good'),
    };
    const { report } = await scene(upstream.call, { name: 'users.read', ...options }, clock).result();
    expect(report.explain()).toBe(
      [
        'users.read succeeded after 13.76 s, 6 attempts',
        '#1 failed after 0.21 s: RangeError (no); waited 0.4 s (backoff)',
        '#2 timed out after 12.35 s: OperationTimeoutError (the attempt did not end within its timeout of 12.346 s); waited 0.4 s (backoff)',
        '#3 failed after <0.001 s: ValidationFailedError (it is not); waited 0.4 s (backoff)',
        '#4 failed after 0 s: Error',
        "#5 refused: circuit breaker 'default' is open; a call may pass in 30 s",
        '#6 fallback succeeded after 0 s by fallback',
      ].join('\n'),
    );
  });

  it('tells the end of a deadline and, further in, what an inner operation went through', async () => {
    const clock = new FakeClock();
    const inner = scene(after(clock, 1, failing), { name: 'inner' }, clock);
    const { report } = await scene(
      () => inner.run(),
      { name: 'outer', deadline: 5, retries: 3, backoff: everySeconds(9) },
      clock,
    ).failure();
    expect(report.explain()).toBe(
      [
        'outer failed after 1 s, 1 attempt',
        '#1 failed after 1 s: OperationExecutionError (inner failed: Error (no))',
        'the deadline left no room for another try',
        '  inner failed after 1 s, 1 attempt',
        '  #1 failed after 1 s: Error (no)',
      ].join('\n'),
    );
  });

  it('tells a cancelled call', async () => {
    const controller = new AbortController();
    const { run, reports, clock } = scene(hangs, { signal: controller.signal });
    const promise = run();
    await clock.advance(2);
    controller.abort(new Error('gone'));
    await rejection(promise);
    expect(reports[0]?.explain()).toBe(
      'op was cancelled after 2 s, 1 attempt\n#1 was cancelled after 2 s: Error (gone)',
    );
  });
});

describe('the id of a call', () => {
  it('is another for each call and takes nothing from the injected source of chance', async () => {
    const drawn: number[] = [];
    const random = () => (drawn.push(0.5), 0.5);
    const { result, reports } = scene(gives(1), { random });
    await result();
    await result();
    expect(new Set(reports.map((report) => report.callId)).size).toBe(2);
    expect(drawn).toEqual([]);
  });
});
