import { describe, expect, it } from '@jest/globals';
import { firstValueFrom } from 'rxjs';
import { idempotencyPolicy, IdempotencyReentryError, resultOf, type MethodOptions } from '../../lib/index.js';
import { fails, gives, hangs, scene, Upstream } from '../observables/support.js';
import { everySeconds } from '../operation/support.js';
import { done, RemoteStore } from './remote-store.js';
import { keyMetadata, roleOf } from './support.js';

const down = new Error('down');
const byId: MethodOptions = { idempotencyKey: (id: string) => id };

describe('an Observable of a method with a key', () => {
  it('finds its key at each subscription, and one execution is for all of them', async () => {
    const upstream = new Upstream(gives({ n: [1] }));
    const { get, outcome, reports } = scene(upstream.call, byId);
    const observable = get('a');
    expect(upstream.calls).toEqual([]);
    const told = await Promise.all([outcome(observable), outcome(get('a')), outcome(get('b'))]);
    const expected = [['next', { n: [1] }], ['complete']];
    expect(told).toEqual([expected, expected, expected]);
    expect(await outcome(observable)).toEqual(expected);
    expect([upstream.calls, upstream.subscriptions]).toEqual([[['a'], ['b']], 2]);
    expect(reports.map(roleOf)).toEqual(['executed', 'executed', 'joined', 'replayed']);
    expect(told[1]?.[0]?.[1]).not.toBe(told[0]?.[0]?.[1]);
  });

  it('may complete without a value: that is what others are given, too', async () => {
    const upstream = new Upstream<never>(gives());
    const { get, outcome } = scene(upstream.call, byId);
    const told = await Promise.all([outcome(get('a')), outcome(get('a'))]);
    told.push(await outcome(get('a')));
    expect([told, upstream.subscriptions]).toEqual([[[['complete']], [['complete']], [['complete']]], 1]);
  });

  it.each([undefined, null])('may give %p: that is a value [R177]', async (value) => {
    const { get, outcome } = scene(new Upstream(gives(value)).call, byId);
    const expected = [['next', value], ['complete']];
    expect([await outcome(get('a')), await outcome(get('a'))]).toEqual([expected, expected]);
  });

  it('gives what a store outside knows, which need not say that there is a value', async () => {
    const store = new RemoteStore(() => done('from there'));
    const upstream = new Upstream(gives('from here'));
    const { get, outcome } = scene(upstream.call, { ...byId, idempotencyStore: store });
    expect(await outcome(get('a'))).toEqual([['next', 'from there'], ['complete']]);
    expect(upstream.calls).toEqual([]);
  });

  it('fails for all with one error, which is not kept [R158, R159]', async () => {
    const upstream = new Upstream(fails(down), fails(down), gives(1));
    const { get, outcome, clock } = scene(upstream.call, {
      ...byId,
      retries: 1,
      backoff: everySeconds(1),
    });
    const told = await Promise.all([outcome(get('a')), outcome(get('a'))]);
    expect(told).toEqual([[['error', down]], [['error', down]]]);
    expect(await outcome(get('a'))).toEqual([['next', 1], ['complete']]);
    expect([upstream.subscriptions, clock.pendingTimers]).toEqual([3, 0]);
  });

  it('goes on for others when the subscriber who executes leaves', async () => {
    const upstream = new Upstream(hangs());
    const { get, begin, reports, clock } = scene(upstream.call as () => never, byId);
    const [first, second] = [await begin(get('a')), await begin(get('a'))];
    first.unsubscribe();
    await clock.advance(0);
    expect([upstream.left, second.told]).toEqual([0, []]);
    for (const observer of [...upstream.observers]) {
      observer.next(1);
      observer.complete();
    }
    await clock.advance(0);
    expect([second.told, first.told]).toEqual([[['next', 1], ['complete']], []]);
    expect(reports.map((report) => [report.status, roleOf(report)])).toEqual([
      ['cancelled', 'executed'],
      ['succeeded', 'joined'],
    ]);
  });

  it('leaves its source when the last subscriber leaves, and keeps nothing [R161]', async () => {
    const upstream = new Upstream(hangs(1), gives(2));
    const { get, begin, outcome, clock } = scene(upstream.call, byId);
    const [first, second] = [await begin(get('a')), await begin(get('a'))];
    first.unsubscribe();
    second.unsubscribe();
    await clock.advance(0);
    expect([upstream.left, upstream.observers.size]).toEqual([1, 0]);
    expect(await outcome(get('a'))).toEqual([['next', 2], ['complete']]);
    expect([first.told, second.told, clock.pendingTimers]).toEqual([[], [], 0]);
  });

  it('gives results with their own reports', async () => {
    const { get } = scene(new Upstream(gives(1)).call, byId);
    const results = await Promise.all([
      firstValueFrom(resultOf(get('a'))),
      firstValueFrom(resultOf(get('a'))),
    ]);
    results.push(await firstValueFrom(resultOf(get('a'))));
    expect(results.map(({ value, report }) => [value, roleOf(report)])).toEqual([
      [1, 'executed'],
      [1, 'joined'],
      [1, 'replayed'],
    ]);
    expect(keyMetadata(results[0]?.report as never)).toMatchObject({ idempotency_cache_hit: false });
  });

  it('refuses its own key inside its source [R163]', async () => {
    const made: ReturnType<typeof scene<unknown>> = scene(() => made.get('a'), byId);
    expect(await made.outcome(made.get('a'))).toEqual([['error', expect.any(IdempotencyReentryError)]]);
  });

  it('ends with a misuse for a key that is none, and subscribes to nothing [R166]', async () => {
    const upstream = new Upstream(gives(1));
    const { outcome, get } = scene(upstream.call, { idempotencyKey: () => ' ' });
    const misuse = [['error', expect.objectContaining({ name: 'MisuseError' })]];
    expect([await outcome(get('a')), upstream.subscriptions]).toEqual([misuse, 0]);
  });

  it('is refused while its key is in flight where the policy says so', async () => {
    const upstream = new Upstream(hangs());
    const idempotency = idempotencyPolicy((id: string) => id, { onInFlight: 'reject' });
    const { outcome, begin, get } = scene(upstream.call as () => never, { idempotency });
    const first = await begin(get('a'));
    expect(await outcome(get('a'))).toEqual([
      ['error', expect.objectContaining({ code: 'RELPRIM_IDEMPOTENCY_IN_FLIGHT' })],
    ]);
    first.unsubscribe();
  });
});
