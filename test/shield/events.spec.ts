import { describe, expect, it } from '@jest/globals';
import { InMemoryCache } from '../../lib/index.js';
import { gives, rejects, sinkThat, story, Upstream, abortAndRace, type Fn } from '../operation/support.js';
import { client, type ClientOptions } from './client.js';
import { TooSlow } from './support.js';

const slow = rejects(new TooSlow('slow'));
const SHIELD = { shield_name: 'github', profile: 'api' };

describe('the events of a shielded call', () => {
  it('say at its start whether anything stands in when the shield gives up', async () => {
    for (const [options, isThere] of [
      [{}, false],
      [{ fallback: () => 'stand-in' }, true],
    ] as const) {
      const seen = client(gives('up'), options);
      await seen.outcome();
      expect(seen.told('operation.started')).toMatchObject([{ fallback_enabled: isThere }]);
    }
  });

  it('come in the order in which things happen', async () => {
    const seen = client(new Upstream(slow, slow, gives('up')).call);
    await seen.outcome();
    expect(story(seen.sink)).toBe(
      'OS AS shield.engaged AF retry.scheduled AS AF retry.scheduled AS shield.rate_changed AOK OOK',
    );
  });

  it('say how the limiter was switched on, and how it moved', async () => {
    const seen = client(new Upstream(slow, slow, gives('up')).call);
    await seen.outcome();
    expect(seen.told('shield.engaged')).toEqual([{ ...SHIELD, rate: 1.4, w_max: 2 }]);
    const { rate, wMax } = seen.shield.snapshot();
    expect(seen.told('shield.rate_changed')).toEqual([{ ...SHIELD, rate, w_max: wMax }]);
    expect(wMax).toBe(1.4);
    expect(seen.told('operation.started')).toEqual([
      expect.objectContaining({ timeout_enabled: true, retry_enabled: true }),
    ]);
    expect(seen.told('retry.scheduled')[0]).toMatchObject({ delay_seconds: 0.5, delay_source: 'backoff' });
  });

  it('tell a change of the rate at most once a second', async () => {
    const seen = client(new Upstream(slow, gives('up')).call, { profile: 'internal' });
    await seen.outcome();
    for (let call = 0; call < 300; call += 1) {
      await seen.outcome();
      await seen.clock.advance(0.01);
    }
    const times = seen.sink
      .events()
      .filter(({ eventType }) => eventType === 'shield.rate_changed')
      .map(({ timestamp }) => timestamp.getTime());
    expect(times.length).toBeGreaterThanOrEqual(2);
    expect(times.length).toBeLessThanOrEqual(4);
    for (let index = 1; index < times.length; index += 1)
      expect((times[index] as number) - (times[index - 1] as number)).toBeGreaterThanOrEqual(1_000);
  });

  it('say how the limiter was switched off', async () => {
    const seen = client(new Upstream(slow, gives('up')).call);
    await seen.outcome();
    for (let call = 0; call < 10; call += 1) {
      await seen.clock.advance(10);
      await seen.outcome();
    }
    expect(seen.told('shield.disengaged')).toEqual([
      { ...SHIELD, rate: expect.any(Number), w_max: expect.any(Number) },
    ]);
    expect(seen.shield.snapshot().engaged).toBe(false);
  });

  it('say in which attempt the budget was empty, also when that is read after the fallback', async () => {
    const seen = client(slow, { profile: 'slow', fallback: gives('stand-in') });
    await seen.outcome();
    seen.sink.clear();
    await seen.outcome();
    expect(seen.told('shield.budget_exhausted')).toMatchObject([{ attempt_number: 3 }]);
  });

  it('say that the budget was empty, and then that it gave up', async () => {
    const seen = client(slow, { profile: 'slow' });
    await seen.outcome();
    seen.sink.clear();
    await seen.outcome();
    expect(seen.told('shield.budget_exhausted')).toEqual([
      { shield_name: 'github', profile: 'slow', attempt_number: 3 },
    ]);
    expect(seen.told('shield.gave_up')).toEqual([
      { shield_name: 'github', profile: 'slow', reason: 'budget_exhausted', attempt_count: 3 },
    ]);
    expect(seen.sink.sequence().slice(-4)).toEqual([
      'attempt.failed',
      'shield.budget_exhausted',
      'shield.gave_up',
      'operation.failed',
    ]);
  });

  it('say who stood in, and why', async () => {
    const seen = client(rejects(new RangeError('broken')), { fallback: () => 'stand-in' });
    await seen.outcome();
    expect(seen.told('shield.recovered')).toEqual([{ ...SHIELD, by: 'fallback', reason: 'non_retryable' }]);
    expect(seen.told('shield.gave_up')).toEqual([]);
    expect(story(seen.sink)).toBe('OS AS AF fallback.started fallback.succeeded shield.recovered AOK OOK');
  });

  it('say that the cache stood in', async () => {
    const upstream = new Upstream(gives('kept'), rejects(new RangeError('broken')));
    const seen = client(upstream.call, { cache: new InMemoryCache() });
    await seen.outcome();
    expect(await seen.outcome()).toBe('kept');
    expect(seen.told('shield.recovered')).toEqual([{ ...SHIELD, by: 'cache', reason: 'non_retryable' }]);
    expect(seen.metadata()).toMatchObject({ shield_recovered_by: 'cache' });
  });

  it('say that it gave up when nobody could stand in', async () => {
    const seen = client(rejects(new RangeError('broken')), { fallback: slow });
    await seen.outcome();
    expect(seen.sink.sequence().slice(-4)).toEqual([
      'fallback.failed',
      'attempt.failed',
      'shield.gave_up',
      'operation.failed',
    ]);
    expect(seen.told('shield.gave_up')).toEqual([{ ...SHIELD, reason: 'non_retryable', attempt_count: 1 }]);
  });

  it('tell nothing of a shield that has nothing to do', async () => {
    const seen = client(gives('up'));
    await seen.outcome();
    expect(story(seen.sink)).toBe('OS AS AOK OOK');
  });
});

const recovering = (): Fn => new Upstream(slow, slow, gives('up')).call;

/** For each event of a shield a call in which it happens. */
const STORIES: Record<string, readonly [() => Fn, ClientOptions, number]> = {
  'shield.engaged': [() => slow, {}, 1],
  'shield.rate_changed': [recovering, {}, 1],
  'shield.budget_exhausted': [() => slow, { profile: 'slow' }, 2],
  'shield.gave_up': [() => slow, {}, 1],
  'shield.recovered': [() => rejects(new RangeError('broken')), { fallback: () => 'stand-in' }, 1],
};

describe.each(Object.entries(STORIES))('at %s', (eventType, [make, options, calls]) => {
  const play = (act: () => void | Promise<void>) => {
    let armed = false;
    const sink = sinkThat(eventType, () => (armed ? act() : undefined));
    const abort = new AbortController();
    const seen = client(make(), { ...options, sinks: [sink], beside: { signal: () => abort.signal } });
    return { ...seen, abort, arm: () => (armed = true) };
  };

  it('an error of a sink reaches the caller as it is', async () => {
    const broken = new Error('disk full');
    const seen = play(() => {
      throw broken;
    });
    for (let call = 1; call < calls; call += 1) await seen.outcome();
    seen.arm();
    expect(await seen.outcome()).toBe(broken);
    expect(seen.sink.sequence().at(-1)).toBe(eventType);
    expect(seen.reports).toHaveLength(calls);
    expect(seen.clock.pendingTimers).toBe(0);
  });

  it('a caller who goes away while a sink is told ends the call at once', async () => {
    const seen = play(() => new Promise<void>(() => undefined));
    for (let call = 1; call < calls; call += 1) await seen.outcome();
    seen.arm();
    const promise = seen.visit();
    promise.catch(() => undefined);
    await seen.clock.advance('10m');
    expect(seen.sink.sequence().at(-1)).toBe(eventType);
    const reason = new Error('gone');
    const { error } = await abortAndRace(promise, () => seen.abort.abort(reason));
    expect(error).toBe(reason);
    expect(seen.reports.at(-1)?.status).toBe('cancelled');
    await seen.clock.advance('1h');
    expect(seen.sink.sequence().at(-1)).toBe(eventType);
    expect(seen.clock.pendingTimers).toBe(0);
    expect(seen.shield.snapshot().waiting).toBe(0);
  });
});
