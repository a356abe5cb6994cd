import { describe, expect, it } from '@jest/globals';
import {
  concatWith,
  defer,
  EMPTY,
  endWith,
  firstValueFrom,
  map,
  NEVER,
  Observable,
  of,
  race,
  startWith,
  Subject,
  throwError,
  type OperatorFunction,
} from 'rxjs';
import {
  MisuseError,
  OperationExecutionError,
  OperationResult,
  reportOf,
  Resilient,
  resilient,
  resultOf,
} from '../../lib/index.js';
import { World } from '../decorator/support.js';
import { everySeconds, listenersOf } from '../operation/support.js';
import { attemptsOf, fails, gives, hangs, scene, subscribeTo, Upstream } from './support.js';

const down = new Error('down');
const noWait = everySeconds(0);

/** A decorator of somebody else, around ours. */
function piping(operator: OperatorFunction<any, any>) {
  return (_target: object, _key: string, descriptor: PropertyDescriptor): void => {
    const inner = descriptor.value as (this: unknown, ...args: unknown[]) => Observable<unknown>;
    descriptor.value = function (this: unknown, ...args: unknown[]) {
      return inner.apply(this, args).pipe(operator);
    };
  };
}

describe('resultOf(observable)', () => {
  it('is an Observable of one result: the value with its report', async () => {
    const upstream = new Upstream<number>(fails(down), gives(2));
    const { get, clock } = scene(upstream.call, { retries: 1, backoff: everySeconds(1) });
    const results = resultOf(get());
    expect(results).toBeInstanceOf(Observable);
    await clock.advance('1m');
    expect(upstream.calls).toEqual([]);
    const { value, report } = await clock.settle(firstValueFrom(results));
    expect([value, report.operationName, attemptsOf(report)]).toEqual([2, 'Client.get', 'failed succeeded']);
  });

  it('is one call at each subscription', async () => {
    const upstream = new Upstream(gives('a'), gives('b'));
    const { get, reports } = scene(upstream.call);
    const results = resultOf(get());
    const [one, other] = await Promise.all([firstValueFrom(results), firstValueFrom(results)]);
    expect([one.value, other.value]).toEqual(['a', 'b']);
    expect(reports).toEqual([one.report, other.report]);
    expect(one.report.callId).not.toBe(other.report.callId);
  });

  it('tells of a failure with an OperationExecutionError', async () => {
    const { get, outcome } = scene(() => throwError(() => down));
    const [[, error]] = (await outcome(resultOf(get()))) as [[string, OperationExecutionError]];
    expect(error).toBeInstanceOf(OperationExecutionError);
    expect([error.cause, error.report.status]).toEqual([down, 'failed']);
  });

  it('passes a misuse through', async () => {
    const { get, outcome } = scene(() => of(1, 2));
    expect(await outcome(resultOf(get()))).toEqual([['error', expect.any(MisuseError)]]);
  });

  it('gives a result also where the source completes without a value: the account is there', async () => {
    const { get } = scene(() => EMPTY);
    const { value, report } = await firstValueFrom(resultOf(get()));
    expect([value, report.status]).toEqual([undefined, 'succeeded']);
  });

  it('ends the call when its subscriber leaves', async () => {
    const upstream = new Upstream(hangs(1));
    const { get, clock, reports } = scene(upstream.call, { timeout: '1s' });
    const { told, unsubscribe } = subscribeTo(resultOf(get()));
    unsubscribe();
    await clock.advance(0);
    expect([told, upstream.left, reports[0]?.status, clock.pendingTimers]).toEqual([[], 1, 'cancelled', 0]);
  });

  it('takes a signal, which ends its calls', async () => {
    const controller = new AbortController();
    const upstream = new Upstream(hangs(1));
    const { get, clock } = scene(upstream.call);
    for (const results of [
      resultOf(get(), { signal: controller.signal }),
      resultOf(() => get(), { signal: controller.signal }),
      resultOf(() => get().pipe(map((n) => n)), { signal: controller.signal }),
    ]) {
      const { told } = subscribeTo(results);
      expect(listenersOf(controller.signal)).toBe(1);
      controller.signal.dispatchEvent(new Event('abort'));
      await clock.advance(0);
      expect(told).toEqual([['error', controller.signal.reason]]);
      expect(listenersOf(controller.signal)).toBe(0);
    }
    expect(upstream.left).toBe(3);
    expect(() => resultOf(get(), { signal: 'no' as unknown as AbortSignal })).toThrow('signal is a string');
    expect(() => resultOf(get(), { signals: 1 } as object)).toThrow('did you mean signal?');
  });

  it('refuses an Observable that is not the own one of a method, and says why', () => {
    const { get } = scene(() => of(1));
    const message =
      'resultOf() was given an Observable that no operation made; give the Observable of a decorated method itself, ' +
      'before any pipe(), or a function that gives what came of it';
    for (const foreign of [of(1), get().pipe(map((n) => n))]) {
      expect(() => resultOf(foreign)).toThrow(new TypeError(message));
    }
  });
});

describe('resultOf(() => observable)', () => {
  it('is the same', async () => {
    const upstream = new Upstream(gives('a'));
    const { get, reports } = scene(upstream.call);
    const results = resultOf(() => get());
    expect(upstream.calls).toEqual([]);
    const { value, report } = await firstValueFrom(results);
    expect([value, report]).toEqual(['a', reports[0]]);
  });

  it('finds the operation behind pipe(), also that of another decorator', async () => {
    const world = new World();
    class Client {
      @piping(map((n: number) => n * 10))
      @Resilient({ retries: 1, backoff: noWait })
      get(): Observable<number> {
        return of(2);
      }
      @piping(map((n: number) => n * 10))
      @Resilient()
      fail(): Observable<number> {
        return throwError(() => down);
      }
    }
    const client = world.adopt(new Client());
    const { value, report } = await firstValueFrom(resultOf(() => client.get().pipe(map((n) => n + 1))));
    expect([value, report.operationName, report.status]).toEqual([21, 'Client.get', 'succeeded']);
    const failure: unknown = await firstValueFrom(resultOf(() => client.fail())).catch(
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ cause: down, report: { operationName: 'Client.fail' } });
  });

  it('leaves everything when its subscriber leaves', async () => {
    const upstream = new Upstream(hangs(1));
    const { get, clock, reports } = scene(upstream.call, { timeout: '1s' });
    const { unsubscribe } = subscribeTo(resultOf(() => get().pipe(map((n) => n))));
    unsubscribe();
    await clock.advance(0);
    expect([upstream.left, reports[0]?.status, clock.pendingTimers]).toEqual([1, 'cancelled', 0]);
  });

  it('has one value, as the operation has', async () => {
    const { get, outcome } = scene(() => of(1));
    expect(await outcome(resultOf(() => get().pipe(startWith(0))))).toEqual([
      ['error', expect.any(MisuseError)],
    ]);
  });

  it('fails where none, or more than one, starts at the subscription', async () => {
    const { get, outcome } = scene(() => of(1));
    const upstream = new Upstream(hangs(1));
    const none = resultOf(() => upstream.call());
    const message =
      'resultOf() was given an Observable that starts no operation when it is subscribed to; call a decorated method in the function';
    expect(await outcome(none)).toEqual([['error', expect.objectContaining({ name: 'TypeError', message })]]);
    expect([upstream.subscriptions, upstream.left]).toEqual([1, 1]);
    const two = resultOf(
      () => new Observable<number>((subscriber) => (get().subscribe(), get().subscribe(subscriber))),
    );
    expect(await outcome(two)).toEqual([
      ['error', expect.objectContaining({ message: expect.stringContaining('(Client.get, Client.get)') })],
    ]);
  });

  it.each([
    [
      'of a mistake in the options',
      () => new Mistaken().get().pipe(map((n) => n)),
      "fallback 'nowhere' is no method of this class",
    ],
    ['in the code before it', () => defer((): Observable<number> => thrower()), 'down'],
  ])('fails with what kept the operation from starting: %s', async (_which, make, message) => {
    const { outcome } = scene(() => of(1));
    const [[, error]] = (await outcome(resultOf(make))) as [[string, Error]];
    expect(error.message).toContain(message);
  });

  it('waits for the account of a call that an operator has left', async () => {
    const { get, clock } = scene(() => NEVER as Observable<number>);
    const leave = new Subject<never>();
    const seen: unknown[] = [];
    resultOf(() => race(get(), leave.pipe(endWith(0)))).subscribe((result) =>
      seen.push(result.value, result.report.status),
    );
    resultOf(() => race(get(), leave.pipe(concatWith(throwError(() => down))))).subscribe({
      error: (error: unknown) => seen.push(error),
    });
    leave.complete();
    await clock.advance(0);
    expect(seen).toEqual([0, 'cancelled', down]);
  });

  it('does not run the function again at another subscription', async () => {
    let made = 0;
    const { get } = scene(() => of(1));
    const results = resultOf(() => {
      made += 1;
      return get();
    });
    await firstValueFrom(results);
    await firstValueFrom(results);
    expect(made).toBe(1);
  });
});

describe('resultOf() of a promise', () => {
  it('finds an operation whose Observable the function subscribes to itself', async () => {
    const { get, reports } = scene(() => of(1));
    const { value, report } = await resultOf(() => firstValueFrom(get()));
    expect([value, report]).toEqual([1, reports[0]]);
  });

  it('counts what such an Observable starts as part of it', async () => {
    const inner = scene(() => of(1));
    const outer = resilient({ name: 'outer' }, () => firstValueFrom(inner.get()));
    expect((await resultOf(() => outer())).report.operationName).toBe('outer');
    expect(await outer()).toBeInstanceOf(OperationResult);
    expect(inner.reports).toHaveLength(2);
  });
});

describe('reportOf(error)', () => {
  it('finds the report of the last subscription that failed with it', async () => {
    const { get, outcome, reports } = scene(() => throwError(() => down));
    const observable = get();
    await outcome(observable);
    await outcome(observable);
    expect(reportOf(down)).toBe(reports[1]);
  });
});

function thrower(): never {
  throw down;
}

class Mistaken {
  @Resilient({ fallback: 'nowhere' as never })
  get(): Observable<number> {
    return of(1);
  }
}
