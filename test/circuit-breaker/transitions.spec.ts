import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CircuitBreaker, CircuitBreakerRegistry, type CircuitBreakerTransition } from '../../lib/index.js';
import { transitionPayload } from '../../lib/policies/circuit-breaker/transition-event.js';
import { gives, rejects, scene, thrown } from '../operation/support.js';
import { failCalls, failWith, refusedCall, setUp, setUpProbeDue } from './support.js';

const of = (transition: CircuitBreakerTransition): string =>
  `${transition.from} to ${transition.to} by ${transition.by}`;

const warn = jest.spyOn(process, 'emitWarning');

beforeEach(() => void warn.mockReset());
afterEach(() => expect(warn.mock.calls.length).toBeLessThan(2));

describe('a listener to the changes of a circuit breaker', () => {
  it('is told of each change of state once, just after it', async () => {
    const { clock, breaker } = setUp();
    const told: unknown[] = [];
    breaker.onTransition((transition) => told.push({ ...transition, now: breaker.state }));
    await failCalls(breaker);
    await clock.advance(10);
    await failWith(breaker, new Error('still down'));
    await clock.advance(10);
    await breaker.run(() => 'up');
    const common = { breakerName: 'payments', openedBy: null, by: 'call', forced: false, reason: null };
    const opened = (openedBy: string) => ({ ...common, to: 'open', now: 'open', openedBy });
    expect(told).toEqual([
      { ...opened('consecutive_failures'), from: 'closed', failureCount: 2 },
      { ...common, from: 'open', to: 'half_open', now: 'half_open', failureCount: 2 },
      { ...opened('probe_failed'), from: 'half_open', failureCount: 2 },
      { ...common, from: 'open', to: 'half_open', now: 'half_open', failureCount: 2 },
      { ...common, from: 'half_open', to: 'closed', now: 'closed', failureCount: 0 },
    ]);
  });

  it('is told of everything that an operator does, also where the state stays', async () => {
    const { breaker } = setUp();
    const told: CircuitBreakerTransition[] = [];
    breaker.onTransition((transition) => told.push(transition));
    await failCalls(breaker);
    breaker.forceOpen('maintenance');
    breaker.forceClosed();
    breaker.reset('over');
    breaker.reset();
    const common = { breakerName: 'payments', openedBy: null, by: 'operator', failureCount: 0 };
    expect(told.slice(1)).toEqual([
      {
        ...common,
        from: 'open',
        to: 'open',
        openedBy: 'operator',
        failureCount: 2,
        forced: true,
        reason: 'maintenance',
      },
      { ...common, from: 'open', to: 'closed', forced: true, reason: null },
      { ...common, from: 'closed', to: 'closed', forced: false, reason: 'over' },
      { ...common, from: 'closed', to: 'closed', forced: false, reason: null },
    ]);
    expect(told.every((transition) => Object.isFrozen(transition))).toBe(true);
  });

  it('is told nothing by refusals, by reading, and by outcomes that come late', async () => {
    const { clock, breaker } = setUp();
    await failCalls(breaker);
    const listener = jest.fn();
    breaker.onTransition(listener);
    await refusedCall(breaker);
    await clock.advance(10);
    breaker.snapshot();
    expect(breaker.state).toBe('open');
    expect(listener).not.toHaveBeenCalled();
  });

  it('is told until it is ended, and as often as it was added', async () => {
    const { breaker } = setUp();
    const listener = jest.fn();
    const [endFirst, endSecond] = [breaker.onTransition(listener), breaker.onTransition(listener)];
    breaker.reset();
    endFirst();
    endFirst();
    breaker.reset();
    endSecond();
    breaker.reset();
    expect(listener).toHaveBeenCalledTimes(3);
  });

  it('may end itself and others while it is told', () => {
    const { breaker } = setUp();
    const told: string[] = [];
    const endFirst = breaker.onTransition(() => {
      told.push('first');
      endFirst();
      endLast();
      breaker.onTransition(() => told.push('new'));
    });
    const endLast = breaker.onTransition(() => told.push('last'));
    breaker.reset();
    expect(told).toEqual(['first']);
    breaker.reset();
    expect(told).toEqual(['first', 'new']);
  });

  it('that makes the next change is told of it when everybody has been told of this one', async () => {
    const { clock, breaker } = await setUpProbeDue();
    const told: string[] = [];
    breaker.onTransition((transition) => {
      if (transition.to === 'half_open') breaker.forceOpen('no probes today');
      told.push(`first: ${of(transition)}`);
    });
    breaker.onTransition((transition) => told.push(`second: ${of(transition)}`));
    // The probe was let through before the listener knew of it; its outcome decides nothing any more.
    await expect(breaker.run(() => 'up')).resolves.toBe('up');
    expect(told).toEqual([
      'first: open to half_open by call',
      'second: open to half_open by call',
      'first: half_open to open by operator',
      'second: half_open to open by operator',
    ]);
    expect(breaker.snapshot()).toMatchObject({ forced: 'open', halfOpenProbeInFlight: false });
    await clock.advance(10);
    expect((await refusedCall(breaker)).calls).toBe(0);
  });

  it('that answers every change with another one does not keep the process for ever', () => {
    const { breaker } = setUp();
    let told = 0;
    breaker.onTransition(() => {
      told += 1;
      breaker.reset();
    });
    breaker.reset();
    expect(told).toBe(1_000);
    expect(warn.mock.calls).toEqual([
      [
        "listeners to circuit breaker 'payments' change it for ever; they are told no further for now",
        { code: 'RELPRIM' },
      ],
    ]);
  });

  it('that throws or rejects harms neither calls nor other listeners, and is warned of once', async () => {
    for (const listener of [
      () => {
        throw new RangeError('secret');
      },
      () => Promise.reject(new RangeError('secret')),
    ]) {
      warn.mockReset();
      const { breaker } = setUp();
      const other = jest.fn();
      breaker.onTransition(listener);
      breaker.onTransition(other);
      const error = new Error('down');
      await failCalls(breaker, 1);
      expect(await failWith(breaker, error)).toBe(error);
      breaker.reset();
      await Promise.resolve();
      expect(other).toHaveBeenCalledTimes(2);
      expect(warn.mock.calls).toEqual([
        ["a listener to circuit breaker 'payments' failed with RangeError", { code: 'RELPRIM' }],
      ]);
    }
  });

  it.each([undefined, null, 'log', {}])('is a function: %p is refused', (listener) => {
    const { breaker } = setUp();
    expect(thrown(() => breaker.onTransition(listener as never))).toMatchObject({ option: 'listener' });
    expect(thrown(() => new CircuitBreakerRegistry().onTransition(listener as never))).toMatchObject({
      option: 'listener',
    });
  });

  it('is told before the events of the operation that moved the breaker', async () => {
    const { clock, breaker } = setUp({ failureThreshold: 1 });
    const { sink, failure } = scene(rejects(new Error('down')), { circuitBreaker: breaker }, clock);
    const seen: unknown[] = [];
    breaker.onTransition(() => seen.push(sink.sequence().at(-1)));
    await failure();
    expect(seen).toEqual(['attempt.started']);
    await clock.advance(10);
    await scene(gives('up'), { circuitBreaker: breaker }, clock).result();
    expect(seen).toHaveLength(3);
  });
});

describe('a listener to all circuit breakers of a registry', () => {
  it('hears of those that are there and those that come later, of each one once', () => {
    const registry = new CircuitBreakerRegistry();
    const payments = registry.create({ name: 'payments' });
    registry.register(payments, 'also payments');
    const told: string[] = [];
    const end = registry.onTransition(({ breakerName }) => told.push(breakerName));
    const mail = registry.create({ name: 'mail' });
    registry.register(mail, 'post');
    registry.register(mail);
    for (const breaker of registry.list()) breaker.reset();
    expect(registry.names()).toEqual(['payments', 'also payments', 'mail', 'post']);
    expect(told).toEqual(['payments', 'payments', 'mail', 'mail']);
    end();
    end();
    for (const breaker of registry.list()) breaker.reset();
    registry.create({ name: 'sms' }).reset();
    expect(told).toHaveLength(4);
  });

  it('is no hindrance to something simpler in the place of a breaker', () => {
    const registry = new CircuitBreakerRegistry();
    registry.register({ name: 'fake' } as CircuitBreaker);
    const listener = jest.fn();
    registry.onTransition(listener);
    registry.create({ name: 'real' }).reset();
    expect(listener).toHaveBeenCalledTimes(1);
  });
});

describe('the event of a change', () => {
  it('says what opened it, and of an operator also whether the breaker is held, and why', async () => {
    const { breaker } = setUp();
    const payloads: object[] = [];
    breaker.onTransition((transition) => payloads.push(transitionPayload(transition)));
    await failCalls(breaker);
    breaker.forceClosed('an important night');
    breaker.reset();
    const common = { breaker_name: 'payments' };
    expect(payloads).toEqual([
      {
        ...common,
        from_state: 'closed',
        to_state: 'open',
        failure_count: 2,
        opened_by: 'consecutive_failures',
      },
      {
        ...common,
        from_state: 'open',
        to_state: 'closed',
        failure_count: 0,
        forced: true,
        reason: 'an important night',
      },
      { ...common, from_state: 'closed', to_state: 'closed', failure_count: 0, forced: false, reason: null },
    ]);
  });
});
