import { describe, expect, it } from '@jest/globals';
import { CircuitBreaker, MisuseError } from '../../lib/index.js';
import { gives, hangs, listenersOf, rejection, scene, throws, Upstream } from './support.js';

describe('a selector', () => {
  const broken = new RangeError('no such tenant');

  it.each(['signal', 'circuitBreaker'])(
    'of %s that throws rejects the call with its own error, and nothing runs',
    async (option) => {
      const upstream = new Upstream(gives(1));
      const standIn = new Upstream(gives(1));
      const { failure, reports, clock } = scene(upstream.call, {
        [option]: throws(broken),
        retries: 3,
        fallback: standIn.call,
      });
      expect(await failure()).toBe(broken);
      expect([upstream.calls.length, standIn.calls.length, clock.pendingTimers]).toEqual([0, 0, 0]);
      expect(
        reports.map(({ status, attempts, metadata }) => [status, attempts, metadata.failed_outside_attempt]),
      ).toEqual([['failed', [], true]]);
    },
  );

  it.each([
    ['signal', null],
    ['signal', {}],
    ['signal', Promise.resolve(undefined)],
    ['circuitBreaker', undefined],
    ['circuitBreaker', {}],
    ['circuitBreaker', Promise.resolve(new CircuitBreaker())],
  ])('of %s that finds %p instead is a misuse, and nothing runs', async (option, found) => {
    const upstream = new Upstream(gives(1));
    const error = await scene(upstream.call, { [option]: () => found, retries: 3 }).failure();
    expect(error).toBeInstanceOf(MisuseError);
    expect(error.message).toMatch(new RegExp(`^op: ${option} must find `));
    expect(upstream.calls).toEqual([]);
  });

  it('is asked once for each call, with its arguments, before the first attempt', async () => {
    const asked: unknown[][] = [];
    const circuitBreaker = new CircuitBreaker();
    const { failure } = scene(throws(new Error('no')), {
      signal: (...args: unknown[]) => void asked.push(['signal', ...args]),
      circuitBreaker: (...args: unknown[]) => (asked.push(['breaker', ...args]), circuitBreaker),
      retries: 2,
    });
    await failure('a', 1);
    expect(asked.filter(([what]) => what === 'signal')).toEqual([['signal', 'a', 1]]);
    expect(asked.filter(([what]) => what === 'breaker').every(([, ...args]) => String(args) === 'a,1')).toBe(
      true,
    );
    expect(circuitBreaker.snapshot().failureCount).toBe(3);
  });

  it('of signals may find another one for each call, and none', async () => {
    const controllers = [new AbortController(), new AbortController()] as const;
    const { run, clock } = scene(hangs, {
      signal: (index: 0 | 1 | 2) => controllers[index as 0 | 1]?.signal,
      timeout: 9,
    });
    const calls = ([0, 1, 2] as const).map((index) => rejection(run(index)));
    await clock.advance(1);
    expect(controllers.map(({ signal }) => listenersOf(signal))).toEqual([1, 1]);
    controllers[1].abort('second');
    expect(await calls[1]).toBe('second');
    controllers[0].abort('first');
    expect(await calls[0]).toBe('first');
    expect((await clock.settle(calls[2] as Promise<any>)).report.status).toBe('timed_out');
    expect(controllers.map(({ signal }) => listenersOf(signal))).toEqual([0, 0]);
  });
});
