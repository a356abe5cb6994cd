import { describe, expect, it, jest } from '@jest/globals';
import { concat, EMPTY, from, NEVER, Observable, of, range, throwError } from 'rxjs';
import { CircuitBreaker, MisuseError, ValidationFailedError } from '../../lib/index.js';
import { everySeconds } from '../operation/support.js';
import { attemptsOf, fails, gives, hangs, scene, subscribeTo, Upstream } from './support.js';

const down = new Error('down');
const noWait = everySeconds(0);

describe('the value of a source', () => {
  it('is held until the source completes', async () => {
    const upstream = new Upstream(hangs('value'));
    const { begin, clock } = scene(upstream.call);
    const { told } = await begin();
    expect(told).toEqual([]);
    for (const observer of upstream.observers) observer.complete();
    await clock.advance(0);
    expect(told).toEqual([['next', 'value'], ['complete']]);
  });

  it('is not delivered when the source fails after it, and the next attempt begins anew', async () => {
    const upstream = new Upstream<number>((observer) => {
      observer.next(1);
      observer.error(down);
    }, gives(2));
    const { outcome, reports } = scene(upstream.call, { retries: 1, backoff: noWait });
    expect(await outcome()).toEqual([['next', 2], ['complete']]);
    expect(attemptsOf(reports[0])).toBe('failed succeeded');
  });

  it.each([[undefined], [null], [0], [false], ['']])('may be %p', async (value) => {
    const { outcome } = scene(() => of<unknown>(value));
    expect(await outcome()).toEqual([['next', value], ['complete']]);
  });

  it('comes after subscribe() has returned, also from a synchronous source', async () => {
    const { get, clock } = scene(() => of(1));
    const { told } = subscribeTo(get());
    expect(told).toEqual([]);
    await clock.advance(0);
    expect(told).toEqual([['next', 1], ['complete']]);
  });

  it('may come from whatever else can be subscribed to', async () => {
    const subscribe = (observer: { next(value: number): void; complete(): void }) => {
      observer.next(7);
      observer.complete();
      return { unsubscribe: () => undefined };
    };
    const symbol = Symbol('observable');
    Object.defineProperty(Symbol, 'observable', { value: symbol, configurable: true });
    const foreign = [
      { subscribe, pipe: () => undefined },
      { '@@observable': () => ({ subscribe }) },
      { [symbol]: () => ({ subscribe }) },
      Promise.resolve(7),
      from(Promise.resolve(7)),
    ];
    try {
      for (const source of foreign) {
        const { outcome } = scene(() => source as unknown as Observable<number>);
        expect(await outcome()).toEqual([['next', 7], ['complete']]);
      }
    } finally {
      Reflect.deleteProperty(Symbol, 'observable');
    }
  });
});

// B134
describe('a second value', () => {
  const misuse = expect.objectContaining({ name: 'MisuseError', code: 'RELPRIM_MISUSE' });

  it('is refused at once: no retry, no record, no fallback, and the source is left', async () => {
    const upstream = new Upstream(hangs(1, 2, 3));
    const circuitBreaker = new CircuitBreaker({ name: 'b', failureThreshold: 1 });
    const fallback = jest.fn(() => 9);
    const retryOn = jest.fn(() => true);
    const options = {
      retries: 2,
      retryOn,
      backoff: noWait,
      circuitBreaker,
      fallback,
      timeout: '1s',
    } as const;
    const { begin, reports, clock } = scene(upstream.call, options);
    const { told, subscription } = await begin();
    expect(told).toEqual([['error', misuse]]);
    expect((told[0]?.[1] as Error).message).toBe(
      'Client.get: the Observable gave a second value, and only one can be held back until it is known to be good; ' +
        'end the source with take(1), last() or toArray()',
    );
    expect(told[0]?.[1]).toBeInstanceOf(MisuseError);
    expect([upstream.subscriptions, upstream.left, subscription.closed]).toEqual([1, 1, true]);
    expect([fallback.mock.calls.length, retryOn.mock.calls.length]).toEqual([0, 0]);
    expect(circuitBreaker.snapshot()).toMatchObject({ state: 'closed', failureCount: 0 });
    expect([attemptsOf(reports[0]), reports[0]?.status, clock.pendingTimers]).toEqual([
      'failed',
      'failed',
      0,
    ]);
  });

  it('is refused later than the first one, too, and gives a half-open probe its slot back', async () => {
    const upstream = new Upstream<number>(fails(down), hangs(1));
    const { begin, outcome, clock } = scene(upstream.call, {
      circuitBreaker: new CircuitBreaker({ name: 'b', failureThreshold: 1, recoveryTimeout: 5 }),
    });
    await outcome();
    await clock.advance('5s');
    const { told } = await begin();
    for (const observer of upstream.observers) observer.next(2);
    await clock.advance(0);
    expect(told).toEqual([['error', misuse]]);
    await begin();
    expect(upstream.subscriptions).toBe(3);
  });

  it('ends a source that would go on for ever without ever waiting', async () => {
    let given = 0;
    const endless = new Observable<number>((subscriber) => {
      while (!subscriber.closed) subscriber.next((given += 1));
    });
    expect(await scene(() => endless).outcome()).toEqual([['error', misuse]]);
    expect(given).toBe(2);
    expect(await scene(() => range(0, Infinity)).outcome()).toEqual([['error', misuse]]);
  });

  it('is refused of a fallback as well', async () => {
    const { outcome } = scene<unknown>(() => throwError(() => down), { fallback: () => of(1, 2) });
    expect(await outcome()).toEqual([['error', misuse]]);
  });
});

describe('a source that completes without a value', () => {
  it('makes the subscriber complete without one, as a success', async () => {
    const fallback = jest.fn(() => 9);
    const { outcome, reports } = scene(() => EMPTY, { fallback, retries: 1, backoff: noWait });
    expect(await outcome()).toEqual([['complete']]);
    expect([attemptsOf(reports[0]), fallback.mock.calls.length]).toEqual(['succeeded', 0]);
  });

  it('is undefined to validators', async () => {
    const validate = jest.fn((value: unknown) => value !== undefined);
    const { outcome } = scene(() => EMPTY, { validate });
    expect(await outcome()).toEqual([['error', expect.any(ValidationFailedError)]]);
    expect(validate.mock.calls).toEqual([[undefined]]);
  });

  it('does not make a later attempt, nor a fallback, empty', async () => {
    const validate = (value: unknown) => value !== undefined;
    const upstream = new Upstream<number>(gives(), gives(2));
    const retried = scene(upstream.call, { validate, retries: 1, backoff: noWait });
    expect(await retried.outcome()).toEqual([['next', 2], ['complete']]);
    for (const [standIn, told] of [
      [() => 3, ['next', 3]],
      [() => Promise.resolve(4), ['next', 4]],
      [() => of(5), ['next', 5]],
    ] as const) {
      const { outcome } = scene(() => EMPTY, { validate, fallback: standIn });
      expect(await outcome()).toEqual([told, ['complete']]);
    }
  });

  it('may be the fallback, too', async () => {
    const fallback = () => EMPTY;
    const { outcome, reports } = scene(() => throwError(() => down), { fallback });
    expect(await outcome()).toEqual([['complete']]);
    expect(attemptsOf(reports[0])).toBe('failed succeeded');
  });
});

describe('a failure', () => {
  it.each([
    ['while the method runs', () => scene<number>(() => thrower())],
    ['while it is subscribed to', () => scene(() => new Observable<number>(thrower))],
    [
      'of a source that throws in subscribe()',
      () => scene(() => foreign({ subscribe: thrower, pipe: thrower })),
    ],
    [
      'later',
      () =>
        scene(() =>
          concat(
            from(Promise.resolve(1)),
            throwError(() => down),
          ),
        ),
    ],
  ])('%s is that of the attempt', async (_when, make) => {
    const { outcome, reports } = make();
    expect(await outcome()).toEqual([['error', down]]);
    expect([attemptsOf(reports[0]), reports[0]?.lastError?.message]).toEqual(['failed', 'down']);
  });

  it.each([[undefined], [null], ['text']])('may be %p', async (reason) => {
    expect(await scene(() => throwError(() => reason)).outcome()).toEqual([['error', reason]]);
  });

  it.each([[undefined], [null]])('is a misuse where the method gives %p and no Observable', async (given) => {
    const { outcome } = scene(() => given as unknown as Observable<number>, {
      retries: 3,
      fallback: () => 1,
    });
    const [[, error]] = (await outcome()) as [[string, Error]];
    expect(error).toBeInstanceOf(MisuseError);
    expect(error.message).toBe(
      `Client.get was to return an Observable and returned ${given}; is there a return missing?`,
    );
  });

  it('may come after the value, without a completion: then there is the timeout', async () => {
    const { outcome, clock } = scene(() => concat(of(1), NEVER), { timeout: '2s' });
    expect(await outcome()).toEqual([['error', expect.objectContaining({ name: 'OperationTimeoutError' })]]);
    expect(clock.monotonicMs()).toBe(2_000);
  });
});

function thrower(): never {
  throw down;
}

function foreign(value: object): Observable<number> {
  return value as Observable<number>;
}
