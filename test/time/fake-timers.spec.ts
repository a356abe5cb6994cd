import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  ExponentialBackoff,
  OperationTimeoutError,
  resilient,
  RetryPolicy,
  SystemClock,
  TimeoutPolicy,
} from '../../lib/index.js';
import { hang, watch } from '../support/watch.js';
import { realMilliseconds } from './support.js';

// B159: the library was imported above, with the platform's timers.

afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

const everyKind: [string, Parameters<typeof jest.useFakeTimers>[0]][] = [
  ['modern', {}],
  [
    'modern, with the clocks left real',
    { doNotFake: ['performance', 'Date', 'hrtime', 'nextTick', 'queueMicrotask'] },
  ],
  ['legacy', { legacyFakeTimers: true }],
];

/** The call a user makes: two failures, two waits. */
function retryTwice(): { outcome: Promise<string>; calls: () => number } {
  const backoff = new ExponentialBackoff({ baseDelay: 0.1, multiplier: 2, jitter: false });
  let calls = 0;
  const outcome = new RetryPolicy({ maxAttempts: 4, backoff }).run(async () => {
    calls += 1;
    if (calls < 4) throw new Error('not yet');
    return 'done';
  });
  return { outcome, calls: () => calls };
}

async function pass(ms: number): Promise<void> {
  await realMilliseconds(0);
  for (let passed = 0; passed < ms; passed += 50) {
    jest.advanceTimersByTime(50);
    await realMilliseconds(0); // whatever kind of timers is faked, this turn of the event loop is real
  }
}

describe.each(everyKind)("a test's fake timers (%s)", (_kind, options) => {
  beforeEach(() => void jest.useFakeTimers(options));

  it('drive the waits between tries', async () => {
    const { outcome, calls } = retryTwice();
    const call = watch(outcome);
    await pass(650);
    expect(call.state).toBe('pending');
    expect(calls()).toBe(3);
    await pass(50);
    expect(call).toEqual({ state: 'fulfilled', outcome: 'done' });
    expect(jest.getTimerCount()).toBe(0);
  });

  it('drive an operation: its timeouts and its waits', async () => {
    const backoff = new ExponentialBackoff({ baseDelay: 1, jitter: false });
    const retry = new RetryPolicy({ maxAttempts: 2, backoff });
    const call = watch(resilient({ name: 'charge', retry, timeout: '2s' }, hang)());
    await pass(4_950);
    expect(call.state).toBe('pending');
    await pass(50);
    expect(call.outcome).toMatchObject({ report: { attemptCount: 2, status: 'timed_out' } });
    expect(jest.getTimerCount()).toBe(0);
  });

  it('drive a timeout', async () => {
    const call = watch(new TimeoutPolicy('10s').run(hang));
    await pass(9_950);
    expect(call.state).toBe('pending');
    await pass(50);
    expect(call.outcome).toBeInstanceOf(OperationTimeoutError);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('find no timer left after a call that ended in time', async () => {
    expect(await new TimeoutPolicy('10s').run(async () => 'in time')).toBe('in time');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('give calls that began at different times each its full timeout', async () => {
    const timeout = new TimeoutPolicy('5s');
    const first = watch(timeout.run(hang));
    const together = watch(timeout.run(hang));
    await pass(1_000);
    const second = watch(timeout.run(hang));
    await pass(4_000);
    expect([first.state, together.state, second.state]).toEqual(['rejected', 'rejected', 'pending']);
    await pass(950);
    expect(second.state).toBe('pending');
    await pass(50);
    expect(second.state).toBe('rejected');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('are not cut short by the idle timer of a call that ended before them', async () => {
    jest.useRealTimers();
    const timeout = new TimeoutPolicy('31ms');
    await timeout.run(async () => 'the timer of this call idles');
    jest.useFakeTimers(options);
    const call = watch(timeout.run(hang));
    await realMilliseconds(60);
    expect(call.state).toBe('pending');
    await pass(50);
    expect(call.state).toBe('rejected');
  });

  it('leave no deadline dead behind them', async () => {
    const timeout = new TimeoutPolicy('23ms');
    watch(timeout.run(hang)); // a test ends while this call still waits
    jest.useRealTimers();
    await expect(timeout.run(hang)).rejects.toBeInstanceOf(OperationTimeoutError);
  });

  it('may be cleared without killing the deadlines of later calls', async () => {
    const timeout = new TimeoutPolicy('5s');
    watch(timeout.run(hang));
    jest.clearAllTimers();
    const call = watch(timeout.run(hang));
    await pass(4_900);
    expect(call.state).toBe('pending');
    await pass(100);
    expect(call.outcome).toBeInstanceOf(OperationTimeoutError);
  });
});

describe('fake timers that come and go', () => {
  it('are obeyed by each call of one length, in any order', async () => {
    const timeout = new TimeoutPolicy('40ms');
    for (let round = 0; round < 3; round += 1) {
      jest.useFakeTimers();
      const faked = watch(timeout.run(hang));
      await jest.advanceTimersByTimeAsync(39);
      expect(faked.state).toBe('pending');
      await jest.advanceTimersByTimeAsync(1);
      expect(faked.state).toBe('rejected');
      jest.useRealTimers();
      await expect(timeout.run(hang)).rejects.toBeInstanceOf(OperationTimeoutError);
      await timeout.run(async () => 'leaves an idle timer to the next round');
    }
  });

  it('take over what waits behind a call that began before them', async () => {
    const timeout = new TimeoutPolicy('20ms');
    const first = watch(timeout.run(hang));
    await realMilliseconds(8);
    const second = watch(timeout.run(hang));
    jest.useFakeTimers();
    await realMilliseconds(60);
    expect([first.state, second.state]).toEqual(['rejected', 'pending']);
    await jest.advanceTimersByTimeAsync(20);
    expect(second.state).toBe('rejected');
    jest.useRealTimers();
    await expect(timeout.run(hang)).rejects.toBeInstanceOf(OperationTimeoutError);
  });

  it('are obeyed by a clock of the machine that was made by hand', async () => {
    const timeout = new TimeoutPolicy('17ms', { clock: new SystemClock() });
    await timeout.run(async () => 'leaves an idle timer');
    jest.useFakeTimers();
    const call = watch(timeout.run(hang));
    await jest.advanceTimersByTimeAsync(17);
    expect(call.outcome).toBeInstanceOf(OperationTimeoutError);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('move the wall clock of what is noted', () => {
    jest.useFakeTimers({ now: new Date('2030-05-06T07:08:09Z') });
    expect(new SystemClock().wallMs()).toBe(Date.parse('2030-05-06T07:08:09Z'));
    jest.setSystemTime(0);
    expect(new SystemClock().wallMs()).toBe(0);
  });
});
