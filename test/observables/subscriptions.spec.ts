import { describe, expect, it } from '@jest/globals';
import { firstValueFrom, Observable } from 'rxjs';
import { CircuitBreaker, currentAttempt, MisuseError, Resilient } from '../../lib/index.js';
import { World } from '../decorator/support.js';
import { everySeconds, openBreaker } from '../operation/support.js';
import { attemptsOf, fails, gives, hangs, scene, subscribeTo, Upstream } from './support.js';

const down = new Error('down');

// B134
describe('a decorated method that returns an Observable', () => {
  it('does nothing, and records nothing, before somebody subscribes', async () => {
    const upstream = new Upstream(gives(1));
    const { get, clock, sink, reports } = scene(upstream.call);
    expect(get()).toBeInstanceOf(Observable);
    await clock.advance('1m');
    expect([upstream.calls.length, sink.events().length, reports.length]).toEqual([0, 0, 0]);
  });

  it('is one call at each subscription, also when two overlap', async () => {
    const upstream = new Upstream(hangs(1), hangs(2));
    const { get, clock, sink, reports } = scene(upstream.call);
    const observable = get('a', 'b');
    const first = subscribeTo(observable);
    const second = subscribeTo(observable);
    for (const observer of [...upstream.observers]) observer.complete();
    await clock.advance(0);
    expect([first.told, second.told]).toEqual([
      [['next', 1], ['complete']],
      [['next', 2], ['complete']],
    ]);
    expect(upstream.calls).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
    expect(reports.map(({ operationName, status }) => `${operationName} ${status}`)).toEqual([
      'Client.get succeeded',
      'Client.get succeeded',
    ]);
    expect(new Set(reports.map(({ callId }) => callId)).size).toBe(2);
    expect(sink.events().filter(({ eventType }) => eventType === 'operation.succeeded')).toHaveLength(2);
  });

  it('calls the method anew in each attempt, and subscribes to what it gives then', async () => {
    const upstream = new Upstream<number>(fails(down), fails(down), gives(3));
    const { get, clock, outcome, reports } = scene(upstream.call, { retries: 2, backoff: everySeconds(1) });
    expect(await outcome(get('a'))).toEqual([['next', 3], ['complete']]);
    expect([upstream.calls, upstream.subscriptions]).toEqual([[['a'], ['a'], ['a']], 3]);
    expect(attemptsOf(reports[0])).toBe('failed failed succeeded');
    expect([reports.length, reports[0]?.durationSeconds, clock.pendingTimers]).toEqual([1, 2, 0]);
  });

  it('delivers an error once, when every attempt has failed', async () => {
    const upstream = new Upstream<number>(fails(down));
    const { outcome, reports, sink } = scene(upstream.call, { retries: 1, backoff: everySeconds(1) });
    expect(await outcome()).toEqual([['error', down]]);
    expect(attemptsOf(reports[0])).toBe('failed failed');
    expect(sink.sequence()).toEqual([
      'operation.started',
      'attempt.started',
      'attempt.failed',
      'retry.scheduled',
      'attempt.started',
      'attempt.failed',
      'operation.failed',
    ]);
  });

  it('calls and subscribes to nothing while the circuit is open', async () => {
    const upstream = new Upstream(gives(1));
    const world = new World();
    const circuitBreaker = await openBreaker(world.clock);
    const { outcome, reports } = scene(upstream.call, { circuitBreaker });
    expect(await outcome()).toEqual([
      ['error', expect.objectContaining({ name: 'CircuitBreakerOpenError' })],
    ]);
    expect([upstream.calls.length, upstream.subscriptions, attemptsOf(reports[0])]).toEqual([0, 0, 'failed']);
  });

  it('is recorded by the circuit breaker once for each attempt', async () => {
    const circuitBreaker = new CircuitBreaker({ name: 'b', failureThreshold: 3 });
    const upstream = new Upstream<number>(fails(down), fails(down), gives(1), fails(down));
    const { outcome } = scene(upstream.call, { circuitBreaker, retries: 1, backoff: everySeconds(0) });
    await outcome();
    expect(circuitBreaker.snapshot()).toMatchObject({ state: 'closed', failureCount: 2 });
    expect(await outcome()).toEqual([['next', 1], ['complete']]);
    expect(circuitBreaker.snapshot()).toMatchObject({ state: 'closed', failureCount: 0 });
    await outcome();
    await outcome();
    expect(circuitBreaker.snapshot().state).toBe('open');
  });

  it('keeps its this and its arguments in every attempt', async () => {
    const world = new World();
    class Client {
      readonly #seen: unknown[] = [];
      @Resilient({ retries: 1, backoff: everySeconds(0) })
      get(...args: unknown[]): Observable<unknown> {
        this.#seen.push(...args, this === client);
        return new Observable((subscriber) => {
          if (this.#seen.length < 4) return subscriber.error(down);
          subscriber.next(this.#seen);
          subscriber.complete();
        });
      }
    }
    const client = world.adopt(new Client());
    expect(await world.clock.settle(firstValueFrom(client.get('a')))).toEqual(['a', true, 'a', true]);
  });
});

describe('currentAttempt()', () => {
  it('is there in the method and in the synchronous part of the subscription, and not after', async () => {
    const seen: unknown[] = [];
    const later: (() => void)[] = [];
    const { outcome, clock } = scene(
      () => {
        seen.push(['method', currentAttempt().number]);
        return new Observable<number>((subscriber) => {
          const { number, kind, operationName, remainingSeconds } = currentAttempt();
          seen.push(['source', number, kind, operationName, remainingSeconds]);
          if (number === 1) return subscriber.error(down);
          later.push(() => void currentAttempt());
          clock.setTimer(() => subscriber.complete(), 1_000);
        });
      },
      { retries: 1, backoff: everySeconds(1), timeout: '5s' },
    );
    expect(await outcome()).toEqual([['complete']]);
    expect(seen).toEqual([
      ['method', 1],
      ['source', 1, 'primary', 'Client.get', 5],
      ['method', 2],
      ['source', 2, 'primary', 'Client.get', 5],
    ]);
    expect(later[0]).toThrow(MisuseError);
    expect(() => currentAttempt()).toThrow(MisuseError);
  });

  it('knows in a fallback that it is one', async () => {
    const { outcome } = scene(new Upstream<unknown>(fails(down)).call, {
      fallback: () =>
        new Observable((subscriber) => {
          subscriber.next(currentAttempt().kind);
          subscriber.complete();
        }),
    });
    expect(await outcome()).toEqual([['next', 'fallback'], ['complete']]);
  });

  it('has a signal that aborts when the subscriber leaves, with the reason of the report', async () => {
    const signals: AbortSignal[] = [];
    const { begin, reports, clock } = scene(() => {
      signals.push(currentAttempt().signal);
      return new Observable<number>();
    });
    const { unsubscribe, told } = await begin();
    expect(signals[0]?.aborted).toBe(false);
    unsubscribe();
    expect(signals[0]?.reason).toMatchObject({
      name: 'AbortError',
      message: 'The subscriber has unsubscribed',
    });
    await clock.advance(0);
    expect([told, reports[0]?.lastError?.type]).toEqual([[], 'AbortError']);
  });
});
