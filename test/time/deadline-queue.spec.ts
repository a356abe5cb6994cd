import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { TimeoutPolicy } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { DeadlineQueue, deadlineQueue } from '../../lib/time/deadline-queue.js';
import { hang, watch } from '../support/watch.js';
import { NamedDeadline } from './support.js';

/** A queue of deadlines of one second, and the names of those that expired. */
function oneSecondQueue() {
  const clock = new FakeClock();
  const queue = new DeadlineQueue(clock, 1_000);
  const expired: string[] = [];
  const add = (name: string, startMs = clock.monotonicMs(), then?: () => void): NamedDeadline => {
    const deadline = new NamedDeadline(name, expired, then);
    queue.add(deadline, startMs);
    return deadline;
  };
  return { clock, queue, expired, add };
}

describe('a queue of deadlines', () => {
  it('expires them in the order they began, each at its own time', async () => {
    const { clock, expired, add } = oneSecondQueue();
    add('a');
    await clock.advance('300ms');
    add('b');
    add('c');
    await clock.advance('699ms');
    expect(expired).toEqual([]);
    await clock.advance('1ms');
    expect(expired).toEqual(['a']);
    await clock.advance('300ms');
    expect(expired).toEqual(['a', 'b', 'c']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('puts one that comes later than its time where it belongs', async () => {
    const { clock, expired, add } = oneSecondQueue();
    await clock.advance('500ms');
    add('third', 500);
    add('first', 100);
    add('second', 300);
    add('fourth', 500);
    expect(clock.pendingTimers).toBe(1);
    await clock.advance('600ms');
    expect(expired).toEqual(['first']);
    await clock.advance('400ms');
    expect(expired).toEqual(['first', 'second', 'third', 'fourth']);
  });

  it('serves any number of them with one timer', async () => {
    const { clock, expired, add } = oneSecondQueue();
    const setTimer = jest.spyOn(clock, 'setTimer');
    for (let index = 0; index < 1_000; index += 1) add(String(index));
    expect(clock.pendingTimers).toBe(1);
    expect(setTimer).toHaveBeenCalledTimes(1);
    await clock.advance('1s');
    expect(expired).toHaveLength(1_000);
    expect(setTimer).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['head', 0],
    ['middle', 1],
    ['tail', 2],
  ])('lets one go from its %s, and tells the others', async (_place, index) => {
    const { clock, queue, expired, add } = oneSecondQueue();
    const deadlines = ['a', 'b', 'c'].map((name) => add(name));
    queue.remove(deadlines[index]!);
    queue.remove(deadlines[index]!);
    expect(deadlines[index]).toMatchObject({ queue: undefined, earlier: undefined, later: undefined });
    await clock.advance('2s');
    expect(expired).toEqual(['a', 'b', 'c'].filter((_, place) => place !== index));
  });

  it('does not touch the deadline of another queue', async () => {
    const { clock, queue, expired, add } = oneSecondQueue();
    add('mine');
    const other = new NamedDeadline('other', expired);
    new DeadlineQueue(clock, 2_000).add(other, 0);
    queue.remove(other);
    await clock.advance('2s');
    expect(expired).toEqual(['mine', 'other']);
  });

  it('leaves no timer on the clock when the last one is gone', () => {
    const { clock, queue, add } = oneSecondQueue();
    const [first, second] = [add('a'), add('b')];
    queue.remove(first);
    expect(clock.pendingTimers).toBe(1);
    queue.remove(second);
    expect(clock.pendingTimers).toBe(0);
  });

  it('takes one that is added or removed by another that expires', async () => {
    const { clock, queue, expired, add } = oneSecondQueue();
    add('a', 0, () => {
      queue.remove(removed);
      add('late', -500);
      add('next');
    });
    const removed = add('removed');
    await clock.advance('1s');
    expect(expired).toEqual(['a', 'late']);
    expect(clock.pendingTimers).toBe(1);
    await clock.advance('1s');
    expect(expired).toEqual(['a', 'late', 'next']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('expires exactly those that were not removed, in order, whatever happens when', async () => {
    const step = fc.record({ waitMs: fc.nat(400), behindMs: fc.nat(300), removed: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const { clock, queue, expired, add } = oneSecondQueue();
        const due: { name: string; dueMs: number }[] = [];
        for (const [index, { waitMs, behindMs, removed }] of steps.entries()) {
          await clock.advance(`${waitMs}ms`);
          const startMs = clock.monotonicMs() - behindMs;
          const deadline = add(String(index), startMs);
          if (removed) queue.remove(deadline);
          else due.push({ name: String(index), dueMs: startMs + 1_000 });
        }
        await clock.advance('2s');
        expect(expired).toEqual(due.sort((one, two) => one.dueMs - two.dueMs).map(({ name }) => name));
        expect(clock.pendingTimers).toBe(0);
      }),
      { numRuns: 40 },
    );
  });
});

describe('the queues of a clock', () => {
  it('are one for each length, and others for another clock', () => {
    const [clock, other] = [new FakeClock(), new FakeClock()];
    expect(deadlineQueue(clock, 5)).toBe(deadlineQueue(clock, 5));
    expect(deadlineQueue(clock, 6)).not.toBe(deadlineQueue(clock, 5));
    expect(deadlineQueue(other, 5)).not.toBe(deadlineQueue(clock, 5));
  });

  it('forget a length that nobody waits for any more, as there may be any number of lengths', async () => {
    const clock = new FakeClock();
    const [ended, expired] = [deadlineQueue(clock, 5), deadlineQueue(clock, 7)];
    const deadline = new NamedDeadline('ended', []);
    ended.add(deadline, 0);
    ended.remove(deadline);
    expired.add(new NamedDeadline('expired', []), 0);
    expect(deadlineQueue(clock, 5)).not.toBe(ended);
    expect(deadlineQueue(clock, 7)).toBe(expired);
    await clock.advance('7ms');
    expect(deadlineQueue(clock, 7)).not.toBe(expired);
  });

  it('still serve whoever kept a forgotten one', async () => {
    const { clock, queue, expired, add } = oneSecondQueue();
    queue.remove(add('a'));
    deadlineQueue(clock, 1_000).add(new NamedDeadline('new', expired), 0);
    add('kept');
    await clock.advance('1s');
    expect(expired.sort()).toEqual(['kept', 'new']);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('the async context of calls under one timer', () => {
  it('is not that of the call that set the timer', async () => {
    const clock = new FakeClock();
    const user = new AsyncLocalStorage<string>();
    const timeout = new TimeoutPolicy(1, { clock });
    const seen: unknown[] = [];
    const call = (name: string): Promise<unknown> =>
      user.run(name, () => timeout.run(hang).catch(() => seen.push([name, user.getStore()])));
    const calls = [call('ann'), call('bob'), call('cem')];
    await clock.settle(Promise.all(calls));
    expect(seen).toEqual([
      ['ann', 'ann'],
      ['bob', 'bob'],
      ['cem', 'cem'],
    ]);
  });

  it('is not kept by the timer, which may outlive that call', async () => {
    const clock = new FakeClock();
    const user = new AsyncLocalStorage<string>();
    const stores: (string | undefined)[] = [];
    const setTimer = clock.setTimer.bind(clock);
    jest.spyOn(clock, 'setTimer').mockImplementation((callback, delayMs) => {
      stores.push(user.getStore());
      return setTimer(callback, delayMs);
    });
    const call = watch(user.run('ann', () => new TimeoutPolicy(1, { clock }).run(hang)));
    await clock.advance('1s');
    expect(call.state).toBe('rejected');
    expect(stores).toEqual([undefined]);
  });
});
