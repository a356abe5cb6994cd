import { afterEach, describe, expect, it, jest } from '@jest/globals';
import {
  CircuitBreaker,
  ConcurrencyLimit,
  currentAttempt,
  EventEmitter,
  fallbackChain,
  InMemoryEventSink,
  resilient,
  type CircuitBreakerOpenError,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import {
  after,
  everySeconds,
  gives,
  hangs,
  rejection,
  rejects,
  scene,
  sinkThat,
  Upstream,
} from './support.js';

afterEach(() => void jest.restoreAllMocks());

describe('a caller who goes away while code of the application judges a failure', () => {
  it.each(['fallbackOn', 'retryOn'] as const)(
    'gets its own reason, and no fallback: in %s',
    async (filter) => {
      const controller = new AbortController();
      const reason = { why: 'gone' };
      const standIn = new Upstream(gives('F'));
      const leave = () => {
        controller.abort(reason);
        return true;
      };
      const upstream = new Upstream(rejects(new Error('no')));
      const run = resilient(
        {
          name: 'op',
          signal: controller.signal,
          fallback: standIn.call,
          retries: filter === 'retryOn' ? 1 : 0,
          [filter]: leave,
        },
        upstream.call,
      );
      expect(await rejection(run())).toBe(reason);
      expect([upstream.calls.length, standIn.calls.length]).toEqual([1, 0]);
    },
  );

  it('gets its own reason where a stand-in fails of it, and the next one is not asked', async () => {
    const controller = new AbortController();
    const reason = { why: 'gone' };
    const next = new Upstream(gives('second'));
    const first = () => {
      controller.abort(reason);
      throw new Error('the first one failed');
    };
    const run = resilient(
      {
        name: 'op',
        signal: controller.signal,
        fallbacks: fallbackChain(['first', first], ['next', next.call]),
      },
      rejects(new Error('no')),
    );
    expect(await rejection(run())).toBe(reason);
    expect(next.calls).toEqual([]);
  });
});

describe('a caller who goes away while the last event is told', () => {
  it.each(['operation.succeeded', 'operation.failed', 'attempt.started'])(
    'gets its own reason, though the sink says nothing: %s',
    async (type) => {
      const controller = new AbortController();
      const reason = { why: 'gone' };
      const upstream = new Upstream(type === 'operation.failed' ? rejects(new Error('no')) : gives(1));
      const { run, reports, clock } = scene(upstream.call, {
        signal: controller.signal,
        events: new EventEmitter({ sinks: [sinkThat(type, () => controller.abort(reason))] }),
      });
      expect(await clock.settle(rejection(run()))).toBe(reason);
      expect(reports.map(({ status }) => status)).toEqual(['cancelled']);
      expect(upstream.calls).toHaveLength(type === 'attempt.started' ? 0 : 1);
    },
  );
});

describe('the refusal of a breaker', () => {
  it('has the latest failure of the dependency as its cause, and not a limit that was full', async () => {
    const clock = new FakeClock();
    const circuitBreaker = new CircuitBreaker({ name: 'db', failureThreshold: 9, clock });
    const concurrencyLimit = new ConcurrencyLimit({ name: 'pool', maxConcurrent: 1, clock });
    const real = new Error('no');
    const upstream = new Upstream(rejects(real));
    const { run } = scene(
      upstream.call,
      { circuitBreaker, concurrencyLimit, retries: 2, backoff: everySeconds(1) },
      clock,
    );
    const call = rejection(run());
    await clock.advance(0.5);
    void concurrencyLimit.run(after(clock, 1, gives('done')));
    await clock.advance(1);
    circuitBreaker.forceOpen('maintenance');
    const { cause, report } = await clock.settle(call);
    expect(report.attempts.map((attempt: any) => attempt.error?.type)).toEqual([
      'Error',
      'ConcurrencyLimitError',
      'CircuitBreakerOpenError',
    ]);
    expect((cause as CircuitBreakerOpenError).cause).toBe(real);
  });
});

describe('what an attempt spends when nobody waits for it any more', () => {
  it('moves the breaker apart from the attempt that runs meanwhile', async () => {
    const clock = new FakeClock();
    const circuitBreaker = new CircuitBreaker({
      name: 'model',
      failureThreshold: 1,
      recoveryTimeout: 1,
      budget: { limit: 10, per: '60s' },
      clock,
    });
    const attempts: ReturnType<typeof currentAttempt>[] = [];
    const { run, sink } = scene(
      () => {
        attempts.push(currentAttempt());
        return attempts.length === 1 ? hangs() : after(clock, 5, gives('good'))();
      },
      { circuitBreaker, timeout: 10, retries: 1, backoff: everySeconds(2) },
      clock,
    );
    const call = run();
    await clock.advance(13);
    expect(circuitBreaker.state).toBe('half_open');
    attempts[0]?.spend(11);
    expect(circuitBreaker.state).toBe('open');
    await clock.settle(call);
    const opened = sink.events().filter(({ eventType }) => eventType === 'circuit_breaker.opened');
    expect(opened.map(({ operationName }) => operationName)).toEqual(['op', 'circuit_breaker:model']);
  });

  it('is told apart from a call whose caller has gone, and a warning is all that comes of a broken sink', async () => {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const clock = new FakeClock();
    const circuitBreaker = new CircuitBreaker({ name: 'model', budget: { limit: 10, per: '60s' }, clock });
    const controller = new AbortController();
    const sink = new InMemoryEventSink();
    const broken = sinkThat('circuit_breaker.opened', () => Promise.reject(new RangeError('full')));
    const spendAndHang = () => {
      currentAttempt().spend(11);
      return hangs();
    };
    const { run } = scene(
      spendAndHang,
      { circuitBreaker, signal: controller.signal, events: new EventEmitter({ sinks: [sink, broken] }) },
      clock,
    );
    const call = rejection(run());
    await clock.advance(1);
    controller.abort('gone');
    expect(await call).toBe('gone');
    await clock.advance(1);
    expect(sink.events().at(-1)).toMatchObject({
      eventType: 'circuit_breaker.opened',
      operationName: 'circuit_breaker:model',
    });
    expect(warn.mock.calls.map(([message]) => message)).toEqual([
      'an event sink failed with RangeError on a change of circuit_breaker:model',
    ]);
  });
});
