import { existsSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { Resilient } from '../../lib/index.js';
import { SqliteEventStore } from '../../lib/adapters/sqlite.js';
import { ResilienceExecutor } from '../../nest-module/index.js';
import { start } from '../nest/support.js';
import { describeWithSqlite } from './driver.js';
import { freshPath, rowsOf, storeOn } from './support.js';

@Injectable()
class Payments {
  @Resilient()
  async charge(): Promise<string> {
    return 'receipt';
  }
}

describeWithSqlite('an SQLite store in a Nest application', () => {
  it('has written everything when the application has closed', async () => {
    const file = freshPath();
    const { store, warnings } = storeOn(file);
    const app = await start({ providers: [Payments] }, { eventSinks: [store] });
    app.get(ResilienceExecutor).observe(store.onReport);
    await app.get(Payments).charge();
    await app.close();
    expect(rowsOf(file, 'SELECT event_type, operation_name FROM relprim_events')).toEqual(
      ['operation.started', 'attempt.started', 'attempt.succeeded', 'operation.succeeded'].map(
        (event_type) => ({
          event_type,
          operation_name: 'Payments.charge',
        }),
      ),
    );
    expect(rowsOf(file, 'SELECT status FROM relprim_reports')).toEqual([{ status: 'succeeded' }]);
    expect(warnings).toEqual([]);
  });

  it('is closed with the application where it is a provider, and read by others until then', async () => {
    const file = freshPath();
    const { store, clock } = storeOn(file);
    const provider = { provide: SqliteEventStore, useValue: store };
    const app = await start({ providers: [Payments, provider] }, { eventSinks: [store] });
    await app.get(Payments).charge();
    const stored = await app.get(SqliteEventStore).history({ operationName: 'Payments.charge' });
    expect(stored).toHaveLength(4);
    expect(existsSync(`${file}-wal`)).toBe(true);
    await app.close();
    // Whoever closes a file last takes its journal away.
    expect(existsSync(`${file}-wal`)).toBe(false);
    expect(rowsOf(file, 'SELECT count(*) AS events FROM relprim_events')).toEqual([{ events: 4 }]);
    expect(clock.pendingTimers).toBe(0);
  });
});
