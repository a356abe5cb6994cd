import { describe, expect, it } from '@jest/globals';
import {
  concatMap,
  firstValueFrom,
  forkJoin,
  from,
  lastValueFrom,
  Observable,
  of,
  retry,
  share,
  shareReplay,
  Subject,
  switchMap,
  timeout,
  TimeoutError,
} from 'rxjs';
import { everySeconds } from '../operation/support.js';
import { attemptsOf, fails, gives, hangs, scene, subscribeTo, Upstream } from './support.js';

const down = new Error('down');

// B136
describe('an Observable of a decorated method under operators of rxjs', () => {
  it('is one call for all who share it', async () => {
    const upstream = new Upstream(hangs(1));
    const { get, reports, clock } = scene(upstream.call);
    const shared = get().pipe(share());
    const [one, other] = [subscribeTo(shared), subscribeTo(shared)];
    one.unsubscribe();
    for (const observer of upstream.observers) observer.complete();
    await clock.advance(0);
    expect([one.told, other.told]).toEqual([[], [['next', 1], ['complete']]]);
    expect([upstream.subscriptions, reports.length]).toEqual([1, 1]);
  });

  it('is one call for those who come late to shareReplay(), unless it failed', async () => {
    const upstream = new Upstream<number>(fails(down), gives(2));
    const { get, outcome, reports } = scene(upstream.call);
    const replayed = get().pipe(shareReplay(1));
    expect(await outcome(replayed)).toEqual([['error', down]]);
    expect(await outcome(replayed)).toEqual([['next', 2], ['complete']]);
    expect(await outcome(replayed)).toEqual([['next', 2], ['complete']]);
    expect(reports.map(({ status }) => status)).toEqual(['failed', 'succeeded']);
  });

  it('is another call, with its own attempts, at each retry() around it', async () => {
    const upstream = new Upstream<number>(fails(down), fails(down), fails(down), gives(4));
    const { get, outcome, reports } = scene(upstream.call, { retries: 1, backoff: everySeconds(1) });
    expect(await outcome(get().pipe(retry(1)))).toEqual([['next', 4], ['complete']]);
    expect(reports.map(attemptsOf)).toEqual(['failed failed', 'failed succeeded']);
  });

  it('is cancelled when switchMap() goes on to the next one', async () => {
    const upstream = new Upstream<string>(hangs(), gives('second'));
    const { get, clock, reports } = scene(upstream.call, { timeout: '1s' });
    const searches = new Subject<string>();
    const { told } = subscribeTo(searches.pipe(switchMap((word) => get(word))));
    searches.next('a');
    searches.next('ab');
    await clock.advance(0);
    expect([told, upstream.left]).toEqual([[['next', 'second']], 1]);
    expect(reports.map(({ status }) => status).sort()).toEqual(['cancelled', 'succeeded']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is cancelled by the timeout() of rxjs, which keeps its own error', async () => {
    const upstream = new Upstream<number>(hangs());
    const { get, reports, clock } = scene(upstream.call);
    await expect(firstValueFrom(get().pipe(timeout(5)))).rejects.toThrow(TimeoutError);
    await clock.advance(0);
    expect([upstream.left, reports[0]?.status]).toEqual([1, 'cancelled']);
  });

  it('takes part in from(), forkJoin(), concatMap() and for await like any other', async () => {
    const { get } = scene((value: number) => of(value));
    expect(await lastValueFrom(from(get(1)))).toBe(1);
    expect(await lastValueFrom(forkJoin([get(1), get(2)]))).toEqual([1, 2]);
    expect(await lastValueFrom(of(3, 4).pipe(concatMap((value) => get(value))))).toBe(4);
    const interop = get(5) as unknown as Record<string, () => Observable<number>>;
    expect(await firstValueFrom(interop['@@observable']?.() as Observable<number>)).toBe(5);
  });
});

describe('a method whose source is shared', () => {
  it('joins it in each attempt, and leaves it to the others', async () => {
    const upstream = new Upstream<number>(hangs());
    const shared = upstream.call().pipe(share());
    const { begin, clock } = scene(() => shared, { timeout: '1s' });
    const [one, other] = [await begin(), await begin()];
    one.unsubscribe();
    for (const observer of upstream.observers) {
      observer.next(1);
      observer.complete();
    }
    await clock.advance(0);
    expect([other.told, upstream.subscriptions, upstream.left]).toEqual([[['next', 1], ['complete']], 1, 0]);
  });

  it('gets a value that was replayed to it', async () => {
    const upstream = new Upstream(gives(1));
    const replayed = upstream.call().pipe(shareReplay(1));
    const { outcome, reports } = scene(() => replayed);
    await outcome();
    expect(await outcome()).toEqual([['next', 1], ['complete']]);
    expect([upstream.subscriptions, reports.length]).toEqual([1, 2]);
  });
});
