import { expect, it } from '@jest/globals';
import {
  asyncOperation,
  ConfigurationError,
  EventEmitter,
  ExponentialBackoff,
  RetryPolicy,
  StructuredEvent,
} from '../../lib/index.js';
import { SqliteEventStore, StoredEvent } from '../../lib/adapters/sqlite.js';
import { mistakeOf } from '../support/mistake-of.js';
import { describeWithSqlite } from './driver.js';
import { event, freshPath, numbered, numbersOf, rowsOf, storeOn } from './support.js';

describeWithSqlite('events in an SQLite file', () => {
  it('are there when the file is opened again [R266]', async () => {
    const path = freshPath();
    const first = storeOn(path);
    first.store.emit(event({ callId: 'call 1' }));
    await first.store.close();
    const [stored] = await storeOn(path).store.history();
    expect(stored).toBeInstanceOf(StoredEvent);
    expect(stored?.sequenceId).toBe(1);
    expect(stored?.event).toBeInstanceOf(StructuredEvent);
    expect(stored?.event.toJSON()).toEqual({
      event_type: 'attempt.started',
      operation_name: 'charge',
      timestamp: '2026-01-01T00:00:00.250Z',
      payload: { attempt_number: 1, max_attempts: 3 },
      call_id: 'call 1',
    });
  });

  it('come back as they were: texts of all kinds, whole numbers and fractions, booleans, null [R267]', async () => {
    const { store } = storeOn(freshPath());
    const payload = {
      text: 'zażółć 漢字 🙂 "quoted" \\ \n \u0000 \ud800',
      whole: 9_007_199_254_740_991,
      negative: -0.1,
      tiny: 5e-324,
      yes: true,
      no: false,
      nothing: null,
      nested: { list: [1, 'two', { three: null }], empty: {} },
    };
    store.emit(event({ operation: 'Zahlung 漢字 🙂', payload }));
    const [stored] = await store.history();
    expect(stored?.event.payload).toEqual(payload);
    expect(stored?.event.operationName).toBe('Zahlung 漢字 🙂');
  });

  it('stand there as compact JSON with its keys in order, and with the time in UTC to the microsecond', async () => {
    const path = freshPath();
    const { store } = storeOn(path);
    store.emit(event({ payload: { z: 'ü', a: { d: 1, c: undefined, b: [true, null] } }, callId: 'c' }));
    await store.flush();
    expect(rowsOf(path, 'SELECT * FROM relprim_events')).toEqual([
      {
        sequence_id: 1,
        event_type: 'attempt.started',
        operation_name: 'charge',
        timestamp: '2026-01-01T00:00:00.250000+00:00',
        payload_json: '{"a":{"b":[true,null],"d":1},"z":"ü"}',
        call_id: 'c',
      },
    ]);
  });

  it('are found by operation [R268]', async () => {
    const { store } = storeOn(freshPath());
    for (const operation of ['charge', 'refund', 'charge']) store.emit(event({ operation }));
    const found = await store.history({ operationName: 'charge' });
    expect(found.map(({ sequenceId }) => sequenceId)).toEqual([1, 3]);
    expect(await store.history({ operationName: 'CHARGE' })).toEqual([]);
  });

  it('are found by types, together with all other conditions [R269]', async () => {
    const { store } = storeOn(freshPath());
    for (const operation of ['charge', 'refund'])
      for (const type of ['attempt.started', 'attempt.failed', 'operation.failed'] as const)
        store.emit(event({ operation, type, callId: `of ${operation}` }));
    const ids = async (options: object) => (await store.history(options)).map(({ sequenceId }) => sequenceId);
    expect(await ids({ eventTypes: ['attempt.failed', 'operation.failed'] })).toEqual([2, 3, 5, 6]);
    expect(await ids({ eventTypes: ['attempt.failed'], operationName: 'refund' })).toEqual([5]);
    expect(
      await ids({ eventTypes: ['attempt.failed'], operationName: 'refund', afterSequenceId: 5 }),
    ).toEqual([]);
    expect(await ids({ callId: 'of charge', afterSequenceId: 1 })).toEqual([2, 3]);
  });

  it('are read page by page, each from where the last one ended [R270]', async () => {
    const { store } = storeOn(freshPath());
    for (const each of numbered(7)) store.emit(each);
    const pages: number[][] = [];
    for (let after = 0; ;) {
      const page = await store.history({ afterSequenceId: after, limit: 3 });
      if (page.length === 0) break;
      pages.push(page.map(({ sequenceId }) => sequenceId));
      after = page.at(-1)?.sequenceId ?? 0;
    }
    expect(pages).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
  });

  it('are read from the newest on where that is asked for', async () => {
    const { store } = storeOn(freshPath());
    for (const each of numbered(5)) store.emit(each);
    const first = await store.history({ order: 'newest-first', limit: 2 });
    const second = await store.history({ order: 'newest-first', limit: 2, afterSequenceId: 4 });
    expect([...numbersOf(first), ...numbersOf(second)]).toEqual([5, 4, 3, 2]);
  });

  it('are a hundred to a page where nothing is said', async () => {
    const { store } = storeOn(freshPath());
    for (const each of numbered(101)) store.emit(each);
    expect(numbersOf(await store.history())).toEqual(
      numbersOf(numbered(100).map((each) => ({ event: each }))),
    );
  });

  it('of no type at all are none, and the file is not touched for it [R271]', async () => {
    let opened = 0;
    const open = () => {
      opened += 1;
      throw new Error('touched');
    };
    const { store } = storeOn(freshPath(), { open });
    expect(await store.history({ eventTypes: [] })).toEqual([]);
    expect(await store.reports({ statuses: [] })).toEqual([]);
    expect(opened).toBe(0);
  });

  it('are deleted where they are strictly older than a moment, and counted [R272]', async () => {
    const { store } = storeOn(freshPath());
    for (const at of ['2026-01-01T00:00:00.000Z', '2025-12-31T23:59:59.999Z', '2026-01-01T00:00:00.001Z'])
      store.emit(event({ at }));
    expect(await store.deleteBefore(new Date('2026-01-01T00:00:00Z'))).toBe(1);
    expect(await store.deleteBefore(new Date('2026-01-01T00:00:00Z'))).toBe(0);
    expect((await store.history()).map(({ sequenceId }) => sequenceId)).toEqual([1, 3]);
    expect(await store.deleteBefore(new Date('2027-01-01T00:00:00Z'))).toBe(2);
    store.emit(event());
    expect((await store.history()).map(({ sequenceId }) => sequenceId)).toEqual([4]);
  });

  it('have the numbers 1 to 50 when fifty are told at once, in the order they were told [R273]', async () => {
    const { store, clock } = storeOn(freshPath());
    const emitter = new EventEmitter({ sinks: [store] });
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        emitter.emit('attempt.started', {
          operationName: 'charge',
          payload: { attempt_number: index + 1, max_attempts: 50 },
        }),
      ),
    );
    const stored = await store.history();
    const upTo50 = Array.from({ length: 50 }, (_, index) => index + 1);
    expect(stored.map(({ sequenceId }) => sequenceId)).toEqual(upTo50);
    expect(numbersOf(stored)).toEqual(upTo50);
    expect(clock.pendingTimers).toBe(0);
  });

  it('are those of a call, where the store is the sink of an emitter [R274]', async () => {
    const { store } = storeOn(freshPath());
    let tries = 0;
    const operation = asyncOperation('charge', () => {
      tries += 1;
      return tries === 1 ? Promise.reject(new RangeError('no')) : Promise.resolve('receipt');
    })
      .withRetry(new RetryPolicy({ maxAttempts: 2, backoff: new ExponentialBackoff({ baseDelay: 0 }) }))
      .withEvents(new EventEmitter({ sinks: [store] }));
    const { report } = await operation.run();
    const stored = await store.history();
    expect(stored.map(({ event: { eventType } }) => eventType)).toEqual([
      'operation.started',
      'attempt.started',
      'attempt.failed',
      'retry.scheduled',
      'attempt.started',
      'attempt.succeeded',
      'operation.succeeded',
    ]);
    expect(new Set(stored.map(({ event: { callId } }) => callId))).toEqual(new Set([report.callId]));
    expect(stored[2]?.event.payload).toMatchObject({ error_type: 'RangeError', attempt_number: 1 });
  });

  it('have numbers from 1 on', () => {
    expect(new StoredEvent(1, event()).sequenceId).toBe(1);
    for (const number of [0, -1, 1.5, NaN, true as unknown as number])
      expect(mistakeOf(() => new StoredEvent(number, event())).option).toBe('sequenceId');
  });

  it('are asked for with options that make sense, or not at all [R282]', async () => {
    const { store } = storeOn(freshPath());
    const refused = async (options: object): Promise<string> => {
      const error: unknown = await store.history(options).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ConfigurationError);
      return (error as ConfigurationError).option;
    };
    for (const limit of [0, -1, 1.5, NaN, Infinity, true, '1', null])
      expect(await refused({ limit })).toBe('limit');
    for (const afterSequenceId of [-1, 0.5, true, '1', null])
      expect(await refused({ afterSequenceId })).toBe('afterSequenceId');
    for (const operationName of ['', ' ', 1, null])
      expect(await refused({ operationName })).toBe('operationName');
    for (const eventTypes of ['attempt.failed', {}, null])
      expect(await refused({ eventTypes })).toBe('eventTypes');
    for (const kind of ['', 1, null]) expect(await refused({ eventTypes: [kind] })).toBe('eventTypes[0]');
    expect(await refused({ order: 'newest' })).toBe('order');
    expect(await refused({ callId: '' })).toBe('callId');
    expect(await refused({ limt: 1 })).toBe('limt');
  });
});

it('an SQLite store is not in memory, and has a path [R278]', () => {
  const optionOf = (options: object): string =>
    mistakeOf(() => new SqliteEventStore(options as { path: string })).option;
  for (const path of [':memory:', '', '  ', 'file:events.db', 1, undefined])
    expect(optionOf({ path })).toBe('path');
});

it('an SQLite store has a lock timeout of zero or more, and other numbers in their range [R279]', () => {
  const optionOf = (options: object): string =>
    mistakeOf(() => new SqliteEventStore({ path: 'events.db', ...options })).option;
  for (const busyTimeout of [-1, NaN, Infinity, true, '5', null])
    expect(optionOf({ busyTimeout })).toBe('busyTimeout');
  for (const flushInterval of [0, -1, '1']) expect(optionOf({ flushInterval })).toBe('flushInterval');
  for (const queueSize of [0, 1.5, '9']) expect(optionOf({ queueSize })).toBe('queueSize');
  expect(optionOf({ open: 'node:sqlite' })).toBe('open');
  expect(optionOf({ warn: true })).toBe('warn');
  expect(optionOf({ clock: {} })).toBe('clock');
  expect(optionOf({ busyTimout: 1 })).toBe('busyTimout');
  expect(new SqliteEventStore({ path: 'events.db', busyTimeout: 0 }).dropped).toBe(0);
});

it('an SQLite store deletes before a moment, and sums up since one, that is a date [R280]', async () => {
  const store = new SqliteEventStore({ path: 'events.db' });
  for (const moment of [new Date(NaN), '2026-01-01', 1_767_225_600_000, new Date('+010000-01-01')]) {
    await expect(store.deleteBefore(moment as Date)).rejects.toMatchObject({ option: 'moment' });
    await expect(store.summary(moment as Date)).rejects.toMatchObject({ option: 'since' });
  }
});
