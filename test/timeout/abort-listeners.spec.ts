import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { TimeoutPolicy } from '../../lib/index.js';
import { isAbortSignal, listenForAbort, stopListening } from '../../lib/attempt/abort-listeners.js';
import { abortableSleep } from '../../lib/attempt/solo-attempt.js';
import { FakeClock } from '../../lib/testing/index.js';
import { hang, watch } from '../support/watch.js';

function listeners(signal: AbortSignal): number {
  return getEventListeners(signal, 'abort').length;
}

describe('waiting for the abort of one signal', () => {
  // B001, B002, B004: a warning about listeners fails each test here.
  it('takes one listener for a thousand calls at once, and leaves none when they have ended', async () => {
    const clock = new FakeClock();
    const { signal } = new AbortController();
    const timeout = new TimeoutPolicy(1, { clock });
    const calls = Array.from({ length: 1_000 }, () => watch(timeout.runWith({ signal }, hang)));
    expect(listeners(signal)).toBe(1);
    await clock.advance('1s');
    expect(calls.every(({ state }) => state === 'rejected')).toBe(true);
    expect(listeners(signal)).toBe(0);
  });

  it('ends all of them when the signal aborts, with its reason, and leaves no listener and no timer', async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    const { signal } = controller;
    const timeout = new TimeoutPolicy(1, { clock });
    const calls = Array.from({ length: 100 }, (_, index) =>
      watch(index % 2 === 0 ? timeout.runWith({ signal }, hang) : abortableSleep(clock, 500, signal)),
    );
    controller.abort('shut down');
    await clock.advance(0);
    expect(new Set(calls.map(({ outcome }) => outcome))).toEqual(new Set(['shut down']));
    expect([listeners(signal), clock.pendingTimers]).toEqual([0, 0]);
  });

  it('takes a listener again after it had none', async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    const { signal } = controller;
    for (let round = 0; round < 3; round += 1) {
      const sleeping = abortableSleep(clock, 1_000, signal);
      expect(listeners(signal)).toBe(1);
      await clock.settle(sleeping);
      expect(listeners(signal)).toBe(0);
    }
    const call = watch(abortableSleep(clock, 1_000, signal));
    controller.abort('gone');
    await clock.advance(0);
    expect(call).toEqual({ state: 'rejected', outcome: 'gone' });
  });

  it('does not tell one that stopped listening, not even while the others are told', () => {
    const controller = new AbortController();
    const told: string[] = [];
    const second = { cancel: () => void told.push('second') };
    const first = { cancel: () => (told.push('first'), stopListening(controller.signal, second)) };
    const third = { cancel: () => void told.push('third') };
    for (const listener of [first, second, third]) listenForAbort(controller.signal, listener);
    stopListening(controller.signal, third);
    stopListening(controller.signal, third);
    controller.abort();
    expect(told).toEqual(['first']);
    stopListening(new AbortController().signal, first);
  });

  it('sleeps no time at all for zero, and not at all for an aborted signal', async () => {
    const clock = new FakeClock();
    const { signal } = new AbortController();
    await abortableSleep(clock, 0, signal);
    await expect(abortableSleep(clock, 0, AbortSignal.abort('gone'))).rejects.toBe('gone');
    expect([listeners(signal), clock.pendingTimers]).toEqual([0, 0]);
  });
});

describe('a signal', () => {
  it('is known by what it does, so that one of another realm serves', () => {
    expect(isAbortSignal(new AbortController().signal)).toBe(true);
    expect(isAbortSignal({ aborted: false, addEventListener: () => undefined })).toBe(true);
  });

  it.each([undefined, null, 5, 'signal', {}, new AbortController(), new EventTarget(), { aborted: true }])(
    'is not %p',
    (value) => {
      expect(isAbortSignal(value)).toBe(false);
    },
  );
});
