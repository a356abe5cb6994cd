import { describe, expect, it, jest } from '@jest/globals';
import { config, finalize, Observable, of, Subject, takeUntil, throwError } from 'rxjs';
import { EventEmitter, type AnyEvent, type MethodOptions } from '../../lib/index.js';
import { everySeconds, listenersOf } from '../operation/support.js';
import { attemptsOf, fails, gives, hangs, scene, subscribeTo, Upstream } from './support.js';

const down = new Error('down');
const hang = new Promise<never>(() => undefined);

const sinkThatHangsAt = (type: string): EventEmitter =>
  new EventEmitter({ sinks: [{ emit: (event: AnyEvent) => (event.eventType === type ? hang : undefined) }] });

interface Stage {
  readonly upstream: Upstream<number>;
  readonly options: MethodOptions;
  /** How many subscriptions there were, and how many of them had to be left. */
  readonly subscriptions: readonly [number, number];
  readonly attempts: string;
  readonly advance?: number;
}

const STAGES: Record<string, () => Stage> = {
  'during an attempt': () => ({
    upstream: new Upstream<number>(hangs(1)),
    options: { timeout: '10s', deadline: '1m' },
    subscriptions: [1, 1],
    attempts: 'cancelled',
  }),
  'during an attempt without any policy': () => ({
    upstream: new Upstream<number>(hangs(1)),
    options: {},
    subscriptions: [1, 1],
    attempts: 'cancelled',
  }),
  'during a later attempt': () => ({
    upstream: new Upstream<number>(fails(down), hangs(1)),
    options: { retries: 1, backoff: everySeconds(1), timeout: '10s' },
    subscriptions: [2, 1],
    attempts: 'failed cancelled',
    advance: 1,
  }),
  'while it waits for another attempt': () => ({
    upstream: new Upstream<number>(fails(down), gives(1)),
    options: { retries: 1, backoff: everySeconds(5), timeout: '10s' },
    subscriptions: [1, 0],
    attempts: 'failed',
    advance: 1,
  }),
  'while a validator thinks': () => ({
    upstream: new Upstream<number>(gives(1)),
    options: { validate: () => hang },
    subscriptions: [1, 0],
    attempts: 'cancelled',
  }),
  'during a fallback': () => ({
    upstream: new Upstream<number>(fails(down)),
    options: { fallback: () => hang },
    subscriptions: [1, 0],
    attempts: 'failed cancelled',
  }),
  'in a sink before the first attempt': () => ({
    upstream: new Upstream<number>(gives(1)),
    options: { events: sinkThatHangsAt('operation.started') },
    subscriptions: [0, 0],
    attempts: '',
  }),
  'in a sink after the success': () => ({
    upstream: new Upstream<number>(gives(1)),
    options: { events: sinkThatHangsAt('operation.succeeded') },
    subscriptions: [1, 0],
    attempts: 'succeeded',
  }),
};

describe('unsubscribing is the cancellation of the call', () => {
  it.each(Object.keys(STAGES))('%s', async (stage) => {
    const { upstream, options, subscriptions, attempts, advance = 0 } = (STAGES[stage] as () => Stage)();
    const { begin, clock, reports } = scene(upstream.call, options);
    const { told, unsubscribe } = await begin();
    await clock.advance(advance);
    expect(reports).toEqual([]);
    unsubscribe();
    expect(upstream.observers.size).toBe(0);
    await clock.advance(0);
    expect(reports.map(({ status }) => status)).toEqual(['cancelled']);
    expect([attemptsOf(reports[0]), clock.pendingTimers]).toEqual([attempts, 0]);
    await clock.advance('1h');
    expect([told, reports.length]).toEqual([[], 1]);
    expect([upstream.subscriptions, upstream.left]).toEqual(subscriptions);
  });

  it('leaves the Observable that a fallback subscribed to', async () => {
    const standIn = new Upstream(hangs(1));
    const { begin, clock } = scene<number>(() => throwError(() => down), { fallback: () => standIn.call() });
    const { unsubscribe } = await begin();
    expect(standIn.subscriptions).toBe(1);
    unsubscribe();
    expect([standIn.left, clock.pendingTimers]).toEqual([1, 0]);
  });

  it('by the source itself, in the middle of being subscribed to, ends that at once', async () => {
    const stop = new Subject<void>();
    const leave = jest.fn();
    const { get, clock, reports } = scene(
      () =>
        new Observable<number>((subscriber) => {
          stop.next();
          subscriber.next(1);
          subscriber.complete();
          return leave;
        }),
      { timeout: '1s', retries: 2 },
    );
    const { told } = subscribeTo(get().pipe(takeUntil(stop)));
    expect(leave).toHaveBeenCalledTimes(1);
    await clock.advance('1m');
    expect(told).toEqual([['complete']]);
    expect([reports.map(({ status }) => status), clock.pendingTimers]).toEqual([['cancelled'], 0]);
  });

  it('by the method itself subscribes to nothing', async () => {
    const stop = new Subject<void>();
    const upstream = new Upstream(gives(1));
    const { get, clock, reports } = scene(() => {
      stop.next();
      return upstream.call();
    });
    subscribeTo(get().pipe(takeUntil(stop)));
    await clock.advance(0);
    expect([upstream.subscriptions, reports[0]?.status]).toEqual([0, 'cancelled']);
  });

  it('after the end changes nothing', async () => {
    const { begin, reports, sink } = scene(() => of(1));
    const { told, unsubscribe } = await begin();
    const events = sink.sequence();
    unsubscribe();
    expect(told).toEqual([['next', 1], ['complete']]);
    expect([reports.map(({ status }) => status), sink.sequence()]).toEqual([['succeeded'], events]);
  });

  it('of one subscription leaves the others alone', async () => {
    const upstream = new Upstream(hangs(1));
    const { get, clock } = scene(upstream.call);
    const observable = get();
    const [one, other] = [subscribeTo(observable), subscribeTo(observable)];
    one.unsubscribe();
    for (const observer of upstream.observers) observer.complete();
    await clock.advance(0);
    expect([one.told, other.told]).toEqual([[], [['next', 1], ['complete']]]);
  });

  it('survives a source that fails while it is left, and says so', async () => {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const failing = () =>
      new Observable<number>(() => () => {
        throw new RangeError('secret');
      });
    const { begin, reports, clock } = scene(failing, { timeout: '1s', retries: 1, backoff: everySeconds(0) });
    const { told } = await begin();
    await clock.advance('3s');
    const warnings = warn.mock.calls.map(([message]) => message);
    warn.mockRestore();
    expect(told).toEqual([['error', expect.objectContaining({ name: 'OperationTimeoutError' })]]);
    expect(attemptsOf(reports[0])).toBe('timed_out timed_out');
    expect(warnings).toEqual([
      'a source of Client.get failed with UnsubscriptionError while it was unsubscribed from',
      'a source of Client.get failed with UnsubscriptionError while it was unsubscribed from',
    ]);
  });

  it('survives the same when a second value is why it is left', async () => {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const dropped = jest.fn();
    config.onUnhandledError = dropped;
    const values = new Subject<number>();
    const failing = () => values.pipe(finalize(() => no()));
    const { begin, clock } = scene(failing);
    const { told } = await begin();
    values.next(1);
    values.next(2);
    await clock.advance(0);
    // rxjs tells of what nobody handles from a real timer.
    await new Promise((resolve) => setTimeout(resolve, 5));
    config.onUnhandledError = null;
    const warnings = warn.mock.calls.map(([message]) => message);
    warn.mockRestore();
    expect(told).toEqual([['error', expect.objectContaining({ name: 'MisuseError' })]]);
    expect(dropped.mock.calls).toEqual([]);
    expect(warnings).toEqual([
      'a source of Client.get failed with UnsubscriptionError while it was unsubscribed from',
    ]);
  });
});

describe('the caller of an Observable method', () => {
  it('may also cancel by a signal, whose reason is what the subscriber is told', async () => {
    const controller = new AbortController();
    const upstream = new Upstream(hangs(1));
    const { begin, clock, reports } = scene(upstream.call, { signal: controller.signal, timeout: '1m' });
    const { told } = await begin();
    controller.abort(down);
    expect(upstream.left).toBe(1);
    await clock.advance(0);
    expect(told).toEqual([['error', down]]);
    expect([reports[0]?.status, listenersOf(controller.signal), clock.pendingTimers]).toEqual([
      'cancelled',
      0,
      0,
    ]);
  });

  it('that is aborted already calls nothing', async () => {
    const upstream = new Upstream(gives(1));
    const { outcome } = scene(upstream.call, { signal: AbortSignal.abort(down) });
    expect(await outcome()).toEqual([['error', down]]);
    expect(upstream.calls).toEqual([]);
  });

  it('leaves no listener behind, however its calls end', async () => {
    const { signal } = new AbortController();
    const upstream = new Upstream<number>(gives(1), fails(down), hangs(1), hangs(1));
    const { outcome, begin, clock } = scene(upstream.call, { signal, timeout: '1s' });
    for (let call = 0; call < 3; call += 1) await outcome();
    const { unsubscribe } = await begin();
    expect(listenersOf(signal)).toBe(1);
    unsubscribe();
    await clock.advance(0);
    expect([listenersOf(signal), clock.pendingTimers]).toEqual([0, 0]);
  });
});

function no(): never {
  throw new RangeError('secret');
}
