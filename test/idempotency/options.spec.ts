import { describe, expect, it } from '@jest/globals';
import {
  asyncOperation,
  ConfigurationError,
  IdempotencyPolicy,
  idempotencyPolicy,
  InMemoryIdempotencyStore,
  RetryPolicy,
} from '../../lib/index.js';
import { mistakeOf, waysIn, World } from '../decorator/support.js';
import { everySeconds, gives, rejection, rejects, Upstream } from '../operation/support.js';
import { rolesOf } from './support.js';

const byId = (id: string): string => id;
const store = () => new InMemoryIdempotencyStore();
const ttlCure = "give seconds as a number above 0, or text such as '250ms', '10s', '5m' or '1h'";

describe('an IdempotencyPolicy', () => {
  it('has an hour, no store, and waits, copies and looks for re-entry where nothing is said', () => {
    expect(new IdempotencyPolicy({ key: byId })).toMatchObject({
      key: byId,
      store: undefined,
      ttlSeconds: 3_600,
      onInFlight: 'join',
      scope: undefined,
      cacheFallback: true,
      detectReentry: true,
      exposeKey: false,
      onStoreError: 'fail',
    });
  });

  it('is made by idempotencyPolicy() with the key in front', () => {
    const own = store();
    const policy = idempotencyPolicy(byId, { ttl: '10m', store: own });
    expect(policy).toBeInstanceOf(IdempotencyPolicy);
    expect([policy.ttlSeconds, policy.store, policy.key]).toEqual([600, own, byId]);
  });

  it.each([0, -1, '0s', Number.NaN, Infinity, true, null, '10 s', {}])('refuses %p as ttl [R169]', (ttl) => {
    const { option, cure } = mistakeOf(() => new IdempotencyPolicy({ key: byId, ttl } as never));
    expect([option, cure]).toEqual(['ttl', ttlCure]);
  });

  const wrong: readonly [option: string, value: unknown, cure: string][] = [
    ['key', undefined, 'give a function'],
    ['key', 'a', 'give a function'],
    ['store', {}, 'give an IdempotencyStore, an object with claim()'],
    ['store', new Map(), 'give an IdempotencyStore, an object with claim()'],
    ['store', null, 'give an IdempotencyStore, an object with claim()'],
    ['fingerprint', 'a', 'give a function'],
    ['onInFlight', 'wait', "give 'join' or 'reject'"],
    ['onStoreError', 'ignore', "give 'fail' or 'run'"],
    ['scope', ' ', 'give a text that is not blank'],
    ['scope', 7, 'give a text that is not blank'],
    ['cacheFallback', 'no', 'give true or false'],
    ['detectReentry', 0, 'give true or false'],
    ['exposeKey', 1, 'give true or false'],
    ['copy', true, 'give a function'],
  ];
  it.each(wrong)('refuses a %s that is none: %p', (option, value, cure) => {
    const mistake = mistakeOf(() => new IdempotencyPolicy({ key: byId, [option]: value } as never));
    expect([mistake.option, mistake.cure]).toEqual([option, cure]);
  });

  it.each(['onInFlight', 'onStoreError', 'cacheFallback', 'detectReentry', 'exposeKey'])(
    'refuses null as %s',
    (option) => {
      // FAULT: null is read as not given, unlike in `ttl`, `store`, `scope` and `copy` (idempotency-policy.ts).
      expect(mistakeOf(() => new IdempotencyPolicy({ key: byId, [option]: null } as never)).option).toBe(
        option,
      );
    },
  );

  it('refuses a misspelt option, and options that are none', () => {
    const mistake = mistakeOf(() => new IdempotencyPolicy({ key: byId, tll: 5 } as never));
    expect([mistake.option, mistake.cure]).toEqual(['tll', 'did you mean ttl?']);
    expect(mistakeOf(() => new IdempotencyPolicy(byId as never)).option).toBe('idempotency');
  });

  it('reads options that are undefined as not given', () => {
    const options = { key: byId, ttl: undefined, store: undefined, copy: undefined, scope: undefined };
    expect(new IdempotencyPolicy(options).ttlSeconds).toBe(3_600);
  });
});

describe.each(waysIn)('the options of %s', (_way, make) => {
  it('may be a key alone: it has a store, and each key its execution [R235, R171]', async () => {
    const world = new World();
    const upstream = new Upstream(gives('one'), gives('two'));
    const run = make(world, { idempotencyKey: byId }, upstream.call);
    const results = [await run('a'), await run('a'), await run('b')];
    expect(results.map(({ value }) => value)).toEqual(['one', 'one', 'two']);
    expect(rolesOf(results)).toEqual(['executed', 'replayed', 'executed']);
  });

  it('may be a key, a store and a time to live [R235]', async () => {
    const world = new World();
    const own = store();
    const upstream = new Upstream(gives(1));
    const run = make(
      world,
      { idempotencyKey: byId, idempotencyStore: own, idempotencyTtl: '10s' },
      upstream.call,
    );
    await run('a');
    expect(own.entryCount()).toBe(1);
    await world.clock.advance('10s');
    expect(rolesOf([await run('a'), await run('a')])).toEqual(['executed', 'replayed']);
  });

  it('may be a policy [R235]', async () => {
    const upstream = new Upstream(gives(1));
    const idempotency = idempotencyPolicy(byId, { exposeKey: true });
    const run = make(new World(), { idempotency }, upstream.call);
    const results = [await run('a'), await run('a')];
    expect(results.map(({ report }) => report.metadata.idempotency_key)).toEqual(['a', 'a']);
    expect(upstream.calls).toHaveLength(1);
  });

  it('put the key around all tries [R235]', async () => {
    const world = new World();
    const upstream = new Upstream(rejects(new Error('no')), gives('value'));
    const run = make(world, { retries: 1, backoff: everySeconds(1), idempotencyKey: byId }, upstream.call);
    const results = await world.clock.settle(Promise.all([run('a'), run('a')]));
    expect(results.map(({ value, report }) => [value, report.attemptCount])).toEqual([
      ['value', 2],
      ['value', 2],
    ]);
    expect([upstream.calls.length, world.clock.pendingTimers]).toEqual([2, 0]);
  });

  it.each(['idempotencyKey', 'idempotencyStore', 'idempotencyTtl'])(
    'refuse a policy together with %s [R236]',
    (part) => {
      const values = { idempotencyKey: byId, idempotencyStore: store(), idempotencyTtl: '1m' };
      const options = { idempotency: idempotencyPolicy(byId), [part]: values[part as keyof typeof values] };
      const { option, problem } = mistakeOf(() => make(new World(), options, gives(1)));
      expect([option, problem]).toEqual([part, 'is given together with idempotency']);
    },
  );

  it.each([
    ['idempotencyStore', store()],
    ['idempotencyTtl', '1m'],
  ])(
    'refuse %s without a key, in a decorator as soon as all layers are known [R237]',
    async (option, value) => {
      const start = async () => make(new World(), { [option]: value }, gives(1))();
      const mistake = await rejection(start());
      expect(mistake).toBeInstanceOf(ConfigurationError);
      expect([mistake.option, mistake.problem]).toEqual([option, 'is given without idempotencyKey']);
    },
  );

  it.each([0, -1, '0ms', true, 'soon'])('refuse %p as time to live [R238]', (idempotencyTtl) => {
    const options = { idempotencyKey: byId, idempotencyTtl } as never;
    const { option, cure } = mistakeOf(() => make(new World(), options, gives(1)));
    expect([option, cure]).toEqual(['idempotencyTtl', ttlCure]);
  });

  it.each([
    ['idempotencyKey', 'a'],
    ['idempotencyStore', {}],
    ['idempotency', { key: byId }],
    ['idempotency', true],
  ])('refuse a %s that is none: %p', (option, value) => {
    expect(mistakeOf(() => make(new World(), { [option]: value }, gives(1))).option).toBe(option);
  });

  it('may switch the key off', async () => {
    const upstream = new Upstream(gives(1));
    const run = make(new World(), { idempotency: false }, upstream.call);
    const [first] = [await run('a'), await run('a')];
    expect([upstream.calls.length, first.report.metadata.idempotency_enabled]).toEqual([2, undefined]);
  });
});

describe('withIdempotency()', () => {
  it('gives a new operation, takes the last policy, and only a policy', async () => {
    const upstream = new Upstream(gives(1));
    const base = asyncOperation('op', upstream.call);
    const keyless = base.withRetry(new RetryPolicy());
    const operation = keyless
      .withIdempotency(idempotencyPolicy(() => 'one', { exposeKey: true }))
      .withIdempotency(idempotencyPolicy(() => 'two', { exposeKey: true }));
    const { report } = await operation.run();
    expect(report.metadata.idempotency_key).toBe('two');
    expect((await keyless.run()).report.metadata.idempotency_enabled).toBeUndefined();
    for (const wrong of [undefined, false, { key: byId }, byId])
      expect(mistakeOf(() => base.withIdempotency(wrong as never)).option).toBe('idempotency');
  });
});
