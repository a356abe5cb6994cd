import { expect, it } from '@jest/globals';
import {
  asyncOperation,
  EventEmitter,
  ExecutionReport,
  ExponentialBackoff,
  resilient,
  type EventSink,
} from '../../lib/index.js';
import { StoredReport, type SqliteEventStore } from '../../lib/adapters/sqlite.js';
import { FakeClock } from '../../lib/testing/index.js';
import { mistakeOf } from '../support/mistake-of.js';
import { describeWithSqlite } from './driver.js';
import { event, freshPath, rowsOf, storeOn } from './support.js';

interface Told {
  readonly sinks?: readonly EventSink[];
  readonly onReport?: SqliteEventStore['onReport'];
}

/** An operation whose calls take as long, and end, as they are told to. */
function operation(name: string, clock: FakeClock, { sinks, onReport }: Told) {
  const wait = (ms: number): Promise<void> => new Promise((resolve) => void clock.setTimer(resolve, ms));
  const call = resilient(
    {
      name,
      clock,
      retries: 1,
      backoff: new ExponentialBackoff({ baseDelay: 0 }),
      retryOn: [RangeError],
      timeout: '1m',
      signal: (_ms: number, _ends: string, signal?: AbortSignal) => signal,
      idempotencyKey: (ms: number, ends: string) =>
        ends === 'once' ? 'once' : `${ms} ${ends} ${clock.wallMs()}`,
      fallback: (_ms: number, ends: string) =>
        ends === 'falls back' ? 'stand-in' : Promise.reject(new TypeError('no')),
      ...(sinks !== undefined && { events: new EventEmitter({ sinks }) }),
      onReport,
    },
    async (ms: number, ends: string, _signal?: AbortSignal) => {
      await wait(ms);
      if (ends === 'succeeds' || ends === 'once') return 'receipt';
      throw ends === 'fails at last' ? new RangeError('declined') : new TypeError('broken');
    },
  );
  return async (ms: number, ends: string, signal?: AbortSignal) => {
    await clock.settle(call(ms, ends, signal).catch(() => undefined));
  };
}

const START = new Date('2026-01-01T00:00:00Z');

describeWithSqlite('reports in an SQLite file', () => {
  it('are there when the file is opened again, as they were told', async () => {
    const path = freshPath();
    const { store, clock } = storeOn(path);
    const told: ExecutionReport[] = [];
    const onReport = (report: ExecutionReport): void => {
      told.push(report);
      store.onReport(report);
    };
    const call = operation('charge', clock, { onReport });
    await call(100, 'succeeds');
    await call(100, 'fails at last');
    await store.close();
    const stored = await storeOn(path).store.reports();
    expect(stored.map(({ sequenceId }) => sequenceId)).toEqual([1, 2]);
    expect(stored[0]).toBeInstanceOf(StoredReport);
    expect(stored[0]?.report).toBeInstanceOf(ExecutionReport);
    expect(stored.map(({ report }) => report.toJSON())).toEqual(told.map((report) => report.toJSON()));
    expect(stored.map(({ report }) => report.explain())).toEqual(told.map((report) => report.explain()));
    expect(stored[1]?.report.attempts.map(({ error }) => error?.type)).toEqual([
      'RangeError',
      'RangeError',
      'FallbackChainError',
    ]);
  });

  it('stand there with the time when the call ended', async () => {
    const path = freshPath();
    const { store, clock } = storeOn(path);
    await operation('charge', clock, { onReport: store.onReport })(1_250, 'succeeds');
    await store.flush();
    const columns = 'sequence_id, operation_name, status, ended_at, duration_seconds';
    expect(rowsOf(path, `SELECT ${columns} FROM relprim_reports`)).toEqual([
      {
        sequence_id: 1,
        operation_name: 'charge',
        status: 'succeeded',
        ended_at: '2026-01-01T00:00:01.250000+00:00',
        duration_seconds: 1.25,
      },
    ]);
    expect(rowsOf(path, 'SELECT * FROM relprim_events')).toEqual([]);
  });

  it('are found by operation, call and status, page by page, from either end', async () => {
    const { store, clock } = storeOn(freshPath());
    const { onReport } = store;
    const [charge, refund] = [
      operation('charge', clock, { onReport }),
      operation('refund', clock, { onReport }),
    ];
    for (const call of [charge, refund]) for (const ends of ['succeeds', 'fails']) await call(1, ends);
    const ids = async (options: object) => (await store.reports(options)).map(({ sequenceId }) => sequenceId);
    expect(await ids({ operationName: 'refund' })).toEqual([3, 4]);
    expect(await ids({ statuses: ['failed'] })).toEqual([2, 4]);
    expect(await ids({ statuses: ['failed', 'succeeded'], operationName: 'charge', limit: 1 })).toEqual([1]);
    expect(await ids({ order: 'newest-first', limit: 2, afterSequenceId: 4 })).toEqual([3, 2]);
    const [third] = await store.reports({ afterSequenceId: 2, limit: 1 });
    expect(await ids({ callId: third?.report.callId })).toEqual([3]);
    for (const [option, value] of Object.entries({
      limit: 0,
      statuses: 'failed',
      operationName: '',
      stats: 1,
    }))
      await expect(store.reports({ [option]: value })).rejects.toMatchObject({ option });
    expect(mistakeOf(() => new StoredReport(0, third?.report as ExecutionReport)).option).toBe('sequenceId');
  });

  it('are deleted with the events, by the time when their calls ended', async () => {
    const { store, clock } = storeOn(freshPath());
    const call = operation('charge', clock, { onReport: store.onReport });
    await call(1_000, 'succeeds');
    await call(1_000, 'succeeds');
    store.emit(event({ at: '2026-01-01T00:00:01.500Z' }));
    expect(await store.deleteBefore(new Date('2026-01-01T00:00:02Z'))).toBe(2);
    expect((await store.reports()).map(({ sequenceId }) => sequenceId)).toEqual([2]);
    expect(await store.history()).toEqual([]);
  });

  it('are not kept of operations that nobody gave to the store', async () => {
    const { store } = storeOn(freshPath());
    const events = new EventEmitter({ sinks: [store] });
    await asyncOperation('charge', () => Promise.resolve('receipt'))
      .withEvents(events)
      .run();
    expect(await store.reports()).toEqual([]);
    expect(await store.history()).toHaveLength(4);
  });
});

describeWithSqlite('the summary of an SQLite file', () => {
  const ends = ['succeeds', 'falls back', 'fails', 'fails at last'];
  const EXPECTED = [
    {
      operationName: 'charge',
      calls: 5,
      succeeded: 3,
      failed: 2,
      failureRate: 0.4,
      attempts: 9,
      retries: 1,
      fallbacksUsed: 1,
      p50Seconds: 0.1,
      p99Seconds: 0.2,
    },
    {
      operationName: 'refund',
      calls: 1,
      succeeded: 1,
      failed: 0,
      failureRate: 0,
      attempts: 1,
      retries: 0,
      fallbacksUsed: 0,
      p50Seconds: 0.5,
      p99Seconds: 0.5,
    },
  ];

  it.each(['events', 'reports', 'both'])('is the same of %s', async (kind) => {
    const { store, clock } = storeOn(freshPath());
    const told: Told = {
      ...(kind !== 'reports' && { sinks: [store] }),
      ...(kind !== 'events' && { onReport: store.onReport }),
    };
    const [charge, refund] = [operation('charge', clock, told), operation('refund', clock, told)];
    for (const each of ends) await charge(100, each);
    // The second one is given the result of the first, and the third one leaves.
    await charge(100, 'once');
    await charge(100, 'once');
    const leaving = new AbortController();
    clock.setTimer(() => leaving.abort(), 50);
    await charge(100, 'succeeds', leaving.signal);
    await refund(500, 'succeeds');
    expect(await store.summary(START)).toEqual(EXPECTED);
  });

  it('is of the calls that ended since a moment', async () => {
    const { store, clock } = storeOn(freshPath());
    const call = operation('charge', clock, { onReport: store.onReport });
    await call(1_000, 'fails');
    await call(1_000, 'succeeds');
    const callsSince = async (at: string) => (await store.summary(new Date(at)))[0]?.calls;
    expect(await callsSince('2026-01-01T00:00:01Z')).toBe(2);
    expect(await callsSince('2026-01-01T00:00:01.001Z')).toBe(1);
    expect(await store.summary(new Date('2026-01-01T00:00:02.001Z'))).toEqual([]);
  });

  it('knows the durations that half, and 99 of 100, of the calls did not exceed', async () => {
    const { store, clock } = storeOn(freshPath());
    const call = operation('charge', clock, { sinks: [store] });
    for (let ms = 200; ms >= 1; ms -= 1) await call(ms, 'succeeds');
    const [{ p50Seconds, p99Seconds } = { p50Seconds: 0, p99Seconds: 0 }] = await store.summary(START);
    expect([p50Seconds, p99Seconds]).toEqual([0.1, 0.198]);
  });
});
