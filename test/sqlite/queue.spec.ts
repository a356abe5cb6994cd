import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, it } from '@jest/globals';
import { EventEmitter, resilient, StructuredEvent, SystemClock, type Timer } from '../../lib/index.js';
import { SqliteEventStore } from '../../lib/adapters/sqlite.js';
import { FakeClock } from '../../lib/testing/index.js';
import { describeWithSqlite, open } from './driver.js';
import { countIn, event, freshPath, lookInto, numbered, numbersOf, rowsOf, storeOn } from './support.js';

/** Counts the timers that keep a process alive. */
class HoldingClock extends FakeClock {
  set = 0;
  holding = 0;

  override setTimer(callback: () => void, delayMs: number): Timer {
    this.set += 1;
    this.holding += 1;
    const timer = super.setTimer(callback, delayMs);
    return {
      cancel: () => timer.cancel(),
      unref: () => {
        this.holding -= 1;
        timer.unref?.();
      },
    };
  }
}

describeWithSqlite('what an SQLite store is told', () => {
  it('waits, and is written a quarter of a second after the first of it came', async () => {
    const path = freshPath();
    const { store, clock } = storeOn(path);
    await store.initialize();
    store.emit(event());
    await clock.advance('200ms');
    store.emit(event());
    await clock.advance('49ms');
    expect(countIn(path)).toBe(0);
    await clock.advance('1ms');
    expect(countIn(path)).toBe(2);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is written as often as one likes', async () => {
    const path = freshPath();
    const { store, clock } = storeOn(path, { flushInterval: '2s' });
    store.emit(event());
    await clock.advance('1999ms');
    await store.initialize();
    expect(countIn(path)).toBe(0);
    await clock.advance('1ms');
    expect(countIn(path)).toBe(1);
  });

  it('is written at once, in batches of 200, where much of it comes', async () => {
    const path = freshPath();
    const { store, clock } = storeOn(path);
    const begun: number[] = [];
    const { store: watched, clock: time } = storeOn(path, {
      open: (file) => {
        const database = open(file);
        return {
          exec: (sql) => {
            if (sql === 'BEGIN IMMEDIATE') begun.push(time.monotonicMs());
            return database.exec(sql);
          },
          prepare: (sql) => database.prepare(sql),
          close: () => database.close(),
        };
      },
    });
    await store.initialize();
    for (const each of numbered(1_100)) watched.emit(each);
    expect(countIn(path)).toBe(0);
    await time.advance(0);
    expect(countIn(path)).toBe(1_000);
    await time.advance('250ms');
    expect(countIn(path)).toBe(1_100);
    expect(begun).toEqual([0, 0, 0, 0, 0, 250]);
    expect([clock.pendingTimers, time.pendingTimers]).toEqual([0, 0]);
  });

  it('is read with what is written already, in the order it was told', async () => {
    const { store, clock } = storeOn(freshPath());
    for (const each of numbered(600)) store.emit(each);
    await clock.advance('1s');
    for (const each of numbered(600, 601)) store.emit(each);
    const stored = await store.history({ limit: 2_000 });
    expect(numbersOf(stored)).toEqual(Array.from({ length: 1_200 }, (_, index) => index + 1));
    expect(clock.pendingTimers).toBe(0);
  });

  it('is all written by flush(), and what comes meanwhile is written in its time', async () => {
    const path = freshPath();
    const { store, clock } = storeOn(path);
    for (const each of numbered(400)) store.emit(each);
    const flushed = store.flush();
    store.emit(event());
    await flushed;
    expect(countIn(path)).toBe(400);
    await clock.advance('250ms');
    expect(countIn(path)).toBe(401);
    expect(clock.pendingTimers).toBe(0);
    await store.flush();
  });

  it('is written by close(), and the file is opened again for what comes later', async () => {
    const path = freshPath();
    const { store, clock } = storeOn(path);
    store.emit(event());
    await store.close();
    expect(countIn(path)).toBe(1);
    await store.close();
    store.emit(event());
    await clock.advance('250ms');
    expect(countIn(path)).toBe(2);
  });

  it('is bounded, and what is dropped is counted and said once a minute', async () => {
    const { store, clock, warnings } = storeOn(freshPath(), { queueSize: 10 });
    for (const each of numbered(25)) store.emit(each);
    expect(store.dropped).toBe(15);
    const said = (count: number) =>
      `SQLite event store is too slow: ${count} event(s) and report(s) dropped so far, as 10 were waiting`;
    expect(warnings).toEqual([said(1)]);
    expect(numbersOf(await store.history())).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    await clock.advance('59s');
    for (const each of numbered(11)) store.emit(each);
    expect(warnings).toHaveLength(1);
    await clock.advance('1s');
    for (const each of numbered(11)) store.emit(each);
    expect(store.dropped).toBe(17);
    expect(warnings).toEqual([said(1), said(17)]);
  });

  it('is refused where it holds what JSON would change: it is left out, counted and said [R281]', async () => {
    const { store, warnings } = storeOn(freshPath());
    const bad = [NaN, Infinity, -Infinity, 1n, new Date(0), () => 1, Symbol('s'), { deep: [NaN] }];
    for (const value of bad) {
      store.emit(event({ payload: { value } }));
      store.emit(event());
    }
    expect(await store.history()).toHaveLength(bad.length);
    expect(store.refused).toBe(bad.length);
    expect(warnings).toEqual([
      'SQLite event store could not write one as it is: payload.value is NaN; give what JSON has a form for: ' +
        'finite numbers, texts, booleans, null, lists and plain objects. 1 event(s) and report(s) refused so far',
    ]);
  });

  it('is refused where its payload cannot be made, and holds up nothing else', async () => {
    const { store, warnings } = storeOn(freshPath());
    const payload = (): never => {
      throw new RangeError('no payload');
    };
    store.emit(
      new StructuredEvent({
        eventType: 'attempt.started',
        operationName: 'charge',
        timestamp: new Date(0),
        payload,
      }),
    );
    store.emit(event());
    expect(await store.history()).toHaveLength(1);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('RangeError (no payload)');
  });

  it('is made into JSON when it is written, not while a call waits', async () => {
    const { store, clock } = storeOn(freshPath());
    let made = 0;
    const told = new StructuredEvent({
      eventType: 'attempt.started',
      operationName: 'charge',
      timestamp: new Date(0),
      payload: () => ({ attempt_number: (made += 1), max_attempts: 1 }),
    });
    store.emit(told);
    expect(made).toBe(0);
    await clock.advance('1s');
    expect(made).toBe(1);
  });

  it('is written outside the async context of the call that told it', async () => {
    const context = new AsyncLocalStorage<string>();
    // The machine's clock: only timers of the platform take a context with them.
    const seen = await new Promise<unknown>((resolve) => {
      const { store } = storeOn(freshPath(), {
        clock: new SystemClock(),
        flushInterval: '1ms',
        open: (file) => {
          resolve(context.getStore());
          return open(file);
        },
      });
      context.run('a request', () => store.emit(event()));
    });
    expect(seen).toBeUndefined();
  });

  it('keeps no process alive that has nothing else to do, unless somebody waits for it', async () => {
    const path = freshPath();
    const clock = new HoldingClock();
    const { store } = storeOn(path, { clock, busyTimeout: '1s' });
    await store.initialize();
    const other = lookInto(path);
    other.exec('BEGIN IMMEDIATE');
    for (const each of numbered(450)) store.emit(each);
    await clock.advance('20s');
    expect(clock.set).toBeGreaterThan(10);
    expect(clock.holding).toBe(0);
    const flushed = store.flush();
    expect(clock.holding).toBe(1);
    other.exec('ROLLBACK');
    await clock.settle(flushed);
    await clock.advance('10s');
    expect(countIn(path)).toBe(450);
    expect(clock.pendingTimers).toBe(0);
  });

  it('costs a call neither time nor an error, whatever becomes of the file', async () => {
    const { store, clock, warnings } = storeOn(freshPath(), {
      open: () => {
        throw new RangeError('no such disk');
      },
      warn: () => {
        throw new Error('nobody listens');
      },
    });
    const call = resilient({ name: 'charge', clock, events: new EventEmitter({ sinks: [store] }) }, () =>
      Promise.resolve('receipt'),
    );
    expect((await call()).value).toBe('receipt');
    await clock.advance('1s');
    expect((await call()).value).toBe('receipt');
    expect(warnings).toEqual([]);
    await expect(store.flush()).rejects.toThrow('no such disk');
  });

  it('is written by the time of the machine, where no clock is given', async () => {
    const path = freshPath();
    const store = new SqliteEventStore({ path, open, flushInterval: '1ms' });
    store.emit(event());
    for (const endMs = performance.now() + 5_000; performance.now() < endMs;) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (rowsOf(path, `SELECT name FROM sqlite_master WHERE name = 'relprim_events'`).length === 0) continue;
      if (countIn(path) === 1) break;
    }
    expect(countIn(path)).toBe(1);
    await store.close();
  });
});
