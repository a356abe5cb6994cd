import { describe, expect, it } from '@jest/globals';
import type { DashboardHistory, HistoryReadOptions } from '../../nest-module/dashboard/index.js';
import { PLATFORMS, scene } from './support.js';

/** A store that notes what it is asked. */
class Asked implements DashboardHistory {
  readonly questions: [string, HistoryReadOptions][] = [];

  async reports(options: HistoryReadOptions) {
    this.questions.push(['reports', options]);
    return [];
  }

  async history(options: HistoryReadOptions) {
    this.questions.push(['history', options]);
    return [];
  }
}

describe.each(PLATFORMS)('the history of a dashboard on %s', (platform) => {
  it('is there only where it has a store', async () => {
    const { ask } = await scene(platform);
    const { status, text } = await ask('/resilience/history');
    expect([status, text]).toEqual([404, '{"error":"there is no history"}']);
    const { ask: askOther } = await scene(platform, { dashboard: { unsafe: true, history: new Asked() } });
    expect((await askOther('/resilience')).text).toContain('data-history="true"');
  });

  it('asks for what it was asked, and passes over what makes no sense', async () => {
    const history = new Asked();
    const { ask } = await scene(platform, { dashboard: { unsafe: true, history } });
    const page = { limit: 50, order: 'newest-first' };
    const questions: [string, unknown][] = [
      ['', ['reports', page]],
      [
        '?kind=events&operation=A.b&before=7',
        ['history', { ...page, operationName: 'A.b', afterSequenceId: 7 }],
      ],
      ['?operation=%20&before=-1', ['reports', page]],
      ['?kind=x&before=1e99&limit=100000', ['reports', page]],
      [
        `?operation=${encodeURIComponent("'; DROP TABLE")}`,
        ['reports', { ...page, operationName: "'; DROP TABLE" }],
      ],
    ];
    for (const [query] of questions) expect((await ask(`/resilience/history${query}`)).status).toBe(200);
    expect(history.questions).toEqual(questions.map(([, question]) => question));
  });

  it('says what went wrong with a store, and nothing of what it said', async () => {
    const history = new Asked();
    history.reports = () => Promise.reject(new RangeError('password=1234'));
    const { ask } = await scene(platform, { dashboard: { unsafe: true, history } });
    const { status, text } = await ask('/resilience/history');
    expect([status, text]).toEqual([503, '{"error":"the history cannot be read: RangeError"}']);
  });

  it('may come from a provider', async () => {
    const store = new Asked();
    const STORE = Symbol('store');
    const imports = [
      { module: class {}, providers: [{ provide: STORE, useValue: store }], exports: [STORE] },
    ];
    const { ask } = await scene(platform, { dashboard: { unsafe: true, history: STORE, imports } });
    expect((await ask('/resilience/history')).status).toBe(200);
    expect(store.questions).toHaveLength(1);
  });
});
