import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { SqliteEventStore } from '../../lib/adapters/sqlite.js';
import { ResilienceExecutor } from '../../nest-module/index.js';
import { describeWithSqlite, open } from '../sqlite/driver.js';
import { PLATFORMS, scene } from './support.js';

const folder = mkdtempSync(join(tmpdir(), 'relprim-dashboard-'));
const stores: SqliteEventStore[] = [];

afterAll(async () => {
  for (const store of stores.splice(0)) await store.close();
  rmSync(folder, { recursive: true, force: true });
});

describeWithSqlite('the history of a dashboard with a store in a file', () => {
  it.each(PLATFORMS)('is what it has kept, page by page, newest first, on %s', async (platform) => {
    const history = new SqliteEventStore({ path: join(folder, `${platform}.sqlite`), open });
    stores.push(history);
    const { app, client, json, state } = await scene(platform, {
      dashboard: { unsafe: true, history },
      options: { eventSinks: [history] },
    });
    app.get(ResilienceExecutor).observe(history.onReport);
    for (let call = 0; call < 60; call += 1) await client.charge();
    await client.fails(1);
    const newest = state.snapshot().executions[0];
    const first = (await json('/resilience/history?kind=reports')) as any;
    expect([first.kind, first.entries.length, first.before]).toEqual(['reports', 50, 12]);
    expect(first.entries[0].report).toMatchObject({ call_id: newest?.call_id, status: 'failed' });
    expect(first.entries[0].explanation).toContain('#1 failed after 0 s: Down');
    const second = (await json(`/resilience/history?kind=reports&before=${first.before}`)) as any;
    expect([second.entries.length, second.before]).toEqual([11, null]);
    const events = (await json('/resilience/history?kind=events')) as any;
    expect(events.entries[0]).toMatchObject({
      event_type: 'operation.failed',
      call_id: newest?.call_id,
      operation_name: 'PaymentsClient.charge',
    });
    const ofNobody = (await json('/resilience/history?operation=Nobody')) as any;
    expect(ofNobody.entries).toEqual([]);
  });
});
