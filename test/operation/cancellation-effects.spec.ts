import { describe, expect, it } from '@jest/globals';
import {
  attemptSignal,
  CircuitBreaker,
  EventEmitter,
  fallbackChain,
  InMemoryEventSink,
  reportOf,
  RetryPolicy,
  TimeoutPolicy,
  validationPolicy,
  ValidationResult,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import {
  abortAndRace,
  build,
  everySeconds,
  gives,
  hangs,
  listenersOf,
  recoveredBreaker,
  rejection,
  rejects,
  scene,
  sinkThat,
  story,
  Upstream,
  type Policies,
  type Step,
} from './support.js';

const failing = rejects(new Error('no'));

describe('a cancelled call', () => {
  it('gives the slot of its probe back, so that the next call is the probe', async () => {
    const clock = new FakeClock();
    const circuitBreaker = await recoveredBreaker(clock);
    const upstream = new Upstream(hangs, gives('back'));
    const operation = build(upstream.call, { circuitBreaker }, clock);
    const controller = new AbortController();
    const promise = operation.runWith({ signal: controller.signal });
    expect(circuitBreaker.snapshot().halfOpenProbeInFlight).toBe(true);
    controller.abort();
    expect(await rejection(promise)).toBe(controller.signal.reason);
    expect(circuitBreaker.snapshot()).toMatchObject({
      state: 'half_open',
      halfOpenProbeInFlight: false,
      failureCount: 1,
    });
    expect((await clock.settle(operation.run())).value).toBe('back');
    expect(circuitBreaker.state).toBe('closed');
  });

  it('is told to onReport once, as cancelled, and to nobody as an event', async () => {
    // B022
    const controller = new AbortController();
    const upstream = new Upstream(failing, hangs);
    const { run, reports, sink, clock } = scene(upstream.call, {
      retries: 7,
      backoff: everySeconds(1),
      signal: controller.signal,
    });
    const promise = run();
    await clock.advance('1.5s');
    expect(upstream.calls).toHaveLength(2);
    controller.abort('gone');
    expect(await rejection(promise)).toBe('gone');
    await clock.advance('1h');
    expect(upstream.calls).toHaveLength(2);
    expect(story(sink)).toBe('OS AS AF retry.scheduled AS');
    expect(reports).toHaveLength(1);
    expect(reports[0]?.toJSON()).toMatchObject({
      status: 'cancelled',
      attempt_count: 2,
      retry_count: 1,
      duration_seconds: 1.5,
    });
    expect(reports[0]?.attempts.map(({ status, error }) => [status, error?.message])).toEqual([
      ['failed', 'no'],
      ['cancelled', 'gone'],
    ]);
  });

  it.each([undefined, null, 'gone', 0, Symbol('gone'), new RangeError('gone')])(
    'rejects with the reason %p itself',
    async (reason) => {
      // B026
      const controller = new AbortController();
      const { run, reports } = scene(hangs, {
        signal: () => controller.signal,
        retries: 2,
        fallback: gives('never'),
      });
      const promise = run();
      controller.abort(reason);
      expect(await rejection(promise)).toBe(controller.signal.reason);
      expect(reports[0]?.status).toBe('cancelled');
    },
  );

  it('aborts the signal of its attempt with the same reason', async () => {
    // B026
    const controller = new AbortController();
    const reason = { why: 'closed' };
    let seen: AbortSignal | undefined;
    const { run, clock } = scene(
      () => {
        seen = attemptSignal();
        return hangs();
      },
      { signal: controller.signal },
    );
    const promise = run();
    await clock.advance(0);
    controller.abort(reason);
    expect(await rejection(promise)).toBe(reason);
    expect(seen?.reason).toBe(reason);
  });

  it('ends in the stand-in that cancelled it and threw at once, and asks no other', async () => {
    const controller = new AbortController();
    const last = new Upstream(gives('never'));
    const fallbacks = fallbackChain(
      [
        'first',
        () => {
          controller.abort('gone');
          throw new Error('no');
        },
      ],
      ['last', last.call],
    );
    const { run, reports } = scene(failing, { fallbacks, signal: controller.signal });
    expect(await rejection(run())).toBe('gone');
    expect(last.calls).toEqual([]);
    expect(reports[0]?.attempts.map(({ status, error }) => [status, error?.message])).toEqual([
      ['failed', 'no'],
      ['cancelled', 'gone'],
    ]);
  });

  it('is not repeated when its method rejects because of the same signal', async () => {
    // B021
    const controller = new AbortController();
    const upstream = new Upstream(
      () =>
        new Promise((_, reject) =>
          controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true }),
        ),
    );
    const { run, reports, clock } = scene(upstream.call, { retries: 3, signal: controller.signal });
    const promise = run();
    await clock.advance(0);
    controller.abort(new DOMException('timed out', 'TimeoutError'));
    expect(await rejection(promise)).toBe(controller.signal.reason);
    expect(upstream.calls).toHaveLength(1);
    expect(reports.map(({ status, attemptCount }) => [status, attemptCount])).toEqual([['cancelled', 1]]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends by whichever of its signals aborts first, and leaves no listener on the other', async () => {
    for (const first of [0, 1] as const) {
      const controllers = [new AbortController(), new AbortController()] as const;
      const operation = build(hangs, { signal: controllers[0].signal }, new FakeClock());
      const promise = operation.runWith({ signal: controllers[1].signal });
      controllers[first].abort(`reason ${first}`);
      controllers[1 - first]?.abort('too late');
      expect(await rejection(promise)).toBe(`reason ${first}`);
      expect(controllers.map(({ signal }) => listenersOf(signal))).toEqual([0, 0]);
    }
  });

  it('that has succeeded before is left alone', async () => {
    const controller = new AbortController();
    const { result, reports } = scene(gives('done'), { signal: controller.signal });
    const { report } = await result();
    expect(listenersOf(controller.signal)).toBe(0);
    controller.abort();
    expect(reports).toEqual([report]);
    expect(report.status).toBe('succeeded');
  });
});

describe('code of the application that makes the caller go away', () => {
  const controllerOf = { current: new AbortController() };
  const abort = (): void => controllerOf.current.abort('mine');
  const aborting =
    (step: Step): Step =>
    () => {
      abort();
      return step();
    };
  const retry = (options: object) => ({ retry: new RetryPolicy({ backoff: everySeconds(60), ...options }) });
  const asking = (answer: Step): Policies => ({
    validation: validationPolicy({ name: 'v', validate: aborting(answer) as never }),
  });
  const telling = (type: string, step: Step): Policies => ({
    events: new EventEmitter({ sinks: [sinkThat(type, aborting(step) as never)] }),
  });

  const PLACES: Record<string, [Step, Policies]> = {
    'in the method': [aborting(hangs), { timeout: new TimeoutPolicy(60) }],
    'in the method, which then throws': [
      aborting(() => {
        throw new Error('no');
      }),
      retry({}),
    ],
    'in a validator': [gives(1), asking(hangs)],
    'in a filter of failures': [failing, retry({ retryOn: aborting(() => true) })],
    'in the back-off': [failing, retry({ backoff: { delayForRetry: aborting(() => 60) } })],
    'in the filter of the breaker': [
      failing,
      {
        ...retry({}),
        circuitBreaker: new CircuitBreaker({ recordFailureOn: aborting(() => true) as never }),
      },
    ],
    'in a sink': [gives(1), telling('attempt.succeeded', hangs)],
    'in a sink, at the last event': [gives(1), telling('operation.succeeded', hangs)],
    'in a sink, before the wait': [failing, { ...retry({}), ...telling('retry.scheduled', () => undefined) }],
  };

  it.each(Object.keys(PLACES))('%s ends the call all the same', async (where) => {
    const [primary, policies] = PLACES[where] as [Step, Policies];
    const controller = (controllerOf.current = new AbortController());
    const clock = new FakeClock();
    const upstream = new Upstream(primary);
    const heard = new InMemoryEventSink();
    const operation = build(
      upstream.call,
      { events: new EventEmitter({ sinks: [heard] }), ...policies },
      clock,
    );
    const { order, error } = await abortAndRace(
      operation.runWith({ signal: controller.signal }),
      () => undefined,
    );
    expect(error).toBe('mine');
    expect(order[0]).toBe('call');
    expect(upstream.calls).toHaveLength(1);
    expect(story(heard)).toMatch(/^(OS AS)?$/);
    expect([clock.pendingTimers, listenersOf(controller.signal)]).toEqual([0, 0]);
  });
});

describe('a caller that goes away in the middle of a fallback', () => {
  const asked = (fallbackOn: () => boolean) => fallbackChain(['other', gives(1)], { fallbackOn });

  it.each([true, false])('that is asked whether it is meant, and says %p, ends the call', async (meant) => {
    const controller = new AbortController();
    const other = new Upstream(gives(1));
    const fallbackOn = () => (controller.abort('mine'), meant);
    const fallbacks = fallbackChain(['other', other.call], { fallbackOn });
    const { run, reports, sink } = scene(failing, { fallbacks, signal: controller.signal });
    expect(await rejection(run())).toBe('mine');
    expect([reports[0]?.status, other.calls, story(sink)]).toEqual(['cancelled', [], 'OS AS AF']);
  });

  const refusing = (controller: AbortController) => {
    return validationPolicy({
      name: 'v',
      validate: () => (controller.abort('mine'), ValidationResult.failure('v', 'never good')),
    });
  };

  it('ends the call also where nobody is told of it', async () => {
    for (const policiesOf of [
      (abort: () => void) => ({ fallbacks: asked(() => (abort(), true)) }),
      (abort: () => void) => ({ fallbacks: asked(() => (abort(), false)) }),
      (_: unknown, controller: AbortController) => {
        return { fallbacks: asked(() => true), validation: refusing(controller) };
      },
    ]) {
      const controller = new AbortController();
      const { signal } = controller;
      const operation = build(
        failing,
        policiesOf(() => controller.abort('mine'), controller),
        new FakeClock(),
      );
      expect(await rejection(operation.runWith({ signal }))).toBe('mine');
    }
  });

  it('whose value is then refused, hears nothing more', async () => {
    const controller = new AbortController();
    const validation = refusing(controller);
    const fallbacks = fallbackChain(['other', gives(1)]);
    const { run, reports, sink } = scene(failing, { fallbacks, validation, signal: controller.signal });
    expect(await rejection(run())).toBe('mine');
    expect(reports[0]?.status).toBe('cancelled');
    expect(sink.sequence().slice(-2)).toEqual(['attempt.failed', 'fallback.started']);
  });
});

describe('a caller that is made to go away at once, by what then gives a good value', () => {
  const PLACES = (abort: () => void): Record<string, [Step, Policies]> => {
    const value = () => (abort(), 1);
    const accepted = () => (abort(), ValidationResult.success('v'));
    const validation = validationPolicy({ name: 'v', validate: accepted });
    const stepping = (step: Step) => fallbackChain(['other', step]);
    return {
      'the method': [async () => value(), {}],
      'a method that gives no promise': [value, {}],
      'a validator': [gives(1), { validation }],
      'a fallback': [failing, { fallbacks: stepping(async () => value()) }],
      'a validator of the fallback': [failing, { fallbacks: stepping(gives(1)), validation }],
    };
  };
  const places = Object.keys(PLACES(() => undefined));
  const cases = places.flatMap((place) => [[place, 'with a sink'] as const, [place, 'without one'] as const]);

  it.each(cases)('%s, %s, learns nothing but its own reason', async (place, how) => {
    const controller = new AbortController();
    const [step, policies] = PLACES(() => controller.abort('mine'))[place] as [Step, Policies];
    const events = new EventEmitter({ sinks: [new InMemoryEventSink()] });
    const operation = build(
      step,
      how === 'with a sink' ? { ...policies, events } : policies,
      new FakeClock(),
    );
    expect(await rejection(operation.runWith({ signal: controller.signal }))).toBe('mine');
  });
});

describe('a listener of a signal that many calls share', () => {
  it('is one for all of them, and none when they have ended', async () => {
    // B002
    const controller = new AbortController();
    const clock = new FakeClock();
    const operation = build(hangs, { timeout: new TimeoutPolicy(5), signal: controller.signal }, clock);
    const calls = Array.from({ length: 50 }, () => rejection(operation.run()));
    expect(listenersOf(controller.signal)).toBe(1);
    await clock.advance('5s');
    const errors = await Promise.all(calls);
    expect(listenersOf(controller.signal)).toBe(0);
    expect(new Set(errors.map((error) => reportOf(error)?.status))).toEqual(new Set(['timed_out']));
  });
});
