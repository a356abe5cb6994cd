import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { OperationTimeoutError, TimeoutPolicy } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { DeadlineQueue, type Deadline } from '../../lib/time/deadline-queue.js';
import { stallOf, stallToleranceMs } from '../../lib/time/event-loop-stall.js';
import { hangs, rejection } from '../operation/support.js';

class Noting implements Deadline {
  dueMs = 0;
  queue: DeadlineQueue | undefined;
  earlier: Deadline | undefined;
  later: Deadline | undefined;
  readonly stalls: number[] = [];

  expire(stallMs: number): void {
    this.stalls.push(stallMs);
  }
}

const set = (clock: FakeClock, lengthMs: number, ...startsMs: number[]) => {
  const queue = new DeadlineQueue(clock, lengthMs);
  return startsMs.map((startMs) => {
    const deadline = new Noting();
    queue.add(deadline, startMs);
    return deadline;
  });
};

describe('a timer that fires late', () => {
  it.each([
    [100, 19, 0],
    [100, 20, 20],
    [1_000, 99, 0],
    [1_000, 100, 100],
    [1_000, 399, 399],
  ])('of a limit of %d ms by %d ms is a stall of %d ms', (lengthMs, lateMs, stallMs) => {
    expect(stallOf(lateMs, lengthMs)).toBe(stallMs);
    expect(stallToleranceMs(lengthMs)).toBe(lengthMs === 100 ? 20 : 100);
  });

  it('tells each deadline of its queue how long the loop was blocked', async () => {
    const clock = new FakeClock();
    const [first, second] = set(clock, 100, 0, 60);
    await clock.advance(0.06);
    clock.stall(0.4);
    await clock.advance(0);
    // Due at 100 and at 160 ms; the one timer of both fired at 460 ms.
    expect(first?.stalls).toEqual([360]);
    expect(second?.stalls).toEqual([360]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('tells one that began while the loop was blocked of no more than its own time', async () => {
    const clock = new FakeClock();
    const queue = new DeadlineQueue(clock, 100);
    const [before, within] = [new Noting(), new Noting()];
    queue.add(before, 0);
    clock.stall(0.35);
    queue.add(within, clock.monotonicMs());
    clock.stall(0.1);
    await clock.advance(0);
    expect([before.stalls, within.stalls]).toEqual([[350], [100]]);
  });

  it('says nothing of those that are not due yet', async () => {
    const clock = new FakeClock();
    const [first, later] = set(clock, 100, 0, 90);
    clock.stall(0.15);
    await clock.advance(0);
    expect([first?.stalls, later?.stalls]).toEqual([[50], []]);
    await clock.advance(0.04);
    expect(later?.stalls).toEqual([0]);
  });
});

describe('time that a test lets pass', () => {
  it('is no stall, however many timers fall due in it', async () => {
    const clock = new FakeClock();
    const deadlines = [100, 200, 400].flatMap((lengthMs) => set(clock, lengthMs, 0));
    await clock.advance('1h');
    expect(deadlines.map(({ stalls }) => stalls)).toEqual([[0], [0], [0]]);
  });

  it('is one where the test says so', async () => {
    const clock = new FakeClock();
    const order: string[] = [];
    clock.setTimer(() => order.push(`second at ${clock.monotonicMs()}`), 200);
    clock.setTimer(() => order.push(`first at ${clock.monotonicMs()}`), 100);
    clock.setTimer(() => order.push(`third at ${clock.monotonicMs()}`), 410);
    clock.stall('400ms');
    expect([clock.monotonicMs(), order]).toEqual([400, []]);
    await clock.advance('10ms');
    expect(order).toEqual(['first at 400', 'second at 400', 'third at 410']);
    expect(() => clock.stall(-1)).toThrow('duration is the number -1');
  });

  describe('under fake timers', () => {
    afterEach(() => void jest.useRealTimers());

    it('is none', async () => {
      jest.useFakeTimers();
      const failing = rejection<OperationTimeoutError>(new TimeoutPolicy(0.1).run(hangs));
      await jest.advanceTimersByTimeAsync(5_000);
      expect((await failing).localStall).toBe(0);
    });
  });
});

describe('a timeout policy alone', () => {
  it('says in its error how long the loop was blocked', async () => {
    const clock = new FakeClock();
    const policy = new TimeoutPolicy(0.1, { clock });
    const late = rejection<OperationTimeoutError>(policy.run(hangs));
    clock.stall(0.4);
    await clock.advance(0);
    expect((await late).localStall).toBe(0.3);
    const onTime = await clock.settle(rejection<OperationTimeoutError>(policy.run(hangs)));
    expect(onTime.localStall).toBe(0);
    expect(Object.keys(onTime)).toEqual(['timeoutSeconds', 'scope', 'outcomeUnknown']);
  });
});
