import { describe, expect, it } from '@jest/globals';
import {
  asyncOperation,
  currentAttempt,
  EventEmitter,
  TimeoutPolicy,
  type ResilientFunctionOptions,
} from '../../lib/index.js';
import {
  everySeconds,
  gives,
  hangs,
  listenersOf,
  rejection,
  rejects,
  scene,
  sinkThat,
  type Fn,
  type Step,
} from '../operation/support.js';
import { beginCall, failCalls, setUp, setUpProbeDue } from './support.js';

const never = () => new Promise<never>(() => undefined);
const sinkHangsAt = (type: string) => ({ events: new EventEmitter({ sinks: [sinkThat(type, never)] }) });

type Options = ResilientFunctionOptions<Fn, any>;

/** Where a call can be when its caller goes away before the attempt has ended. */
const places: [place: string, fn: Step, options: () => Options][] = [
  ['the sink of operation.started', gives('up'), () => sinkHangsAt('operation.started')],
  ['the sink of attempt.started', gives('up'), () => sinkHangsAt('attempt.started')],
  ['the method', hangs, () => ({})],
  ['the method, with a timeout', hangs, () => ({ timeout: 60, deadline: 60 })],
  ['an async validator', gives('up'), () => ({ validate: never })],
  [
    'the sink of validation.succeeded',
    gives('up'),
    () => ({ validate: () => true, ...sinkHangsAt('validation.succeeded') }),
  ],
];
const placesOfProbes: typeof places = [
  ...places,
  ['the sink of half_opened', gives('up'), () => sinkHangsAt('circuit_breaker.half_opened')],
];

describe('a cancelled call', () => {
  it.each(placesOfProbes)('in %s gives its probe back and records nothing [R55]', async (_, fn, options) => {
    const { clock, breaker } = await setUpProbeDue();
    const controller = new AbortController();
    const { signal } = controller;
    const { run, reports } = scene(fn, { circuitBreaker: breaker, signal, ...options() }, clock);
    const outcome = rejection(run());
    await clock.advance(1);
    const reason = new Error('the user left');
    controller.abort(reason);
    expect(await outcome).toBe(reason);
    const { state, halfOpenProbeInFlight, failureCount, retryAfterSeconds } = breaker.snapshot();
    expect({ halfOpenProbeInFlight, failureCount, retryAfterSeconds }).toEqual({
      halfOpenProbeInFlight: false,
      failureCount: 2,
      retryAfterSeconds: 0,
    });
    expect(['open', 'half_open']).toContain(state);
    expect(reports.map((report) => report.status)).toEqual(['cancelled']);
    expect([clock.pendingTimers, listenersOf(signal)]).toEqual([0, 0]);
    await expect(breaker.run(() => 'up')).resolves.toBe('up');
    expect(breaker.state).toBe('closed');
  });

  it.each(places)('in %s is not counted while closed [R56]', async (_, fn, options) => {
    const { clock, breaker } = setUp();
    await failCalls(breaker, 1);
    const controller = new AbortController();
    const { signal } = controller;
    const { run } = scene(fn, { circuitBreaker: breaker, signal, ...options() }, clock);
    const outcome = rejection(run());
    await clock.advance(1);
    controller.abort('gone');
    expect(await outcome).toBe('gone');
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', failureCount: 1 });
    expect(listenersOf(signal)).toBe(0);
  });

  it('is not asked for its probe when the signal was aborted before [R55]', async () => {
    const { clock, breaker } = await setUpProbeDue();
    const signal = AbortSignal.abort('gone');
    expect(await rejection(breaker.runWith({ signal }, () => 'never'))).toBe('gone');
    const { run } = scene(gives('never'), { circuitBreaker: breaker, signal }, clock);
    expect(await rejection(run())).toBe('gone');
    expect(breaker.snapshot()).toMatchObject({ state: 'open', probeDue: true });
  });

  it('alone is not counted while closed, and leaves no listener [R56]', async () => {
    const { breaker } = setUp();
    await failCalls(breaker, 1);
    const controller = new AbortController();
    const calls = Array.from({ length: 20 }, () => beginCall(breaker, controller.signal));
    expect(listenersOf(controller.signal)).toBe(1);
    controller.abort('gone');
    for (const call of calls) expect(await rejection(call.outcome)).toBe('gone');
    for (const call of calls) call.reject(new Error('late'));
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', failureCount: 1 });
    expect(listenersOf(controller.signal)).toBe(0);
  });

  it('that fails because of the abort is no failure of the dependency [R56]', async () => {
    const { breaker } = setUp();
    const controller = new AbortController();
    const fails = () => {
      controller.abort('gone');
      throw new Error('aborted by the client');
    };
    await rejection(breaker.runWith({ signal: controller.signal }, fails));
    expect(breaker.snapshot().failureCount).toBe(0);
  });

  it('alone, inside an operation whose caller left, is not counted either [R55, R56]', async () => {
    const { clock, breaker } = setUp();
    const controller = new AbortController();
    const outer = asyncOperation('outer', () => breaker.run(hangs), { clock });
    await failCalls(breaker, 1);
    const first = rejection(outer.runWith({ signal: controller.signal }));
    await clock.advance(1);
    controller.abort('gone');
    expect(await first).toBe('gone');
    await clock.advance(1);
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', failureCount: 1 });
    await failCalls(breaker, 1);
    await clock.advance(10);
    await clock.settle(rejection(outer.withTimeout(new TimeoutPolicy(1)).run()));
    expect(breaker.snapshot()).toMatchObject({ state: 'half_open', halfOpenProbeInFlight: false });
    expect(clock.pendingTimers).toBe(0);
  });

  it('between two attempts keeps what the first one proved [R56]', async () => {
    const { clock, breaker } = await setUpProbeDue();
    const controller = new AbortController();
    const { signal } = controller;
    const options = { circuitBreaker: breaker, signal, retries: 3, backoff: everySeconds(20) };
    const outcome = rejection(scene(rejects(new Error('down')), options, clock).run());
    await clock.advance(1);
    controller.abort('gone');
    expect(await outcome).toBe('gone');
    expect(breaker.snapshot()).toMatchObject({ state: 'open', retryAfterSeconds: 9 });
    expect([clock.pendingTimers, listenersOf(signal)]).toEqual([0, 0]);
  });

  it('in a fallback leaves the breaker as the primary attempt left it [R56]', async () => {
    const { clock, breaker } = await setUpProbeDue();
    const controller = new AbortController();
    const options = { circuitBreaker: breaker, signal: controller.signal, fallback: hangs };
    const outcome = rejection(scene(rejects(new Error('down')), options, clock).run());
    await clock.advance(1);
    controller.abort('gone');
    expect(await outcome).toBe('gone');
    expect(breaker.snapshot()).toMatchObject({ state: 'open', failureCount: 2, retryAfterSeconds: 9 });
  });
});

describe('a call of run() inside an operation', () => {
  it('is named after its breaker, and lets go of those who could have cancelled it', async () => {
    const { clock, breaker } = setUp();
    const [inner, outer] = [new AbortController(), new AbortController()];
    const listening: number[][] = [];
    const seen = () => listening.push([inner, outer].map(({ signal }) => listenersOf(signal)));
    const call = () =>
      breaker.runWith({ signal: inner.signal }, () => {
        seen();
        return currentAttempt().operationName;
      });
    const { result } = scene(async () => await call(), { signal: outer.signal }, clock);
    expect((await result()).value).toBe("circuit breaker 'payments'");
    seen();
    expect(listening).toEqual([
      [1, 1],
      [0, 0],
    ]);
  });
});

describe('a call that a sink ends', () => {
  it.each(['operation.started', 'circuit_breaker.half_opened', 'attempt.started', 'validation.succeeded'])(
    'at %s gives its probe back and records nothing',
    async (type) => {
      const { clock, breaker } = await setUpProbeDue();
      const broken = new Error('the sink is broken');
      const breaks = () => {
        throw broken;
      };
      const events = new EventEmitter({ sinks: [sinkThat(type, breaks)] });
      const options = { circuitBreaker: breaker, validate: () => true, events };
      expect(await rejection(scene(gives('up'), options, clock).run())).toBe(broken);
      expect(breaker.snapshot()).toMatchObject({ halfOpenProbeInFlight: false, failureCount: 2 });
      await expect(breaker.run(() => 'up')).resolves.toBe('up');
    },
  );
});
