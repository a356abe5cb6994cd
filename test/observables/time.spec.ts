import { describe, expect, it } from '@jest/globals';
import { firstValueFrom, Observable, of } from 'rxjs';
import {
  CircuitBreaker,
  currentAttempt,
  OperationTimeoutError,
  Resilient,
  type MethodOptions,
} from '../../lib/index.js';
import { World } from '../decorator/support.js';
import { everySeconds } from '../operation/support.js';
import { attemptsOf, gives, hangs, scene, Upstream } from './support.js';

const timedOut = (scope: string) => expect.objectContaining({ name: 'OperationTimeoutError', scope });

describe('the timeout of an attempt', () => {
  it('leaves its source, and the next attempt subscribes anew', async () => {
    const upstream = new Upstream<number>(hangs(1), gives(2));
    const { begin, clock, reports } = scene(upstream.call, {
      timeout: '2s',
      retries: 1,
      backoff: everySeconds(1),
    });
    const { told } = await begin();
    await clock.advance(1.999);
    expect([upstream.subscriptions, upstream.left]).toEqual([1, 0]);
    await clock.advance(0.001);
    expect([upstream.subscriptions, upstream.left, told]).toEqual([1, 1, []]);
    await clock.advance(1);
    expect(told).toEqual([['next', 2], ['complete']]);
    expect([attemptsOf(reports[0]), clock.pendingTimers]).toEqual(['timed_out succeeded', 0]);
  });

  it('aborts the signal of its attempt with the timeout', async () => {
    const signals: AbortSignal[] = [];
    const { outcome } = scene(
      () =>
        new Observable<number>(() => {
          signals.push(currentAttempt().signal);
        }),
      { timeout: '2s' },
    );
    const [[, error]] = (await outcome()) as [[string, unknown]];
    expect(error).toBeInstanceOf(OperationTimeoutError);
    expect(signals[0]?.reason).toBe(error);
  });

  it('takes nothing that a source says afterwards', async () => {
    const observers: { next(value: number): void; error(reason: unknown): void; complete(): void }[] = [];
    // A source that does not care whether it was left.
    const stubborn = {
      subscribe(observer: (typeof observers)[number]) {
        observers.push(observer);
        return { unsubscribe: () => undefined };
      },
      pipe: () => undefined,
    };
    const circuitBreaker = new CircuitBreaker({ name: 'b', failureThreshold: 9 });
    const { begin, clock, reports } = scene(() => stubborn as unknown as Observable<number>, {
      timeout: '1s',
      retries: 2,
      backoff: everySeconds(1),
      circuitBreaker,
    });
    const { told } = await begin();
    await clock.advance(2);
    observers[0]?.next(1);
    observers[0]?.complete();
    await clock.advance(2);
    observers[1]?.error(new Error('late'));
    observers[2]?.next(3);
    observers[2]?.next(3.5);
    await clock.advance(0);
    expect(told).toEqual([['error', expect.objectContaining({ name: 'MisuseError' })]]);
    observers[2]?.complete();
    await clock.advance('1m');
    expect([told.length, attemptsOf(reports[0])]).toEqual([1, 'timed_out timed_out failed']);
    expect(circuitBreaker.snapshot().failureCount).toBe(2);
  });

  it('does not limit a fallback', async () => {
    const standIn = new Upstream(hangs(7));
    const { begin, clock } = scene<number>(() => new Observable(), {
      timeout: '1s',
      fallback: () => standIn.call(),
    });
    const { told } = await begin();
    await clock.advance('1m');
    for (const observer of standIn.observers) observer.complete();
    await clock.advance(0);
    expect([told, clock.pendingTimers]).toEqual([[['next', 7], ['complete']], 0]);
  });
});

describe('the deadline of a call', () => {
  it('leaves the source of the attempt that it cuts', async () => {
    const upstream = new Upstream<number>(hangs());
    const options = { timeout: '2s', deadline: '5s', retries: 9, backoff: everySeconds(0) } as const;
    const { outcome, clock, reports } = scene(upstream.call, options);
    expect(await outcome()).toEqual([['error', timedOut('deadline')]]);
    expect([upstream.subscriptions, upstream.left, clock.monotonicMs()]).toEqual([3, 3, 5_000]);
    expect([attemptsOf(reports[0]), clock.pendingTimers]).toEqual(['timed_out timed_out timed_out', 0]);
  });

  it('begins with each subscription, not with the call of the method', async () => {
    const upstream = new Upstream<number>(hangs());
    const { get, begin, outcome, clock } = scene(upstream.call, { deadline: '5s' });
    const observable = get();
    await clock.advance('1m');
    const { told } = await begin(observable);
    await clock.advance('3s');
    expect(told).toEqual([]);
    await outcome(observable);
    expect([told, clock.monotonicMs()]).toEqual([[['error', timedOut('deadline')]], 68_000]);
  });
});

describe('an operation inside the source of another one', () => {
  function nested(inner: MethodOptions, outer: MethodOptions, source: Upstream<number>) {
    const world = new World();
    const reports: string[] = [];
    const onReport: MethodOptions['onReport'] = ({ operationName, status, lastError }) =>
      reports.push(`${operationName} ${status} ${lastError?.type}`);
    class Client {
      @Resilient({ ...inner, onReport } as object)
      inner(): Observable<number> {
        return source.call();
      }
      @Resilient({ ...outer, onReport } as object)
      outer(): Observable<number> {
        return this.inner();
      }
    }
    return { ...world, clock: world.clock, client: world.adopt(new Client()), reports };
  }

  it('ends with the attempt of that, and with its reason', async () => {
    const source = new Upstream<number>(hangs());
    const { client, clock, reports } = nested({ retries: 3 }, { timeout: '1s' }, source);
    await expect(clock.settle(firstValueFrom(client.outer()))).rejects.toThrow(OperationTimeoutError);
    await clock.advance('1h');
    expect(reports).toEqual([
      'Client.inner cancelled OperationTimeoutError',
      'Client.outer timed_out OperationTimeoutError',
    ]);
    expect([source.subscriptions, source.left, clock.pendingTimers]).toEqual([1, 1, 0]);
  });

  it('is left when the subscriber of that leaves', async () => {
    const source = new Upstream<number>(hangs());
    const { client, clock, reports } = nested({ timeout: '1s' }, { timeout: '2s' }, source);
    const subscription = client.outer().subscribe();
    subscription.unsubscribe();
    expect(source.left).toBe(1);
    await clock.advance(0);
    expect(reports.sort()).toEqual([
      'Client.inner cancelled AbortError',
      'Client.outer cancelled AbortError',
    ]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('may be the fallback, with its own policies', async () => {
    const world = new World();
    class Client {
      calls = 0;
      @Resilient({ fallback: 'standIn', timeout: '1s' })
      get(): Observable<number> {
        return new Observable<number>();
      }
      @Resilient({ retries: 1, backoff: everySeconds(1) })
      standIn(): Observable<number> {
        this.calls += 1;
        if (this.calls === 1) throw new Error('not yet');
        return of(5);
      }
    }
    const client = world.adopt(new Client());
    expect(await world.clock.settle(firstValueFrom(client.get()))).toBe(5);
    expect([world.clock.monotonicMs(), client.calls]).toEqual([2_000, 2]);
  });
});
