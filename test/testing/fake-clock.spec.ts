import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { ConfigurationError, TimeoutPolicy } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { sleep } from '../../lib/time/clock.js';
import { deferred } from '../support/deferred.js';
import { mistakeOf } from '../support/mistake-of.js';
import { hang, watch } from '../support/watch.js';

afterEach(() => void jest.useRealTimers());

describe('a fake clock', () => {
  it('stands still until it is told to move', async () => {
    const clock = new FakeClock();
    const before = [clock.monotonicMs(), clock.wallMs()];
    await new Promise(setImmediate);
    expect([clock.monotonicMs(), clock.wallMs()]).toEqual(before);
    expect(before).toEqual([0, Date.parse('2026-01-01T00:00:00Z')]);
  });

  it('starts its wall clock where it is told to', async () => {
    const startAt = new Date('2030-05-06T07:08:09Z');
    const clock = new FakeClock({ startAt });
    await clock.advance('1m');
    expect(clock.wallMs()).toBe(startAt.getTime() + 60_000);
    expect(mistakeOf(() => new FakeClock({ startAt: new Date(NaN) }))).toMatchObject({
      option: 'startAt',
      cure: 'give a valid Date',
    });
  });

  it('refuses a misspelt option', () => {
    const misspelt = { starAt: new Date(0) } as object;
    expect(mistakeOf(() => new FakeClock(misspelt))).toMatchObject({
      option: 'starAt',
      cure: 'did you mean startAt?',
    });
  });

  it('steps its wall clock alone, forward and back', async () => {
    const clock = new FakeClock();
    const [startMs, fired] = [clock.wallMs(), jest.fn()];
    clock.setTimer(fired, 1_000);
    clock.stepWall('2h');
    expect(clock.wallMs() - startMs).toBe(7_200_000);
    clock.stepWall('3h', 'back');
    expect(clock.wallMs() - startMs).toBe(-3_600_000);
    expect(clock.monotonicMs()).toBe(0);
    expect(fired).not.toHaveBeenCalled();
    await clock.advance('1s');
    expect(fired).toHaveBeenCalledTimes(1);
    expect(clock.wallMs() - startMs).toBe(-3_600_000 + 1_000);
    expect(() => clock.stepWall('-1h')).toThrow(ConfigurationError);
  });

  it('works under fake timers of the test, too', async () => {
    jest.useFakeTimers();
    const clock = new FakeClock();
    expect(await clock.settle(sleep(clock, 5_000).then(() => clock.monotonicMs()))).toBe(5_000);
  });
});

describe('advancing a fake clock', () => {
  it('runs what falls due, in order, each at its own time, and nothing more', async () => {
    const clock = new FakeClock();
    const seen: [string, number][] = [];
    const note = (name: string) => () => void seen.push([name, clock.monotonicMs()]);
    clock.setTimer(note('c'), 2_000);
    clock.setTimer(note('a'), 500);
    clock.setTimer(note('d'), 2_000);
    clock.setTimer(note('b'), 1_000);
    clock.setTimer(note('late'), 2_001);
    await clock.advance('2s');
    expect(seen).toEqual([
      ['a', 500],
      ['b', 1_000],
      ['c', 2_000],
      ['d', 2_000],
    ]);
    expect([clock.monotonicMs(), clock.pendingTimers]).toEqual([2_000, 1]);
  });

  it('lets everything run that a timer wakes, also when that sets new timers on the way', async () => {
    const clock = new FakeClock();
    const seen: number[] = [];
    const work = async (): Promise<void> => {
      for (let round = 0; round < 3; round += 1) {
        await sleep(clock, 400);
        for (let hop = 0; hop < 10; hop += 1) await Promise.resolve();
        seen.push(clock.monotonicMs());
      }
    };
    void work();
    await clock.advance('1s');
    expect(seen).toEqual([400, 800]);
    await clock.advance('1s');
    expect(seen).toEqual([400, 800, 1_200]);
  });

  it('by zero lets run what is due now', async () => {
    const clock = new FakeClock();
    const fired = jest.fn();
    clock.setTimer(fired, 0);
    clock.setTimer(fired, -5);
    await clock.advance(0);
    expect(fired).toHaveBeenCalledTimes(2);
    expect(clock.monotonicMs()).toBe(0);
  });

  it.each([-1, NaN, Infinity, '5 sec', '', true, undefined])('refuses a step of %p', async (step) => {
    const clock = new FakeClock();
    await expect(clock.advance(step as number)).rejects.toMatchObject({
      name: 'ConfigurationError',
      option: 'duration',
    });
    expect(clock.monotonicMs()).toBe(0);
  });

  it('does not run a timer that was taken back, not even by one that is due with it', async () => {
    const clock = new FakeClock();
    const fired = jest.fn();
    clock.setTimer(() => timer.cancel(), 1_000);
    const timer = clock.setTimer(fired, 1_000);
    clock.setTimer(fired, 5_000).cancel();
    await clock.advance('10s');
    expect(fired).not.toHaveBeenCalled();
    expect(clock.pendingTimers).toBe(0);
  });

  it('never moves time back, also when two steps overlap', async () => {
    const clock = new FakeClock();
    const readings: number[] = [];
    for (let index = 1; index <= 10; index += 1)
      clock.setTimer(() => readings.push(clock.monotonicMs()), index * 1_000);
    await Promise.all([clock.advance('10s'), clock.advance('1s'), clock.advance('5s')]);
    expect(readings).toEqual([...readings].sort((one, two) => one - two));
    expect([readings.length, clock.monotonicMs()]).toEqual([10, 10_000]);
    await Promise.all([clock.advance('10s'), clock.advance('1s')]);
    expect(clock.monotonicMs()).toBe(20_000);
  });

  it('gives up on something that sets timers for ever', async () => {
    const clock = new FakeClock();
    const again = (): void => void clock.setTimer(again, 0);
    again();
    await expect(clock.advance('1s')).rejects.toThrow(
      'more than 100000 timers fired within 1s; does something set one for ever?',
    );
  }, 30_000);

  it('fires any set of timers in the order of their times, then of their making', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(50), { maxLength: 20 }), async (delays) => {
        const clock = new FakeClock();
        const seen: number[] = [];
        delays.forEach((delayMs, index) => clock.setTimer(() => seen.push(index), delayMs));
        await clock.advance('50ms');
        const order = delays
          .map((delayMs, index) => ({ delayMs, index }))
          .sort((one, two) => one.delayMs - two.delayMs);
        expect(seen).toEqual(order.map(({ index }) => index));
        expect(clock.pendingTimers).toBe(0);
      }),
      { numRuns: 30 },
    );
  });
});

describe('settling a promise on a fake clock', () => {
  it('lets just as much time pass as it takes, and gives the value', async () => {
    const clock = new FakeClock();
    clock.setTimer(() => undefined, 60_000);
    const work = sleep(clock, 1_000)
      .then(() => sleep(clock, 500))
      .then(() => 'value');
    expect(await clock.settle(work)).toBe('value');
    expect([clock.monotonicMs(), clock.pendingTimers]).toEqual([1_500, 1]);
  });

  it('gives the failure, which is handled from the start', async () => {
    const clock = new FakeClock();
    const error = new Error('on the way');
    await expect(clock.settle(Promise.reject(error))).rejects.toBe(error);
    const fails = sleep(clock, 1_000).then(() => Promise.reject(error));
    await expect(clock.settle(fails)).rejects.toBe(error);
  });

  it('lets no time pass for what settles by itself, and takes foreign thenables', async () => {
    const clock = new FakeClock();
    clock.setTimer(() => undefined, 1_000);
    expect(await clock.settle(Promise.resolve(1))).toBe(1);
    expect(await clock.settle({ then: (resolve) => resolve?.(2) } as PromiseLike<number>)).toBe(2);
    expect(clock.monotonicMs()).toBe(0);
  });

  it('says so when nothing is left to wait for', async () => {
    const clock = new FakeClock();
    await expect(clock.settle(hang())).rejects.toThrow(
      'the promise has not settled, and no timer is left to wait for',
    );
    const timeout = new TimeoutPolicy(1, { clock });
    expect(watch(timeout.run(hang)).state).toBe('pending');
    await expect(clock.settle(hang())).rejects.toThrow('no timer is left');
    expect(clock.monotonicMs()).toBe(1_000);
  });

  it('gives up on something that sets timers for ever', async () => {
    const clock = new FakeClock();
    const again = (): void => void clock.setTimer(again, 1);
    again();
    await expect(clock.settle(hang())).rejects.toThrow('the promise has not settled after 100000 timers');
  }, 30_000);

  it('waits for loopback I/O without counting it as stuck', async () => {
    const server = createServer((_request, response) => response.end('pong')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const ping = fetch(url, { headers: { connection: 'close' } }).then((response) => response.text());
    expect(await new FakeClock().settle(ping)).toBe('pong');
    server.close();
  });

  it('lets loopback I/O end before a timeout passes, and no time pass for it', async () => {
    const server = createServer((_request, response) => response.end('pong')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const clock = new FakeClock();
    const timeout = new TimeoutPolicy(1, { clock });
    const ping = async (): Promise<string> => {
      const response = await fetch(url, { headers: { connection: 'close' } });
      return response.text();
    };
    expect(await clock.settle(timeout.run(ping))).toBe('pong');
    expect([clock.monotonicMs(), clock.pendingTimers]).toEqual([0, 0]);
    await expect(clock.settle(timeout.run(hang))).rejects.toMatchObject({ code: 'RELPRIM_TIMEOUT' });
    expect(clock.monotonicMs()).toBe(1_000);
    server.close();
  });

  it('waits for work in other threads without counting it as stuck', async () => {
    const files = Array.from({ length: 20 }, () => readFile(import.meta.filename, 'utf8'));
    for (const file of files) expect(await new FakeClock().settle(file)).toContain('in other threads');
  });

  it('of several at once serves each', async () => {
    const clock = new FakeClock();
    const gate = deferred<string>();
    const [first, second] = [
      sleep(clock, 1_000).then(() => gate.promise),
      sleep(clock, 2_000).then(() => gate.resolve('open')),
    ];
    expect(await Promise.all([clock.settle(first), clock.settle(second)])).toEqual(['open', undefined]);
    expect(clock.monotonicMs()).toBe(2_000);
  });
});
