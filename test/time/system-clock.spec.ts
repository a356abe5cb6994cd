import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { SystemClock } from '../../lib/index.js';
import { isClock, sleep, systemClock } from '../../lib/time/clock.js';
import { FakeClock } from '../../lib/testing/index.js';
import { realMilliseconds } from './support.js';

const LONGEST_TIMER_MS = 2_147_483_647;

afterEach(() => {
  jest.restoreAllMocks(); // first, as some of them stand before a fake timer
  jest.useRealTimers();
});

/** The delays that the platform's timers were asked for. */
function delaysOf(spy: { mock: { calls: unknown[][] } }): unknown[] {
  return spy.mock.calls.map(([, delayMs]) => delayMs);
}

describe('the clock of the machine', () => {
  it('reads the monotonic and the wall clock at each call', () => {
    jest.spyOn(performance, 'now').mockReturnValue(12.5);
    jest.spyOn(Date, 'now').mockReturnValue(1_767_225_600_000);
    expect(systemClock.monotonicMs()).toBe(12.5);
    expect(systemClock.wallMs()).toBe(1_767_225_600_000);
  });

  // B099
  it('sleeps a delay above 2^31-1 ms in steps that a timer can keep, and not a millisecond less', () => {
    jest.useFakeTimers();
    const delays = jest.spyOn(globalThis, 'setTimeout');
    const fired = jest.fn();
    new SystemClock().setTimer(fired, 4_194_304_000);
    expect(delaysOf(delays)).toEqual([LONGEST_TIMER_MS]);
    jest.advanceTimersByTime(4_194_303_999);
    expect(fired).not.toHaveBeenCalled();
    expect(delaysOf(delays)).toEqual([LONGEST_TIMER_MS, 4_194_304_000 - LONGEST_TIMER_MS]);
    jest.advanceTimersByTime(1);
    expect(fired).toHaveBeenCalledTimes(1);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('can be taken back and unref-ed in the second step of a long delay, too', () => {
    jest.useFakeTimers();
    const handles = jest.spyOn(globalThis, 'setTimeout').mock.results;
    const fired = jest.fn();
    const timer = new SystemClock().setTimer(fired, 2 * LONGEST_TIMER_MS);
    timer.unref?.();
    jest.advanceTimersByTime(LONGEST_TIMER_MS + 1);
    expect(jest.getTimerCount()).toBe(1);
    const second = handles[1]?.value as NodeJS.Timeout;
    expect(second.hasRef()).toBe(false);
    timer.ref?.();
    expect(second.hasRef()).toBe(true);
    timer.cancel();
    expect(jest.getTimerCount()).toBe(0);
    jest.advanceTimersByTime(LONGEST_TIMER_MS);
    expect(fired).not.toHaveBeenCalled();
  });

  it('sleeps the rest when a timer fires early', () => {
    jest.useFakeTimers({ doNotFake: ['performance'] });
    const now = jest.spyOn(performance, 'now');
    const delays = jest.spyOn(globalThis, 'setTimeout');
    const fired = jest.fn();
    now.mockReturnValue(1_000);
    new SystemClock().setTimer(fired, 100);
    now.mockReturnValue(1_099.4);
    jest.advanceTimersByTime(100);
    expect(fired).not.toHaveBeenCalled();
    expect(delaysOf(delays)).toEqual([100, 1]);
    now.mockReturnValue(1_100.2);
    jest.advanceTimersByTime(1);
    expect(fired).toHaveBeenCalledTimes(1);
  });

  it.each([0, 0.2, 1, 2.7, 15])('never calls back before %p ms have passed', async (delayMs) => {
    const startMs = systemClock.monotonicMs();
    await new Promise<void>((resolve) => void systemClock.setTimer(resolve, delayMs));
    expect(systemClock.monotonicMs() - startMs).toBeGreaterThan(delayMs - 0.002); // less than that is noise
  });

  it('does not call back any more when the timer was taken back, however often', async () => {
    const fired = jest.fn();
    const timer = systemClock.setTimer(fired, 1);
    timer.cancel();
    timer.cancel();
    await realMilliseconds(5);
    expect(fired).not.toHaveBeenCalled();
  });

  it('takes back a timer that has fired already without a sound', async () => {
    const fired = jest.fn();
    const timer = systemClock.setTimer(fired, 0);
    await realMilliseconds(5);
    timer.cancel();
    timer.unref?.();
    timer.ref?.();
    expect(fired).toHaveBeenCalledTimes(1);
  });
});

describe('sleeping', () => {
  it('for zero touches no timer', async () => {
    const clock = new FakeClock();
    const setTimer = jest.spyOn(clock, 'setTimer');
    await sleep(clock, 0);
    await sleep(clock, -1);
    expect(setTimer).not.toHaveBeenCalled();
  });

  it('ends when the time has passed on the clock, and not before', async () => {
    const clock = new FakeClock();
    let awake = false;
    void sleep(clock, 250).then(() => (awake = true));
    await clock.advance('249ms');
    expect(awake).toBe(false);
    await clock.advance('1ms');
    expect(awake).toBe(true);
  });
});

describe('a clock', () => {
  it.each([
    systemClock,
    new FakeClock(),
    { monotonicMs: () => 0, wallMs: () => 0, setTimer: () => ({ cancel() {} }) },
  ])('is an object with its three methods (%#)', (clock) => expect(isClock(clock)).toBe(true));

  it.each([
    undefined,
    null,
    0,
    'clock',
    Date,
    {},
    { monotonicMs: () => 0, wallMs: () => 0 },
    { monotonicMs: 1, wallMs: 2, setTimer: 3 },
  ])('is nothing else (%p)', (value) => expect(isClock(value)).toBe(false));
});
