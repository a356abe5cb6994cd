import { describe, expect, it, jest } from '@jest/globals';
import {
  asyncOperation,
  CircuitBreaker,
  currentAttempt,
  EventEmitter,
  RetryPolicy,
  TimeoutPolicy,
  type CircuitBreakerTransition,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { everySeconds, hangs, rejection, scene, story, Upstream } from '../operation/support.js';
import { withRules } from './scenes.js';

const spend = (amount: number): string => {
  currentAttempt().spend(amount);
  return 'done';
};

describe('the budget of operations', () => {
  const budgetOf = (limit: number) => {
    const clock = new FakeClock();
    return { clock, breaker: new CircuitBreaker({ name: 'model', budget: { limit, per: '60s' }, clock }) };
  };

  it('is charged by each attempt, those that failed too', async () => {
    const { clock, breaker } = budgetOf(1_000);
    const answers = [10, 20, 30];
    const operation = asyncOperation(
      'ask',
      async () => {
        const amount = answers.shift() ?? 0;
        currentAttempt().spend(amount);
        if (amount < 30) throw new Error('busy');
        return 'answer';
      },
      { clock },
    )
      .withRetry(new RetryPolicy({ maxAttempts: 3, backoff: everySeconds(1) }))
      .withCircuitBreaker(breaker);
    expect((await clock.settle(operation.run())).value).toBe('answer');
    expect(breaker.snapshot().budget?.spent).toBe(60);
  });

  it('is charged late by an attempt that was not waited for', async () => {
    const { clock, breaker } = budgetOf(1_000);
    let late!: () => void;
    const { failure } = scene(
      () => {
        const attempt = currentAttempt();
        late = () => attempt.spend(25);
        return hangs();
      },
      { circuitBreaker: breaker, timeout: 1 },
      clock,
    );
    await failure();
    late();
    expect(breaker.snapshot().budget?.spent).toBe(25);
  });

  it('is not charged by a fallback, which the breaker does not guard', async () => {
    const { clock, breaker } = budgetOf(1_000);
    const fallback = () => spend(500);
    const { result } = scene(
      () => Promise.reject(new Error('down')),
      { circuitBreaker: breaker, fallback },
      clock,
    );
    expect((await result()).value).toBe('done');
    expect(breaker.snapshot().budget?.spent).toBe(0);
  });

  it('is nothing where there is no breaker', async () => {
    expect((await asyncOperation('ask', () => spend(5)).run()).value).toBe('done');
  });
});

describe('a cost that uses the budget up while the attempt runs', () => {
  const spending = (end: () => unknown) => () => {
    currentAttempt().spend(10);
    return end();
  };
  /** Of no operation: its own has ended. */
  const openedApart = {
    operationName: 'circuit_breaker:payments',
    callId: '',
    payload: {
      breaker_name: 'payments',
      from_state: 'closed',
      to_state: 'open',
      failure_count: 0,
      opened_by: 'budget',
    },
  };
  const setUp = () => {
    const { clock, breaker } = withRules({ budget: { limit: 10, per: '60s' } });
    const told: string[] = [];
    breaker.onTransition(({ from, to, openedBy }: CircuitBreakerTransition) =>
      told.push(`${from} > ${to} by ${openedBy}`),
    );
    return { clock, breaker, told };
  };

  it('opens the breaker at once, and the attempt goes on to its end; the opening is told once', async () => {
    const { clock, breaker, told } = setUp();
    const states: string[] = [];
    const upstream = new Upstream(spending(() => states.push(breaker.state)));
    const { run, sink } = scene(upstream.call, { circuitBreaker: breaker }, clock);
    await run();
    expect(states).toEqual(['open']);
    expect(told).toEqual(['closed > open by budget']);
    expect(story(sink)).toBe('OS AS circuit_breaker.opened AOK OOK');
  });

  it('leaves no try to one that fails, where nobody waits for the budget', async () => {
    const { clock, breaker, told } = setUp();
    const upstream = new Upstream(spending(() => Promise.reject(new Error('down'))));
    const options = { circuitBreaker: breaker, retries: 2, backoff: everySeconds(1) };
    const { failure, sink } = scene(upstream.call, options, clock);
    const { report } = await failure();
    expect(upstream.calls).toHaveLength(1);
    expect(report.metadata).toMatchObject({ circuit_breaker_reason: 'budget' });
    expect(told).toEqual(['closed > open by budget']);
    expect(story(sink).match(/circuit_breaker.opened/g)).toHaveLength(1);
  });

  it('is told as a change of the breaker alone where the attempt is not waited for any more', async () => {
    const { clock, breaker, told } = setUp();
    let late!: () => void;
    const slow = () => {
      const attempt = currentAttempt();
      late = () => attempt.spend(10);
      return hangs();
    };
    const { failure, sink } = scene(slow, { circuitBreaker: breaker, timeout: 1 }, clock);
    await failure();
    const before = story(sink);
    late();
    expect(breaker.snapshot()).toMatchObject({ state: 'open', openedBy: 'budget' });
    expect(told).toEqual(['closed > open by budget']);
    expect(story(sink)).toBe(`${before} circuit_breaker.opened`);
    expect(sink.events().at(-1)).toMatchObject(openedApart);
  });

  it('is told the same way where the call has been cancelled meanwhile', async () => {
    const { clock, breaker, told } = setUp();
    const caller = new AbortController();
    const upstream = new Upstream(spending(hangs));
    const { failure, sink } = scene(
      upstream.call,
      { circuitBreaker: breaker, signal: () => caller.signal },
      clock,
    );
    const failed = failure();
    const before = story(sink);
    caller.abort(new Error('gone'));
    await failed;
    expect(told).toEqual(['closed > open by budget']);
    expect(story(sink)).toBe(`${before} circuit_breaker.opened`);
    expect(sink.events().at(-1)).toMatchObject(openedApart);
  });

  it('is told once where an attempt says late what it cost, while the next one runs', async () => {
    const { clock, breaker } = setUp();
    const spenders: ((amount: number) => void)[] = [];
    const upstream = new Upstream(
      () => {
        const attempt = currentAttempt();
        spenders.push((amount) => attempt.spend(amount));
        return hangs();
      },
      () => {
        spenders[0]?.(10);
        return 'done';
      },
    );
    const options = { circuitBreaker: breaker, timeout: 1, retries: 1, backoff: everySeconds(0) };
    const { result, sink } = scene(upstream.call, options, clock);
    await result();
    expect(story(sink).match(/circuit_breaker.opened/g)).toHaveLength(1);
  });

  it('harms nobody where a sink fails at it', async () => {
    const { clock, breaker } = setUp();
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    let late!: () => void;
    const broken = {
      emit: ({ eventType }: { eventType: string }): void => {
        if (eventType === 'circuit_breaker.opened') throw new Error('a sink that is broken');
      },
    };
    const operation = asyncOperation(
      'ask',
      () => {
        const attempt = currentAttempt();
        late = () => attempt.spend(10);
        return hangs();
      },
      { clock },
    )
      .withCircuitBreaker(breaker)
      .withTimeout(new TimeoutPolicy(1))
      .withEvents(new EventEmitter({ sinks: [broken] }));
    await clock.settle(rejection(operation.run()));
    late();
    await clock.advance(1);
    expect(warn.mock.calls.map(([message]) => message)).toEqual([
      'an event sink failed with Error on a change of circuit_breaker:payments',
    ]);
    warn.mockRestore();
  });
});
