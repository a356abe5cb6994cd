import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from '@jest/globals';
import { Observable } from 'rxjs';
import { Resilient, resultOf, type MethodOptions } from '../../lib/index.js';
import { World } from '../decorator/support.js';
import { everySeconds } from '../operation/support.js';
import './support.js';

const requests = new AsyncLocalStorage<number>();

describe('the async context of a subscription', () => {
  it('is its own wherever code of a hundred of them runs, and they share one timeout and one deadline', async () => {
    const world = new World();
    const seen: Record<string, [expected: number, found: number | undefined][]> = {};
    const note = (place: string, request: number): void => {
      (seen[place] ??= []).push([request, requests.getStore()]);
    };
    const options: MethodOptions = {
      timeout: '1s',
      deadline: '1m',
      retries: 1,
      backoff: everySeconds(0.1),
      validate: (request: unknown) => {
        note('validator', request as number);
        return true;
      },
      fallback: (request: number) => {
        note('fallback', request);
        return new Observable<number>((subscriber) => {
          note('source of the fallback', request);
          subscriber.next(request);
          subscriber.complete();
        });
      },
    };
    class Client {
      @Resilient(options as object)
      get(request: number): Observable<number> {
        note('method', request);
        return new Observable<number>((subscriber) => {
          note('source', request);
          const settle = (): void => {
            if (request % 3 === 0) return subscriber.error(new Error('no'));
            subscriber.next(request);
            subscriber.complete();
          };
          // From a context that belongs to nobody, as an answer on a socket that all requests share.
          if (request % 3 < 2) requests.exit(() => void world.clock.setTimer(settle, request % 7));
        });
      }
    }
    const client = world.adopt(new Client());
    for (let request = 1; request <= 100; request += 1) {
      const observable: Observable<unknown> =
        request % 2 === 0 ? resultOf(client.get(request)) : client.get(request);
      requests.run(request, () =>
        observable.subscribe({
          next: () => note('subscriber', request),
          complete: () => note('subscriber, completed', request),
        }),
      );
    }
    await world.clock.advance('2m');
    expect(Object.keys(seen).sort()).toEqual([
      'fallback',
      'method',
      'source',
      'source of the fallback',
      'subscriber',
      'subscriber, completed',
      'validator',
    ]);
    for (const [place, requestsThere] of Object.entries(seen)) {
      expect([place, requestsThere.filter(([expected, found]) => expected !== found)]).toEqual([place, []]);
    }
    expect(seen.subscriber).toHaveLength(100);
    expect(world.clock.pendingTimers).toBe(0);
  });

  it('is there when a source is left because of a timer that another call armed', async () => {
    const world = new World();
    const left: [number, number | undefined][] = [];
    class Client {
      @Resilient({ timeout: '1s' })
      get(request: number): Observable<number> {
        return new Observable<number>(() => () => left.push([request, requests.getStore()]));
      }
    }
    const client = world.adopt(new Client());
    for (const request of [1, 2, 3])
      requests.run(request, () => client.get(request).subscribe({ error: () => undefined }));
    await world.clock.advance('2s');
    expect(left).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
  });
});
