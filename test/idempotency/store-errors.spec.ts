import { describe, expect, it, jest } from '@jest/globals';
import { EventEmitter, IdempotencyStoreError, type EventSink } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { after, gives, rejection, rejects, story, throws, Upstream } from '../operation/support.js';
import { RemoteStore } from './remote-store.js';
import { keyed, keyMetadata, rolesOf } from './support.js';

const lost = new RangeError('connection lost');
const FAILED = 'idempotency.store_failed';

describe('a store that fails when it is asked for a key', () => {
  const ways: readonly [how: string, claim: () => never | Promise<never>][] = [
    ['rejects', () => Promise.reject(lost)],
    [
      'throws',
      () => {
        throw lost;
      },
    ],
  ];

  it.each(ways)('keeps the call from executing: it %s', async (_how, claim) => {
    const upstream = new Upstream(gives(1));
    const { failure, sink, reports, clock } = keyed(
      upstream.call,
      { store: new RemoteStore(claim) },
      { retries: 3, fallback: () => 'stand-in' },
    );
    const { cause, report } = await failure('a');
    expect(cause).toBeInstanceOf(IdempotencyStoreError);
    expect(cause).toMatchObject({
      code: 'RELPRIM_IDEMPOTENCY_STORE',
      operationName: 'op',
      message: 'op: the store of idempotency keys failed, so nothing was executed',
    });
    expect((cause as Error).cause).toBe(lost);
    expect(sink.events().map(({ eventType, payload }) => [eventType, payload])).toEqual([
      [FAILED, { step: 'claim', error_type: 'RangeError', continued: false }],
    ]);
    expect(report).toMatchObject({ status: 'failed', attempts: [] });
    expect(keyMetadata(report)).toMatchObject({ idempotency_status: null, idempotency_cache_hit: false });
    expect([upstream.calls.length, reports.length, clock.pendingTimers]).toEqual([0, 1, 0]);
  });

  it.each(ways)('lets it execute without protection where the policy says so: it %s', async (_how, claim) => {
    const store = new RemoteStore(claim);
    const upstream = new Upstream(gives('value'));
    const { run, sink, clock } = keyed(upstream.call, { store, onStoreError: 'run' });
    const results = await clock.settle(Promise.all([run('a'), run('a')]));
    results.push(await run('a'));
    expect(results.map(({ value }) => value)).toEqual(['value', 'value', 'value']);
    expect(rolesOf(results)).toEqual(['executed', 'joined', 'executed']);
    for (const { report } of results)
      expect(keyMetadata(report)).toMatchObject({ idempotency_protected: false });
    for (const { report } of results) expect(report.metadata).not.toHaveProperty('idempotency_kept');
    expect(story(sink)).toBe(`${FAILED} OS AS AOK OOK ${FAILED} OS AS AOK OOK`);
    expect(sink.events()[0]?.payload).toEqual({ step: 'claim', error_type: 'RangeError', continued: true });
    expect([upstream.calls.length, store.keys.length]).toEqual([2, 2]);
  });

  it('fails for all who wait for its answer with one error, is asked once, and told once', async () => {
    const clock = new FakeClock();
    const store = new RemoteStore(after(clock, 1, rejects(lost)) as never);
    const { run, sink, reports } = keyed(gives(1), { store }, {}, clock);
    const errors = await clock.settle(Promise.all([1, 2, 3].map(() => rejection(run('a')))));
    expect(new Set(errors.map(({ cause }) => cause)).size).toBe(1);
    expect(errors.map(({ report }) => report.status)).toEqual(['failed', 'failed', 'failed']);
    expect([store.keys.length, sink.sequence(), reports.length]).toEqual([1, [FAILED], 3]);
  });

  it('is asked again by the next call', async () => {
    const store: RemoteStore = new RemoteStore(
      () => Promise.reject(lost),
      () => Promise.resolve(store.owned()),
    );
    const { failure, result } = keyed(gives('value'), { store });
    await failure('a');
    expect((await result('a')).value).toBe('value');
    expect([store.keys.length, store.kept.length]).toEqual([2, 1]);
  });

  it('is a failure of the call where it answers with nothing that is an answer', async () => {
    for (const answer of [undefined, Promise.resolve(undefined)]) {
      const upstream = new Upstream(gives(1));
      const { failure } = keyed(upstream.call, { store: new RemoteStore(() => answer as never) });
      expect((await failure('a')).cause).toBeInstanceOf(Error);
      expect((await failure('a')).cause).toBeInstanceOf(Error);
      expect(upstream.calls).toEqual([]);
    }
  });
});

describe('a store that fails when it is to keep a value', () => {
  it.each([
    ['rejects', () => Promise.reject(lost)],
    [
      'throws',
      () => {
        throw lost;
      },
    ],
  ])('takes the value from nobody who waits, and is told of after the end: it %s', async (_how, complete) => {
    const store: RemoteStore = new RemoteStore(() => Promise.resolve(store.owned({ complete })));
    const upstream = new Upstream(gives('value'));
    const { run, sink, clock } = keyed(upstream.call, { store });
    const results = await clock.settle(Promise.all([run('a'), run('a')]));
    expect(results.map(({ value }) => value)).toEqual(['value', 'value']);
    for (const { report } of results) expect(keyMetadata(report)).toMatchObject({ idempotency_kept: false });
    expect(story(sink)).toBe(`OS AS AOK OOK ${FAILED}`);
    const told = sink.events().at(-1);
    expect(told?.payload).toEqual({ step: 'complete', error_type: 'RangeError', continued: true });
    expect(told?.callId).toBe(results[0]?.report.callId);
    expect([upstream.calls.length, store.releases]).toEqual([1, 0]);
  });

  it.each(['lost', 'too_large', 'not_encodable'] as const)('says why it cannot: %s', async (reason) => {
    const store: RemoteStore = new RemoteStore(() =>
      store.owned({ complete: () => Promise.resolve(reason) }),
    );
    const { result, sink } = keyed(gives('value'), { store });
    const { value, report } = await result('a');
    expect([value, keyMetadata(report).idempotency_kept]).toEqual(['value', false]);
    expect(story(sink)).toBe('OS AS AOK OOK idempotency.not_kept');
    expect(sink.events().at(-1)?.payload).toEqual({ reason });
  });

  it('has no say in the call when its failure is told to a sink that fails, too', async () => {
    const store: RemoteStore = new RemoteStore(() =>
      store.owned({ complete: () => Promise.resolve('lost' as const) }),
    );
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    for (const fail of [rejects(lost), throws(lost)]) {
      const sink: EventSink = {
        emit: ({ eventType }) => (eventType === 'idempotency.not_kept' ? (fail() as undefined) : undefined),
      };
      const { result } = keyed(gives('value'), { store }, { events: new EventEmitter({ sinks: [sink] }) });
      expect((await result('a')).value).toBe('value');
    }
    await new Promise((resolve) => void setImmediate(resolve));
    const warnings = warn.mock.calls.map(([message]) => message);
    warn.mockRestore();
    const warning = 'a sink of op failed with RangeError when told of idempotency.not_kept';
    expect(warnings).toEqual([warning, warning]);
  });
});

describe('a store that fails when a key is to be freed', () => {
  const down = new Error('down');

  it.each([
    ['rejects', () => Promise.reject(lost)],
    [
      'throws',
      () => {
        throw lost;
      },
    ],
  ])('leaves the failure what it is, and is told of after the end: it %s', async (_how, release) => {
    const store: RemoteStore = new RemoteStore(() => store.owned({ release }));
    const { failure, sink } = keyed(rejects(down), { store });
    const { cause } = await failure('a');
    expect(cause).toBe(down);
    await new Promise((resolve) => void setImmediate(resolve));
    expect(story(sink)).toBe(`OS AS AF OF ${FAILED}`);
    expect(sink.events().at(-1)?.payload).toEqual({
      step: 'release',
      error_type: 'RangeError',
      continued: true,
    });
  });

  it('is asked to free it after a failure, and after a stand-in that is not to be kept', async () => {
    const store: RemoteStore = new RemoteStore(() => store.owned());
    await keyed(rejects(down), { store }).failure('a');
    expect([store.releases, store.kept]).toEqual([1, []]);
    const { result } = keyed(rejects(down), { store, cacheFallback: false }, { fallback: () => 'stand-in' });
    expect((await result('a')).value).toBe('stand-in');
    expect([store.releases, store.kept]).toEqual([2, []]);
  });
});
