import { describe, expect, it } from '@jest/globals';
import { CircuitBreaker, EventEmitter, type Timer } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { client } from '../shield/client.js';
import { TooSlow } from '../shield/support.js';
import { watch } from '../support/watch.js';
import {
  after,
  everySeconds,
  gives,
  hangs,
  rejects,
  scene,
  sinkThat,
  story,
  throws,
  Upstream,
} from './support.js';

const ignoring = (clock: FakeClock, failureThreshold = 1): CircuitBreaker =>
  new CircuitBreaker({ name: 'b', failureThreshold, ignoreLocalStalls: true, clock });

/** A clock whose timers fire a little before their time, as those of Node do now and then. */
class EarlyClock extends FakeClock {
  override setTimer(callback: () => void, delayMs: number): Timer {
    return super.setTimer(callback, delayMs - 0.5);
  }
}

describe('a deadline under a breaker that ignores local stalls', () => {
  it('ends the call at once where the event loop was not blocked', async () => {
    const clock = new FakeClock();
    const seen = scene(hangs, { deadline: 0.1, circuitBreaker: ignoring(clock) }, clock);
    const error = await seen.failure();
    expect(error.report).toMatchObject({ status: 'timed_out', durationSeconds: 0.1 });
    expect(clock.monotonicMs()).toBe(100);
  });

  it('ends the call at once where the dependency has answered already', async () => {
    const clock = new FakeClock();
    const options = {
      deadline: 0.1,
      circuitBreaker: ignoring(clock),
      validate: hangs as () => Promise<boolean>,
    };
    const { run, reports } = scene(gives(1), options, clock);
    const call = watch(run());
    await clock.advance(0);
    clock.stall(0.4);
    await clock.advance(0);
    expect(call.state).toBe('rejected');
    expect(reports[0]?.lastAttempt).toMatchObject({
      status: 'timed_out',
      durationSeconds: 0.4,
      localStall: 0,
    });
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('a shield whose calls have a breaker that ignores local stalls', () => {
  /** The story of a call whose first attempt runs out of time. */
  const play = async (stalled: boolean): Promise<string> => {
    const clock = new FakeClock();
    const upstream = new Upstream(hangs, gives('up'));
    const seen = client(upstream.call, { clock, beside: { circuitBreaker: ignoring(clock, 100) } });
    const call = watch(seen.visit());
    await clock.advance(0);
    if (stalled) clock.stall('2m');
    await clock.advance('1h');
    expect(call.outcome).toBe('up');
    return story(seen.sink);
  };

  it('is slowed down by an attempt that ran out of time while the event loop turned', async () => {
    expect(await play(false)).toBe('OS AS shield.engaged AF retry.scheduled AS AOK OOK');
  });

  it('is not slowed down by one that ran out of time in a blocked event loop', async () => {
    expect(await play(true)).toBe('OS AS AF retry.scheduled AS AOK OOK');
  });
});

describe('what an attempt says itself after a stall', () => {
  it('slows its shield down, as it is no timeout of ours', async () => {
    const clock = new FakeClock();
    const beside = { circuitBreaker: ignoring(clock, 100), deadline: '1s' as const };
    const step = after(clock, 2.05, throws(new TooSlow('slow')));
    const seen = client(step, { clock, beside });
    const call = watch(seen.visit());
    await clock.advance(0);
    clock.stall('2s');
    await clock.advance('1h');
    expect(call.outcome).toBeInstanceOf(TooSlow);
    expect(seen.reports[0]?.lastAttempt).toMatchObject({ status: 'failed', localStall: 1 });
    expect(story(seen.sink)).toContain('shield.engaged');
  });
});

describe('a shielded call that recovers by itself', () => {
  it('says nothing of giving up', async () => {
    const seen = client(new Upstream(rejects(new TooSlow('slow')), gives('up')).call);
    expect(await seen.outcome()).toBe('up');
    expect(seen.metadata()).not.toHaveProperty('shield_gave_up');
  });
});

describe('a deadline', () => {
  it('is what ended the call also where its timer fired before the clock said so', async () => {
    const clock = new EarlyClock();
    const seen = scene(hangs, { deadline: 1, timeout: 10 }, clock);
    const error = await seen.failure();
    expect(error.cause).toMatchObject({ scope: 'deadline' });
    expect(clock.monotonicMs()).toBeLessThan(1_000);
  });

  it('lets a breaker count an attempt that met its own timeout in the same moment', async () => {
    const clock = new FakeClock();
    const circuitBreaker = new CircuitBreaker({ failureThreshold: 2, clock });
    const upstream = new Upstream(rejects(new Error('down')), hangs);
    const options = { deadline: 5, timeout: 4, retries: 1, backoff: everySeconds(1), circuitBreaker };
    const error = await scene(upstream.call, options, clock).failure();
    expect(error.cause).toMatchObject({ scope: 'deadline' });
    expect([upstream.calls.length, circuitBreaker.state]).toEqual([2, 'open']);
  });
});

describe('a sink that takes the time of a call', () => {
  it.each([
    ['until its deadline', '1s'],
    ['past its deadline', '2s'],
  ] as const)('%s: the method is not called, which the error knows', async (_until, duration) => {
    const clock = new FakeClock();
    const upstream = new Upstream(gives(1));
    const events = new EventEmitter({ sinks: [sinkThat('attempt.started', () => clock.stall(duration))] });
    const error = await scene(upstream.call, { deadline: '1s', timeout: '10s', events }, clock).failure();
    expect(error.cause).toMatchObject({ scope: 'deadline', outcomeUnknown: false });
    expect(upstream.calls).toEqual([]);
  });

  it('and leaves as much as the next wait would take, leaves no wait', async () => {
    const clock = new FakeClock();
    const sink = sinkThat('retry.scheduled', () => after(clock, 2, () => undefined)() as Promise<void>);
    const events = new EventEmitter({ sinks: [sink] });
    const down = new Error('down');
    const options = { deadline: 3, retries: 1, backoff: everySeconds(1), events };
    const error = await scene(rejects(down), options, clock).failure();
    expect(error.cause).toBe(down);
    expect(clock.monotonicMs()).toBe(2_000);
    expect(error.report.metadata).toMatchObject({ deadline_exhausted: true });
  });

  it('leaves a shielded call to say that its deadline left no room for another try', async () => {
    const sink = sinkThat('retry.scheduled', () => void seen.clock.stall('1m'));
    const slow = rejects(new TooSlow('slow'));
    const seen = client(slow, { sinks: [sink], beside: { deadline: '30s' } });
    expect(await seen.outcome()).toBeInstanceOf(TooSlow);
    expect(seen.metadata()).toMatchObject({ deadline_exhausted: true, shield_gave_up: 'deadline_exhausted' });
    expect(seen.told('shield.gave_up')).toMatchObject([{ reason: 'deadline_exhausted', attempt_count: 1 }]);
  });

  it('to hear of an empty budget, does not bring another try', async () => {
    const upstream = new Upstream(rejects(new TooSlow('slow')));
    const sink = sinkThat('shield.budget_exhausted', () => Promise.resolve());
    const seen = client(upstream.call, { profile: 'slow', sinks: [sink] });
    await seen.outcome();
    const before = upstream.calls.length;
    expect(await seen.outcome()).toBeInstanceOf(TooSlow);
    expect(upstream.calls.length - before).toBe(3);
    expect(seen.metadata()).toMatchObject({ shield_gave_up: 'budget_exhausted' });
  });
});
