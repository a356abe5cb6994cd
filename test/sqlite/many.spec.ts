import { expect, it } from '@jest/globals';
import { describeWithSqlite } from './driver.js';
import { event, freshPath, rowsOf, storeOn } from './support.js';

const MANY = 100_000;
const START_MS = Date.UTC(2026, 0, 1);

describeWithSqlite('a hundred thousand events', () => {
  it('are written, read page by page and deleted by age, and nothing else gets in between', async () => {
    const path = freshPath();
    const { store, clock } = storeOn(path, { queueSize: MANY });
    for (let number = 1; number <= MANY; number += 1)
      store.emit(
        event({
          at: new Date(START_MS + number).toISOString(),
          operation: `op ${number % 10}`,
          payload: { attempt_number: number, max_attempts: MANY },
        }),
      );
    expect(store.dropped).toBe(0);
    await clock.advance('1s');

    let [expected, pages] = [1, 0];
    for (let after = 0; ; pages += 1) {
      const page = await store.history({ afterSequenceId: after, limit: 1_000 });
      if (page.length === 0) break;
      for (const { sequenceId, event: told } of page) {
        if (
          sequenceId !== expected ||
          (told.payload as { attempt_number: number }).attempt_number !== expected
        )
          throw new Error(`${sequenceId} in the place of ${expected}`);
        expected += 1;
      }
      after = page.at(-1)?.sequenceId ?? 0;
    }
    expect([expected - 1, pages]).toEqual([MANY, 100]);

    const late = await store.history({ operationName: 'op 7', afterSequenceId: MANY - 20 });
    expect(late.map(({ sequenceId }) => sequenceId)).toEqual([MANY - 13, MANY - 3]);

    // A page in the middle of the deletion: others have their turn.
    const deleting = store.deleteBefore(new Date(START_MS + 60_001));
    const between = await store.history({ limit: 1 });
    expect(between[0]?.sequenceId).toBeLessThan(60_001);
    expect(await clock.settle(deleting)).toBe(60_000);
    const [first] = await store.history({ limit: 1 });
    expect(first?.sequenceId).toBe(60_001);
    expect(await clock.settle(store.deleteBefore(new Date(START_MS + MANY)))).toBe(39_999);
    expect((await store.history()).map(({ sequenceId }) => sequenceId)).toEqual([MANY]);
    await store.close();
    expect(rowsOf(path, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    expect(clock.pendingTimers).toBe(0);
  }, 60_000);
});
