import { describe, expect, it, jest } from '@jest/globals';
import { CircuitBreakerRegistry, type CircuitBreaker } from '../../lib/index.js';
import { mistakeOf } from '../support/mistake-of.js';
import { play, statesOf, withRules } from './scenes.js';
import { beginCall, failCalls, refusedCall, setUp } from './support.js';

const namesOf = (breaker: CircuitBreaker): string[] => breaker.keyedBreakers().map(({ name }) => name);

describe('a breaker for each key', () => {
  it('is named after both, has the same settings, and is the same one each time', () => {
    const { breaker } = setUp();
    const acme = breaker.keyed('acme');
    expect(acme).toMatchObject({ name: 'payments:acme', failureThreshold: 2, recoveryTimeoutSeconds: 10 });
    expect(acme.describe()).toBe(breaker.describe());
    expect(breaker.keyed('acme')).toBe(acme);
    expect(namesOf(breaker)).toEqual(['payments:acme']);
  });

  it('keeps apart what the keys do, and the breaker itself stays as it is', async () => {
    const { clock, breaker } = setUp();
    await failCalls(breaker.keyed('acme'), 2);
    await failCalls(breaker.keyed('globex'), 1);
    expect([breaker.keyed('acme').state, breaker.keyed('globex').state, breaker.state]).toEqual([
      'open',
      'closed',
      'closed',
    ]);
    expect(breaker.snapshot().failureCount).toBe(0);
    const { error } = await refusedCall(breaker.keyed('acme'));
    expect(error.message).toBe("circuit breaker 'payments:acme' is open; a call may pass in 10 s");
    await breaker.keyed('globex').run(() => 'up');
    expect(clock.pendingTimers).toBe(0);
  });

  it('keeps budgets apart, too', async () => {
    const { breaker } = withRules({ budget: { limit: 10, per: '60s' } });
    breaker.keyed('acme').spend(10);
    breaker.keyed('globex').spend(9);
    expect(breaker.keyed('acme').snapshot()).toMatchObject({ state: 'open', openedBy: 'budget' });
    expect(breaker.keyed('globex').snapshot()).toMatchObject({ state: 'closed', budget: { spent: 9 } });
    expect(breaker.snapshot().budget?.spent).toBe(0);
  });

  it('cannot be had for a key that is none', () => {
    const { breaker } = setUp();
    for (const key of ['', ' ', undefined, null, 5]) {
      const error = mistakeOf(() => breaker.keyed(key as string));
      expect(error).toMatchObject({ option: 'key', cure: 'give a text that is not blank' });
    }
    expect(breaker.keyedBreakers()).toEqual([]);
  });

  it('may have keys that objects know otherwise', async () => {
    const { breaker } = setUp();
    for (const key of ['__proto__', 'constructor', 'toString']) await play(breaker.keyed(key), 'F');
    expect(namesOf(breaker)).toEqual(['payments:__proto__', 'payments:constructor', 'payments:toString']);
  });
});

describe('the number of keys', () => {
  it('is bounded: the one that was not asked for longest makes room', () => {
    // B181, B182
    const { breaker } = setUp({ maxKeys: 3 });
    for (const key of ['a', 'b', 'c', 'a', 'd']) breaker.keyed(key);
    expect(namesOf(breaker)).toEqual(['payments:c', 'payments:a', 'payments:d']);
    for (let key = 0; key < 5_000; key += 1) breaker.keyed(`key ${key}`);
    expect(namesOf(breaker)).toEqual(['payments:key 4997', 'payments:key 4998', 'payments:key 4999']);
  });

  it('is 1,000 where none is given', () => {
    const { breaker } = setUp();
    for (let key = 0; key < 1_001; key += 1) breaker.keyed(`key ${key}`);
    expect(namesOf(breaker)).toHaveLength(1_000);
    expect(namesOf(breaker)[0]).toBe('payments:key 1');
  });

  it('never costs one that is open, half-open, busy or forced its place', async () => {
    const { clock, breaker } = setUp({ maxKeys: 5 });
    await failCalls(breaker.keyed('half-open'), 2);
    await clock.advance(10);
    beginCall(breaker.keyed('half-open'));
    await failCalls(breaker.keyed('open'), 2);
    const busy = beginCall(breaker.keyed('busy'));
    breaker.keyed('forced').forceClosed('an important tenant');
    for (let key = 0; key < 20; key += 1) breaker.keyed(`key ${key}`);
    const kept = ['payments:half-open', 'payments:open', 'payments:busy', 'payments:forced'];
    expect(namesOf(breaker)).toEqual([...kept, 'payments:key 19']);
    busy.resolve('up');
    await busy.outcome;
    breaker.keyed('last');
    expect(namesOf(breaker)).toEqual([
      'payments:half-open',
      'payments:open',
      'payments:forced',
      'payments:key 19',
      'payments:last',
    ]);
  });

  it.each(['S', 'F', 'aborted', 'not recorded'])(
    'counts a call as busy until it has ended, however: %s',
    async (end) => {
      const { breaker } = setUp({
        failureThreshold: 9,
        maxKeys: 1,
        recordFailureOn: (error) => error instanceof RangeError,
      });
      const controller = new AbortController();
      const call = beginCall(breaker.keyed('a'), controller.signal);
      breaker.keyed('b');
      expect(namesOf(breaker)).toEqual(['payments:a', 'payments:*']);
      if (end === 'S') call.resolve('up');
      else if (end === 'aborted') controller.abort();
      else call.reject(end === 'F' ? new RangeError() : new TypeError());
      await Promise.allSettled([call.outcome]);
      breaker.keyed('c');
      expect(namesOf(breaker)).toEqual(['payments:c', 'payments:*']);
    },
  );

  it('counts calls that begin after a probe as it does others', async () => {
    const { clock, breaker } = setUp({ maxKeys: 1 });
    await failCalls(breaker.keyed('a'), 2);
    await clock.advance(10);
    await play(breaker.keyed('a'), 'S');
    beginCall(breaker.keyed('a'));
    breaker.keyed('b');
    expect(namesOf(breaker)).toEqual(['payments:a', 'payments:*']);
  });

  it('keeps one whose budget is partly spent until that is free again', async () => {
    const { clock, breaker } = withRules({ budget: { limit: 10, per: '60s' }, maxKeys: 1 });
    breaker.keyed('acme').spend(9);
    expect(breaker.keyed('globex').name).toMatch(/:\*$/);
    await clock.advance('62s');
    breaker.keyed('globex');
    expect(namesOf(breaker)[0]).toMatch(/:globex$/);
  });

  it('makes further keys share one while there is no room', async () => {
    const { clock, breaker } = setUp({ maxKeys: 2 });
    await failCalls(breaker.keyed('a'), 2);
    await failCalls(breaker.keyed('b'), 2);
    expect(breaker.keyed('c')).toBe(breaker.keyed('d'));
    expect(await statesOf(breaker.keyed('c'), 'F')).toBe('c');
    expect(await statesOf(breaker.keyed('d'), 'F')).toBe('o');
    expect(namesOf(breaker)).toEqual(['payments:a', 'payments:b', 'payments:*']);
    await clock.advance(10);
    await play(breaker.keyed('a'), 'S');
    expect(breaker.keyed('c').name).toBe('payments:c');
    expect(namesOf(breaker)).toEqual(['payments:b', 'payments:c', 'payments:*']);
  });
});

describe('the changes of keyed breakers', () => {
  it('are told to the listeners of the breaker, and to watchers of its registry', async () => {
    const registry = new CircuitBreakerRegistry();
    const { clock, breaker } = setUp();
    const [all, own, keyed] = [jest.fn(), jest.fn(), jest.fn()];
    registry.onTransition(all);
    registry.register(breaker);
    const end = breaker.onTransition(own);
    breaker.keyed('acme').onTransition(keyed);
    await failCalls(breaker.keyed('acme'), 2);
    await clock.advance(10);
    end();
    await play(breaker.keyed('acme'), 'S');
    const told = (listener: jest.Mock): string[] =>
      listener.mock.calls.map(([change]: any) => `${change.breakerName} ${change.from} > ${change.to}`);
    const changes = [
      'payments:acme closed > open',
      'payments:acme open > half_open',
      'payments:acme half_open > closed',
    ];
    expect(told(all)).toEqual(changes);
    expect(told(keyed)).toEqual(changes);
    expect(told(own)).toEqual(changes.slice(0, 1));
    expect(registry.names()).toEqual(['payments']);
  });
});
