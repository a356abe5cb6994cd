import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { config, firstValueFrom, Observable, of, Subject, throwError } from 'rxjs';
import { bindHandle } from '../../lib/decorator/handle.js';
import { MethodExecutor } from '../../lib/decorator/method-executor.js';
import { reportOf, Resilient, resultOf, type OperationResult } from '../../lib/index.js';
import { StandaloneHost } from '../../lib/operation/standalone-host.js';
import { FakeClock } from '../../lib/testing/index.js';
import { World } from '../decorator/support.js';
import { heldOf } from '../operation/memory.js';
import { everySeconds } from '../operation/support.js';
import { fails, gives, hangs, scene, subscribeTo, Upstream } from './support.js';

// Made here: an error holds whatever was on the stack when it was made.
const no = new Error('no');

/** rxjs says what it drops from a real timer. */
const reported = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

afterEach(() => void (config.onStoppedNotification = null));

describe('what is kept of a call that has ended', () => {
  it('is its account, not its values, its sources, its subscriber or its arguments', async () => {
    const world = new World();
    const refs: WeakRef<object>[] = [];
    const noted = <T extends object>(object: T): T => (refs.push(new WeakRef(object)), object);
    class Client {
      @Resilient({ retries: 1, backoff: everySeconds(0), timeout: '1s' })
      get(argument: { readonly kind: string }): Observable<object> {
        const { kind } = argument;
        return noted(
          new Observable<object>((subscriber) => {
            if (kind === 'hangs') return noted(() => undefined);
            subscriber.next(noted({}));
            if (kind === 'fails') subscriber.error(no);
            else subscriber.complete();
            return noted(() => undefined);
          }),
        );
      }
    }
    const client = world.adopt(new Client());
    const errors: unknown[] = [];
    const reports: unknown[] = [];
    const call = async (kind: string): Promise<void> => {
      const result = firstValueFrom(resultOf(client.get(noted({ kind }))));
      await world.clock.settle(
        result.then(
          ({ report }: OperationResult<object>) => void reports.push(report),
          (error: unknown) => void errors.push(error),
        ),
      );
    };
    for (const kind of ['gives', 'fails', 'hangs']) await call(kind);
    const leave = (): void => noted(client.get(noted({ kind: 'hangs' })).subscribe()).unsubscribe();
    leave();
    await world.clock.advance('1m');
    expect(refs.length).toBeGreaterThan(15);
    expect(await heldOf(refs)).toBe(0);
    expect([reports.length, errors.map((error) => reportOf(error)?.status)]).toEqual([
      1,
      ['failed', 'timed_out'],
    ]);
    expect(world.clock.pendingTimers).toBe(0);
  });

  it('is nothing of the application that it ran in, however it ended', async () => {
    const kept: unknown[] = [];
    const [endless, twice] = [new Subject<number>(), new Subject<number>()];
    const hosts: WeakRef<object>[] = [];
    const run = async (): Promise<void> => {
      const clock = new FakeClock();
      const host = new StandaloneHost({ clock });
      hosts.push(new WeakRef(host));
      class Client {
        @Resilient({ timeout: '1s', retries: 1, backoff: everySeconds(0) })
        get(source: Observable<number>): Observable<number> {
          return source;
        }
      }
      const client = new Client();
      bindHandle(client, { current: new MethodExecutor(host) });
      const keep = (what: unknown): void => void kept.push(what);
      for (const source of [of(1), twice, throwError(() => no), endless])
        resultOf(client.get(source)).subscribe({ next: keep, error: keep });
      for (const value of [1, 2]) twice.next(value);
      await clock.advance('1m');
      const subscription = client.get(endless).subscribe();
      keep(subscription);
      subscription.unsubscribe();
      await clock.advance(0);
    };
    await run();
    expect(await heldOf(hosts)).toBe(0);
    expect([kept.length, endless.observed, hosts.length]).toEqual([5, false, 1]);
  });

  it('is nothing of the sources that timed out, while a later attempt goes on', async () => {
    const refs: WeakRef<object>[] = [];
    const { begin, clock } = scene(
      () => {
        const source = new Observable<number>();
        refs.push(new WeakRef(source));
        return source;
      },
      { retries: 3, backoff: everySeconds(0), timeout: '1s' },
    );
    const { unsubscribe } = await begin();
    await clock.advance('2500ms');
    expect(refs).toHaveLength(3);
    expect(await heldOf(refs.slice(0, 2))).toBe(0);
    unsubscribe();
  });
});

describe('a subscriber that has left, or was told the end', () => {
  it('gets nothing when it left as the call succeeded', async () => {
    const dropped = jest.fn();
    config.onStoppedNotification = dropped;
    const statuses: string[] = [];
    const { get, clock } = scene(() => of(1), {
      onReport: ({ status }) => {
        statuses.push(status);
        unsubscribe();
      },
    });
    const { told, unsubscribe } = subscribeTo(get());
    await clock.advance(0);
    await reported();
    expect([told, statuses, dropped.mock.calls]).toEqual([[], ['succeeded'], []]);
  });

  it('is told nothing more, not even what rxjs would drop', async () => {
    const dropped = jest.fn();
    config.onStoppedNotification = dropped;
    const upstream = new Upstream<number>(gives(1), fails(no), hangs(1), hangs(1, 2));
    const { begin, get, outcome, clock } = scene(upstream.call, { timeout: '1s' });
    await outcome();
    await outcome();
    const { unsubscribe } = await begin();
    unsubscribe();
    await outcome();
    const { unsubscribe: leave } = subscribeTo(resultOf(() => get()));
    leave();
    await clock.advance('1m');
    await reported();
    expect(dropped.mock.calls.map(([notification]) => notification)).toEqual([]);
  });
});
