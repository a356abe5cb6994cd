import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { config, Observable, of, startWith, throwError } from 'rxjs';
import { MisuseError, Resilient, resultOf } from '../../lib/index.js';
import { provideObservable } from '../../lib/operation/observable-class.js';

provideObservable(Observable);

const down = new Error('down');

class Client {
  @Resilient({ returns: 'observable' })
  read(): Observable<number> {
    return of(1);
  }
}

/** What a subscriber is told, with all that can happen without time; rxjs says in a timer what came too late. */
async function told(results: Observable<unknown>): Promise<unknown[]> {
  const seen: unknown[] = [];
  results.subscribe({ next: (value) => seen.push(value), error: (error: unknown) => seen.push(error) });
  await new Promise((resolve) => void setImmediate(resolve));
  await new Promise((resolve) => void setTimeout(resolve, 0));
  return seen;
}

/** Starts two operations where it is subscribed to, and then gives what follows. */
const twoAnd = (follows: Observable<unknown>): Observable<unknown> =>
  new Observable((subscriber) => {
    const client = new Client();
    client.read().subscribe();
    client.read().subscribe();
    return follows.subscribe(subscriber);
  });

describe('resultOf() of a function that gives an Observable', () => {
  /** What was told to subscribers whose subscription had ended already. */
  let late: unknown[];
  beforeEach(() => {
    late = [];
    config.onStoppedNotification = (notification) => void late.push(notification);
  });
  afterEach(() => {
    config.onStoppedNotification = null;
  });

  it('says who held the value where there is a second one', async () => {
    const [error] = await told(resultOf(() => new Client().read().pipe(startWith(0))));
    expect(error).toBeInstanceOf(MisuseError);
    expect((error as Error).message).toBe(
      'resultOf(): the Observable gave a second value, and only one can be held back until it is known to be good; ' +
        'end the source with take(1), last() or toArray()',
    );
  });

  it('says that no operation started, once', async () => {
    const seen = await told(resultOf(() => of(1)));
    expect(seen).toEqual([
      new TypeError(
        'resultOf() was given an Observable that starts no operation when it is subscribed to; call a decorated method in the function',
      ),
    ]);
    expect(late).toEqual([]);
  });

  it('says nothing more after what kept the operation from starting', async () => {
    expect(await told(resultOf(() => throwError(() => down)))).toEqual([down]);
    expect(late).toEqual([]);
  });

  it.each([
    ['a value', of(2)],
    ['an error', throwError(() => down)],
  ])('says nothing more after a refusal of several operations: %s', async (_what, follows) => {
    const seen = await told(resultOf(() => twoAnd(follows)));
    expect(seen).toEqual([
      expect.objectContaining({ message: expect.stringContaining('(Client.read, Client.read)') }),
    ]);
    expect(late).toEqual([]);
  });
});
