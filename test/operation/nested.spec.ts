import { describe, expect, it } from '@jest/globals';
import {
  attemptSignal,
  currentAttempt,
  OperationTimeoutError,
  reportOf,
  type OperationExecutionError,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import {
  after,
  everySeconds,
  gives,
  hangs,
  listenersOf,
  rejection,
  rejects,
  scene,
  story,
  Upstream,
} from './support.js';

const failing = rejects(new Error('no'));
const often = { retries: 100, backoff: everySeconds(1) };

describe('an operation that is started inside an attempt of another', () => {
  it('ends with it: an outer one that times out leaves no inner retries running', async () => {
    const clock = new FakeClock();
    const upstream = new Upstream(failing);
    const inner = scene(upstream.call, { name: 'inner', ...often }, clock);
    const outer = scene(() => inner.run(), { name: 'outer', timeout: '3500ms' }, clock);
    const error = await outer.failure();
    expect(error.cause).toBeInstanceOf(OperationTimeoutError);
    expect(upstream.calls).toHaveLength(4);
    expect(clock.pendingTimers).toBe(0);
    await clock.advance('1h');
    expect(upstream.calls).toHaveLength(4);
    expect(inner.reports.map(({ status, durationSeconds }) => [status, durationSeconds])).toEqual([
      ['cancelled', 3.5],
    ]);
    expect(outer.reports.map(({ status }) => status)).toEqual(['timed_out']);
    expect(story(inner.sink).endsWith('AF retry.scheduled')).toBe(true);
  });

  it('sees the reason of the outer one on its own signal, through any number of layers', async () => {
    const clock = new FakeClock();
    let signal: AbortSignal | undefined;
    const innermost = scene(() => ((signal = attemptSignal()), hangs()), { events: undefined }, clock);
    const middle = scene(() => innermost.run(), { events: undefined }, clock);
    const outer = scene(() => middle.run(), { timeout: 2 }, clock);
    const error = await outer.failure();
    expect(signal?.reason).toBe(error.cause);
    expect([innermost, middle].flatMap(({ reports }) => reports.map((report) => report.status))).toEqual([
      'cancelled',
      'cancelled',
    ]);
  });

  it('is started anew by the next attempt of the outer one, whose end is another', async () => {
    const clock = new FakeClock();
    const upstream = new Upstream(hangs, after(clock, 1.5, gives('second')));
    const inner = scene(upstream.call, { name: 'inner' }, clock);
    const outer = scene(() => inner.run(), { timeout: 2, retries: 1, backoff: everySeconds(0) }, clock);
    const { value } = await outer.result();
    expect(value.value).toBe('second');
    expect(inner.reports.map((report) => report.status)).toEqual(['cancelled', 'succeeded']);
  });

  it('ends with the caller of the outer one, also in a fallback', async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    const upstream = new Upstream(failing);
    const inner = scene(upstream.call, { name: 'inner', ...often }, clock);
    const outer = scene(failing, { fallback: () => inner.run(), signal: controller.signal }, clock);
    const promise = outer.run();
    await clock.advance('1500ms');
    controller.abort('gone');
    expect(await rejection(promise)).toBe('gone');
    await clock.advance('1h');
    expect(upstream.calls).toHaveLength(2);
    expect(inner.reports.map((report) => report.status)).toEqual(['cancelled']);
    expect([clock.pendingTimers, listenersOf(controller.signal)]).toEqual([0, 0]);
  });

  it('that outlives a success of the outer one goes on unaffected', async () => {
    // B157
    const clock = new FakeClock();
    const controller = new AbortController();
    const numbers: unknown[] = [];
    const upstream = new Upstream(failing, failing, gives('inner'));
    const signals: (AbortSignal | undefined)[] = [];
    const inner = scene(
      () => {
        numbers.push(currentAttempt().number);
        signals.push(attemptSignal());
        return upstream.call();
      },
      { name: 'inner', ...often },
      clock,
    );
    let started: Promise<{ value: unknown }> | undefined;
    const outer = scene(
      () => void (started = inner.run()),
      { timeout: '500ms', signal: controller.signal },
      clock,
    );
    await outer.result();
    controller.abort('too late');
    expect((await clock.settle(started as Promise<{ value: unknown }>)).value).toBe('inner');
    expect(numbers).toEqual([1, 2, 3]);
    expect(signals.map((signal) => signal?.aborted)).toEqual([false, false, false]);
    expect(inner.reports.map(({ status, attemptCount }) => [status, attemptCount])).toEqual([
      ['succeeded', 3],
    ]);
  });

  it('that outlives a failed attempt of the outer one is not ended by a later timeout', async () => {
    const clock = new FakeClock();
    const inner = scene(after(clock, 5, gives('inner')), { name: 'inner' }, clock);
    let started: Promise<{ value: unknown }> | undefined;
    const primary = new Upstream(() => {
      started = inner.run();
      throw new Error('no');
    }, hangs);
    await scene(primary.call, { timeout: 1, retries: 1, backoff: everySeconds(1) }, clock).failure();
    expect((await clock.settle(started as Promise<{ value: unknown }>)).value).toBe('inner');
  });

  it('is on its own when it is started after an await', async () => {
    const clock = new FakeClock();
    const inner = scene(after(clock, 5, gives('inner')), { name: 'inner' }, clock);
    const outer = scene(async () => (await Promise.resolve(), await inner.run()), { timeout: 1 }, clock);
    await outer.failure();
    await clock.advance('1m');
    expect(inner.reports.map((report) => report.status)).toEqual(['succeeded']);
  });

  it('is not called at all when the outer attempt has been ended already', async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    const upstream = new Upstream(gives(1));
    const inner = scene(upstream.call, { name: 'inner' }, clock);
    const abortFirst = () => {
      controller.abort('gone');
      return inner.run();
    };
    const outer = scene(abortFirst, { signal: controller.signal }, clock);
    expect(await rejection(outer.run())).toBe('gone');
    await clock.advance(0);
    expect(upstream.calls).toHaveLength(0);
    expect(inner.reports.map((report) => report.status)).toEqual(['cancelled']);
  });

  it('keeps its own report on its error, whichever operations that passes through', async () => {
    const clock = new FakeClock();
    const inner = scene(failing, { name: 'inner' }, clock);
    const outer = scene(() => inner.run(), { name: 'outer' }, clock);
    const error = await outer.failure();
    const cause = error.cause as OperationExecutionError;
    expect([error.report, cause.report]).toEqual([outer.reports[0], inner.reports[0]]);
    expect(cause.report).toBe(inner.reports[0]);
    expect(reportOf(cause)).toBe(error.report);
  });
});
