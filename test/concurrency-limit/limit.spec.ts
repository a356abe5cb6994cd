import { describe, expect, it } from '@jest/globals';
import { ConcurrencyLimit, ConcurrencyLimitError, currentAttempt } from '../../lib/index.js';
import { listenersOf, rejection } from '../operation/support.js';
import { begin, limitOf, settledNow, turn } from './support.js';

describe('a concurrency limit', () => {
  it('lets so many run at once, and refuses the next one at once', async () => {
    const { limit } = limitOf({ maxConcurrent: 2 });
    const began: string[] = [];
    const [a, b] = [begin(limit, 'a', began), begin(limit, 'b', began)];
    const c = begin(limit, 'c', began);
    const error = await settledNow(c.outcome);
    expect(error).toBeInstanceOf(ConcurrencyLimitError);
    expect(error).toMatchObject({
      code: 'RELPRIM_CONCURRENCY_LIMIT',
      limitName: 'pool',
      reason: 'queue_full',
      maxConcurrent: 2,
      waiting: 0,
      message: "concurrency limit 'pool' is full: 2 running, 0 waiting",
    });
    expect(began).toEqual(['a', 'b']);
    a.end();
    b.end();
    expect(await Promise.all([a.outcome, b.outcome])).toEqual(['a', 'b']);
    expect(limit.snapshot()).toEqual({
      name: 'pool',
      maxConcurrent: 2,
      running: 0,
      waiting: 0,
      queueSize: 0,
      maxWaitSeconds: null,
      refused: 1,
    });
  });

  it('gives the value of the function and passes its arguments', async () => {
    const { limit } = limitOf();
    expect(await limit.run((a: number, b: number) => a + b, 1, 2)).toBe(3);
    expect(await limit.run(async (text: string) => text, 'a')).toBe('a');
  });

  it.each([
    ['throws', () => throwing()],
    ['rejects', () => Promise.reject(new RangeError('broken'))],
  ])('frees the place of a function that %s', async (_, fn) => {
    const { limit } = limitOf();
    expect(await rejection(limit.run(fn))).toEqual(new RangeError('broken'));
    expect(limit.snapshot().running).toBe(0);
    expect(await limit.run(() => 'up')).toBe('up');
  });

  it('lets those who wait in one by one, first in first out', async () => {
    const { limit, clock } = limitOf({ queue: { size: 3 } });
    const began: string[] = [];
    const calls = ['a', 'b', 'c', 'd', 'e'].map((name) => begin(limit, name, began));
    await turn();
    expect(limit.snapshot()).toMatchObject({ running: 1, waiting: 3, refused: 1 });
    expect(clock.pendingTimers).toBe(0);
    for (const call of calls) {
      call.end();
      await turn();
      expect(limit.snapshot().running).toBeLessThanOrEqual(1);
    }
    expect(began).toEqual(['a', 'b', 'c', 'd']);
    expect(await calls[4]?.outcome).toBeInstanceOf(ConcurrencyLimitError);
    expect(limit.snapshot()).toMatchObject({ running: 0, waiting: 0 });
  });

  it('lets nobody overtake who waits', async () => {
    const { limit } = limitOf({ queue: { size: 5 } });
    const began: string[] = [];
    const a = begin(limit, 'a', began);
    begin(limit, 'b', began).end();
    a.end();
    await a.outcome;
    begin(limit, 'c', began).end();
    await turn();
    expect(began).toEqual(['a', 'b', 'c']);
  });

  it('lets an aborted waiter go at once, who never takes a place, and the next one starts at once [B027]', async () => {
    const { limit } = limitOf({ queue: { size: 5 } });
    const began: string[] = [];
    const abort = new AbortController();
    const a = begin(limit, 'a', began);
    const b = begin(limit, 'b', began, abort.signal);
    const c = begin(limit, 'c', began);
    await turn();
    const reason = new Error('gone');
    abort.abort(reason);
    expect(await settledNow(b.outcome)).toBe(reason);
    expect(limit.snapshot().waiting).toBe(1);
    a.end();
    await turn();
    expect(began).toEqual(['a', 'c']);
    c.end();
    await turn();
    expect(limit.snapshot()).toMatchObject({ running: 0, waiting: 0 });
    expect(listenersOf(abort.signal)).toBe(0);
  });

  it('passes the place on that came at the very moment of an abort', async () => {
    const { limit } = limitOf({ queue: { size: 5 } });
    const began: string[] = [];
    const abort = new AbortController();
    const a = begin(limit, 'a', began);
    const b = begin(limit, 'b', began, abort.signal);
    const c = begin(limit, 'c', began);
    a.end();
    await a.outcome;
    abort.abort();
    await turn();
    expect(began.filter((name) => name !== 'b')).toEqual(['a', 'c']);
    c.end();
    b.end();
    await turn();
    expect(limit.snapshot()).toMatchObject({ running: 0, waiting: 0 });
  });

  it('frees the place of a caller who goes away while it runs', async () => {
    const { limit } = limitOf();
    const began: string[] = [];
    const abort = new AbortController();
    const a = begin(limit, 'a', began, abort.signal);
    await turn();
    abort.abort();
    expect(await settledNow(a.outcome)).toBe(abort.signal.reason);
    expect(limit.snapshot().running).toBe(0);
    expect(listenersOf(abort.signal)).toBe(0);
    a.end();
    await turn();
    expect(limit.snapshot().running).toBe(0);
  });

  it('calls nothing for a caller who has gone away already', async () => {
    const { limit } = limitOf();
    const began: string[] = [];
    expect(await begin(limit, 'a', began, AbortSignal.abort('gone')).outcome).toBe('gone');
    expect(began).toEqual([]);
    expect(limit.snapshot().running).toBe(0);
  });

  it('refuses who has waited too long, with one timer for all', async () => {
    const { limit, clock } = limitOf({ queue: { size: 5, maxWait: '2s' } });
    const began: string[] = [];
    const a = begin(limit, 'a', began);
    const b = begin(limit, 'b', began);
    await clock.advance(1);
    const c = begin(limit, 'c', began);
    await turn();
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(1);
    expect(await settledNow(b.outcome)).toMatchObject({
      name: 'ConcurrencyLimitError',
      reason: 'waited_too_long',
      message: "concurrency limit 'pool' let nobody in for too long: 1 running",
    });
    a.end();
    await turn();
    expect(began).toEqual(['a', 'c']);
    expect(clock.pendingTimers).toBe(0);
    c.end();
    await turn();
    expect(limit.snapshot()).toMatchObject({ running: 0, waiting: 0, refused: 1, maxWaitSeconds: 2 });
  });

  it('has an attempt for what runs in it, whose signal is that of the caller', async () => {
    const { limit } = limitOf();
    const abort = new AbortController();
    const seen: unknown[] = [];
    const running = limit.runWith({ signal: abort.signal }, () => {
      const { operationName, signal } = currentAttempt();
      signal.addEventListener('abort', () => seen.push(signal.reason));
      seen.push(operationName);
      return new Promise<never>(() => undefined);
    });
    running.catch(() => undefined);
    await turn();
    abort.abort('gone');
    await rejection(running);
    expect(seen).toEqual(['ConcurrencyLimit.run', 'gone']);
  });

  it('is named default unless it is told otherwise', () => {
    expect(new ConcurrencyLimit({ maxConcurrent: 1 }).name).toBe('default');
  });
});

function throwing(): never {
  throw new RangeError('broken');
}
