import { describe, expect, it, jest } from '@jest/globals';
import { TimeoutPolicy } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { hang, watch } from '../support/watch.js';
import { tenSeconds } from './support.js';

describe('the time of a timeout', () => {
  it('does not cut a function short that blocked beyond its deadline and then gave its value', async () => {
    const { clock, timeout } = tenSeconds();
    const call = timeout.run(() => {
      const nowMs = clock.monotonicMs();
      jest.spyOn(clock, 'monotonicMs').mockReturnValue(nowMs + 20_000);
      return Promise.resolve('late but there');
    });
    expect(await call).toBe('late but there');
    expect(clock.pendingTimers).toBe(0);
  });

  // B109
  it('is not moved by a wall clock that jumps', async () => {
    const { clock, timeout } = tenSeconds();
    const call = watch(timeout.run(hang));
    await clock.advance('5s');
    clock.stepWall('1h');
    await clock.advance('4s');
    clock.stepWall('3h', 'back');
    await clock.advance('999ms');
    expect(call.state).toBe('pending');
    await clock.advance('1ms');
    expect(call.state).toBe('rejected');
  });

  // B009, B042
  it('keeps no timer for calls that ended, whatever the number in flight', async () => {
    const clock = new FakeClock();
    const timeout = new TimeoutPolicy('300h', { clock });
    for (let call = 0; call < 2_000; call += 1) await timeout.run(() => call);
    expect(clock.pendingTimers).toBe(0);
    const hanging = Array.from({ length: 1_000 }, () => watch(timeout.run(hang)));
    expect(clock.pendingTimers).toBe(1);
    await clock.advance('300h');
    expect(new Set(hanging.map(({ state }) => state))).toEqual(new Set(['rejected']));
    expect(clock.pendingTimers).toBe(0);
  });
});
