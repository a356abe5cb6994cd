import { describe, expect, it } from '@jest/globals';
import {
  CircuitBreaker,
  CircuitBreakerOpenError,
  isRetryableHttp,
  type ExecutionReport,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import {
  after,
  everySeconds,
  gives,
  hangs,
  openBreaker,
  recoveredBreaker,
  rejection,
  rejects,
  scene,
  story,
  Upstream,
} from './support.js';

const failing = rejects(new Error('no'));

/** Each attempt in short: how it ended, whether the breaker refused it, and how long the call waited after it. */
function attemptsOf(report: ExecutionReport): [string, boolean, number][] {
  return report.attempts.map(({ status, metadata, waitedSeconds }) => [
    status,
    metadata.circuit_breaker_open === true,
    waitedSeconds,
  ]);
}

describe('retries in front of a breaker that opens', () => {
  it('stop at the first refusal: two calls, and a third attempt that is refused [R197]', async () => {
    const circuitBreaker = new CircuitBreaker({ failureThreshold: 2 });
    const upstream = new Upstream(failing);
    const error = await scene(upstream.call, {
      circuitBreaker,
      retries: 2,
      backoff: everySeconds(1),
    }).failure();
    expect(upstream.calls).toHaveLength(2);
    expect(error.cause).toBeInstanceOf(CircuitBreakerOpenError);
    expect(attemptsOf(error.report)).toEqual([
      ['failed', false, 1],
      ['failed', false, 0],
      ['failed', true, 0],
    ]);
  });

  it('do not sleep again, and end with the refusal, whose cause is the last real failure', async () => {
    // B072
    const errors = Array.from({ length: 6 }, (_, index) => new Error(`failure ${index}`));
    const circuitBreaker = new CircuitBreaker({ name: 'payments', failureThreshold: 3 });
    const upstream = new Upstream(...errors.map(rejects));
    const { failure, clock } = scene(upstream.call, {
      circuitBreaker,
      retries: 5,
      backoff: everySeconds(0.1),
    });
    const error = await failure();
    expect(upstream.calls).toHaveLength(3);
    expect(clock.monotonicMs()).toBe(200);
    expect(error.cause).toMatchObject({
      breakerName: 'payments',
      state: 'open',
      retryAfterSeconds: 30,
      cause: errors[2],
    });
    expect([error.report.status, error.report.attemptCount, error.report.durationSeconds]).toEqual([
      'failed',
      4,
      0.2,
    ]);
    expect(circuitBreaker.snapshot().failureCount).toBe(3);
  });

  it('give the call that trips the breaker its own error, and only the next one the refusal', async () => {
    // B122
    const cause = new Error('real');
    const circuitBreaker = new CircuitBreaker({ failureThreshold: 1 });
    const { failure } = scene(rejects(cause), { circuitBreaker });
    expect((await failure()).cause).toBe(cause);
    const next = await failure();
    expect(next.cause).toBeInstanceOf(CircuitBreakerOpenError);
    expect((next.cause as Error).cause).toBeUndefined();
  });

  it('wait as told when the breaker recovers within the delay, and probe', async () => {
    const circuitBreaker = new CircuitBreaker({ failureThreshold: 1, recoveryTimeout: 2 });
    const upstream = new Upstream(failing, gives('back'));
    const { result, sink } = scene(upstream.call, { circuitBreaker, retries: 1, backoff: everySeconds(2) });
    const { value, report } = await result();
    expect(value).toBe('back');
    expect(attemptsOf(report)).toEqual([
      ['failed', false, 2],
      ['succeeded', false, 0],
    ]);
    expect(story(sink)).toBe(
      'OS AS circuit_breaker.opened AF retry.scheduled circuit_breaker.half_opened AS circuit_breaker.closed AOK OOK',
    );
  });

  it('wait after a first refusal, too, when the breaker recovers within the delay', async () => {
    const clock = new FakeClock();
    const circuitBreaker = await openBreaker(clock, { recoveryTimeout: 30 });
    await clock.advance('29s');
    const upstream = new Upstream(gives('back'));
    const { report } = await scene(
      upstream.call,
      { circuitBreaker, retries: 3, backoff: everySeconds(5) },
      clock,
    ).result();
    expect(attemptsOf(report)).toEqual([
      ['failed', true, 5],
      ['succeeded', false, 0],
    ]);
  });

  it('make no second attempt after a first refusal that no wait can change', async () => {
    const clock = new FakeClock();
    const circuitBreaker = await openBreaker(clock);
    const upstream = new Upstream(failing);
    const { report } = await scene(
      upstream.call,
      { circuitBreaker, retries: 9, backoff: everySeconds(29) },
      clock,
    ).failure();
    expect(attemptsOf(report)).toEqual([['failed', true, 0]]);
    expect([upstream.calls.length, clock.pendingTimers]).toEqual([0, 0]);
  });

  it('end at once when only a probe in flight can tell', async () => {
    const clock = new FakeClock();
    const circuitBreaker = await recoveredBreaker(clock);
    const probe = scene(after(clock, 5, gives(1)), { circuitBreaker }, clock).run();
    await clock.advance(0);
    const { cause, report } = await scene(
      failing,
      { circuitBreaker, retries: 9, backoff: everySeconds(60) },
      clock,
    ).failure();
    expect(cause).toMatchObject({ state: 'half_open', retryAfterSeconds: null });
    expect(attemptsOf(report)).toEqual([['failed', true, 0]]);
    await clock.settle(probe);
  });

  it('are none when the filter leaves refusals out', async () => {
    const clock = new FakeClock();
    const circuitBreaker = await openBreaker(clock, { recoveryTimeout: 1 });
    const options = { circuitBreaker, retries: 3, backoff: everySeconds(5), retryOn: isRetryableHttp };
    const { report } = await scene(failing, options, clock).failure();
    expect([attemptsOf(report), report.lastError?.retryable]).toEqual([[['failed', true, 0]], false]);
  });

  it('go on when another call has closed the breaker in the meantime', async () => {
    const clock = new FakeClock();
    const circuitBreaker = new CircuitBreaker({ failureThreshold: 1, recoveryTimeout: 60 });
    const upstream = new Upstream(failing, gives('ok'));
    const { run } = scene(
      upstream.call,
      {
        circuitBreaker,
        retries: 1,
        backoff: {
          // An operator resets the breaker while the call decides what to do.
          delayForRetry: () => {
            queueMicrotask(() => circuitBreaker.reset());
            return 1;
          },
        },
      },
      clock,
    );
    expect((await clock.settle(run())).value).toBe('ok');
  });

  it('go on to the fallback, without a wait', async () => {
    const circuitBreaker = new CircuitBreaker({ failureThreshold: 1 });
    const { value, report } = await scene(failing, {
      circuitBreaker,
      retries: 9,
      backoff: everySeconds(1),
      fallback: gives('F'),
    }).result();
    expect([value, report.attemptCount, report.retryCount, report.durationSeconds]).toEqual(['F', 3, 1, 0]);
  });

  it('count each attempt of a call, timeouts and rejected values included', async () => {
    const circuitBreaker = new CircuitBreaker({ failureThreshold: 4 });
    const upstream = new Upstream(failing, hangs, gives('bad'), gives('good'));
    const options = {
      circuitBreaker,
      timeout: 1,
      retries: 3,
      backoff: everySeconds(1),
      validate: (value: unknown) => value === 'good',
    };
    const counts: number[] = [];
    const { result } = scene(() => {
      counts.push(circuitBreaker.snapshot().failureCount);
      return upstream.call();
    }, options);
    await result();
    expect([...counts, circuitBreaker.snapshot().failureCount]).toEqual([0, 1, 2, 3, 0]);
  });

  it('admit one probe of many calls that wait for the same moment', async () => {
    const clock = new FakeClock();
    const circuitBreaker = await openBreaker(clock, { recoveryTimeout: 1 });
    const upstream = new Upstream(after(clock, 5, gives('back')));
    const call = () =>
      scene(upstream.call, { circuitBreaker, retries: 1, backoff: everySeconds(1) }, clock).run();
    const outcomes = Array.from({ length: 20 }, () =>
      call().then(
        ({ value }) => value as unknown,
        () => 'refused',
      ),
    );
    const ends = await clock.settle(Promise.all(outcomes));
    expect(ends.filter((end) => end === 'back')).toHaveLength(1);
    expect(ends.filter((end) => end === 'refused')).toHaveLength(19);
    expect(upstream.calls).toHaveLength(1);
    expect(circuitBreaker.state).toBe('closed');
  });
});

describe('a breaker that is chosen for each call', () => {
  it('is found by the arguments, and a call for which none is found is a misuse', async () => {
    const breakers: Record<string, CircuitBreaker> = {
      a: new CircuitBreaker({ failureThreshold: 1 }),
      b: new CircuitBreaker(),
    };
    const upstream = new Upstream(failing);
    const { run, clock } = scene(upstream.call, {
      circuitBreaker: (host: string) => breakers[host] as CircuitBreaker,
      retries: 2,
    });
    await rejection(clock.settle(run('a')));
    expect([breakers.a?.state, breakers.b?.snapshot().failureCount]).toEqual(['open', 0]);
    const calls = upstream.calls.length;
    const error = await rejection(clock.settle(run('c')));
    expect(error.name).toBe('MisuseError');
    expect(upstream.calls).toHaveLength(calls);
  });
});
