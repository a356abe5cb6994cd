import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  asyncOperation,
  CircuitBreaker,
  EventEmitter,
  ExponentialBackoff,
  fallbackChain,
  InMemoryEventSink,
  reportOf,
  resilient,
  RetryPolicy,
  TimeoutPolicy,
  validationPolicy,
  type AsyncOperation,
} from '../../lib/index.js';
import { FakeClock, seededRandom } from '../../lib/testing/index.js';
import { isGood } from './metadata-keys.js';
import {
  build,
  everySeconds,
  gives,
  hangs,
  rejection,
  rejects,
  scene,
  story,
  Upstream,
  type Fn,
  type Policies,
} from './support.js';

const failing = rejects(new Error('no'));

/** One of each policy, new for each call of a test. */
function policies(sink: InMemoryEventSink): Policies {
  return {
    retry: new RetryPolicy({ maxAttempts: 4, backoff: new ExponentialBackoff() }),
    timeout: new TimeoutPolicy(1),
    deadline: '30s',
    circuitBreaker: new CircuitBreaker({ name: 'b', failureThreshold: 3 }),
    fallbacks: fallbackChain(['cache', gives('bad')], ['default', gives('good')]),
    validation: validationPolicy(isGood),
    events: new EventEmitter({ sinks: [sink] }),
    signal: new AbortController().signal,
    idempotent: true,
  };
}

describe('a builder of operations', () => {
  it('gives a new operation by every method and leaves the one before as it was [R191]', async () => {
    const clock = new FakeClock();
    const base = asyncOperation('op', failing, { clock });
    const sink = new InMemoryEventSink();
    const before = base.describe();
    const changed = [
      base.withRetry(new RetryPolicy()),
      base.withTimeout(new TimeoutPolicy(1)),
      base.withDeadline(1),
      base.withCircuitBreaker(new CircuitBreaker({ failureThreshold: 1 })),
      base.withFallbacks(fallbackChain(['f', gives('F')])),
      base.withValidation(validationPolicy(isGood)),
      base.withEvents(new EventEmitter({ sinks: [sink] })),
      base.withSignal(AbortSignal.abort('never')),
      base.withIdempotent(false),
    ];
    expect(new Set([base, ...changed]).size).toBe(10);
    const error = await rejection(base.run());
    expect(error.report.attempts.map((attempt: { status: string }) => attempt.status)).toEqual(['failed']);
    expect(base.describe()).toBe(before);
    expect(sink.events()).toEqual([]);
  });

  it('links the report of a call to the error of its chain, not to that of its only stand-in', async () => {
    const second = new Error('second');
    const error = await rejection(
      asyncOperation('op', failing)
        .withFallbacks(fallbackChain(['f', rejects(second)]))
        .run(),
    );
    expect(error.cause.failures).toEqual([second]);
    expect(reportOf(error.cause)).toBe(error.report);
    expect(reportOf(second)).toBeUndefined();
  });

  it('lets the last of two calls of one method win [R192]', async () => {
    const clock = new FakeClock();
    const upstream = new Upstream(hangs);
    const operation = asyncOperation('op', upstream.call, { clock })
      .withRetry(new RetryPolicy({ maxAttempts: 9 }))
      .withTimeout(new TimeoutPolicy(60))
      .withDeadline('1s')
      .withFallbacks(fallbackChain(['first', gives('first')]))
      .withSignal(AbortSignal.abort('never'))
      .withRetry(new RetryPolicy({ maxAttempts: 2, backoff: everySeconds(1) }))
      .withTimeout(new TimeoutPolicy(2))
      .withDeadline('1h')
      .withFallbacks(fallbackChain(['second', gives('second')]))
      .withSignal(() => undefined);
    const { value, report } = await clock.settle(operation.run());
    expect([value, upstream.calls.length, report.durationSeconds]).toEqual(['second', 2, 5]);
  });

  it('makes the same of its policies in any order [R193]', async () => {
    const scripts = fc.array(
      fc.constantFrom<'good' | 'bad' | 'fails' | 'hangs'>('good', 'bad', 'fails', 'hangs'),
      { minLength: 1, maxLength: 4 },
    );
    const steps = { good: gives('good'), bad: gives('bad'), fails: failing, hangs };
    const play = async (
      names: readonly string[],
      script: readonly (keyof typeof steps)[],
    ): Promise<unknown> => {
      const clock = new FakeClock();
      const sink = new InMemoryEventSink();
      const given = policies(sink);
      const ordered = Object.fromEntries(names.map((name) => [name, given[name as keyof Policies]]));
      const operation = build(new Upstream(...script.map((step) => steps[step])).call, ordered, clock);
      const { value, report } = await clock.settle(operation.run());
      expect(clock.pendingTimers).toBe(0);
      const told = sink.events().map((event) => ({ ...event.toJSON(), call_id: 'one' }));
      return { value, report: { ...report.toJSON(), call_id: 'one' }, told, plan: operation.describe() };
    };
    const names = Object.keys(policies(new InMemoryEventSink()));
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(names, { minLength: names.length }),
        scripts,
        async (shuffled, script) => {
          expect(await play(shuffled, script)).toEqual(await play(names, script));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('keeps breaker and emitter through all other calls [R198]', async () => {
    const clock = new FakeClock();
    const sink = new InMemoryEventSink();
    const circuitBreaker = new CircuitBreaker({ name: 'b', failureThreshold: 1 });
    const operation = asyncOperation('op', failing, { clock })
      .withCircuitBreaker(circuitBreaker)
      .withEvents(new EventEmitter({ sinks: [sink] }))
      .withRetry(new RetryPolicy({ maxAttempts: 1 }))
      .withTimeout(new TimeoutPolicy(1))
      .withDeadline(5)
      .withValidation(validationPolicy(isGood))
      .withSignal(() => undefined)
      .withIdempotent(true)
      .withFallbacks(fallbackChain(['f', gives('good')]));
    await clock.settle(operation.run());
    expect(circuitBreaker.state).toBe('open');
    expect(story(sink)).toBe(
      'OS AS circuit_breaker.opened AF fallback.started validation.succeeded fallback.succeeded AOK OOK',
    );
  });

  it('refuses a blank name, and takes any other as it is [R194]', async () => {
    for (const name of ['', '  ', '\n\t'])
      expect(() => asyncOperation(name, failing)).toThrow(/^name is a blank string/);
    for (const name of [undefined, null, 7, Symbol('name')]) {
      expect(() => asyncOperation(name as never, failing)).toThrow(
        expect.objectContaining({ name: 'ConfigurationError', option: 'name' }),
      );
    }
    expect((await asyncOperation(' users ', gives(1)).run()).report.operationName).toBe(' users ');
  });

  it('does the same as the options that mean the same [R193]', async () => {
    const optionSink = new InMemoryEventSink();
    const { retry, timeout, deadline, circuitBreaker, fallbacks, validation, signal } = policies(optionSink);
    const fn = (): Fn => new Upstream(failing, hangs, gives('bad')).call;
    const byOptions = scene(fn(), {
      ...{ retry, timeout, deadline, circuitBreaker, fallbacks, validation, signal },
      random: seededRandom(1),
    } as Parameters<typeof scene>[1]);
    const fromOptions = await byOptions.result();
    const sink = new InMemoryEventSink();
    const clock = new FakeClock();
    const fromBuilder = await clock.settle(build(fn(), policies(sink), clock).run());
    const plain = ({ report }: { report: { toJSON(): object } }) => ({ ...report.toJSON(), call_id: 'one' });
    expect(plain(fromOptions)).toEqual(plain(fromBuilder));
    expect(byOptions.sink.events().map(({ eventType, payload }) => [eventType, payload])).toEqual(
      sink.events().map(({ eventType, payload }) => [eventType, payload]),
    );
  });
});

describe('describe()', () => {
  const base = asyncOperation('users.read', failing);
  const lines: [AsyncOperation<Fn, any>, string][] = [
    [base, 'users.read: method'],
    [base.withTimeout(new TimeoutPolicy('250ms')), 'users.read: timeout 0.25 s > method'],
    [
      base.withRetry(new RetryPolicy()).withDeadline('1m'),
      'users.read: deadline 60 s > up to 3 attempts (0.1 s × 2, at most 10 s, full jitter) > method',
    ],
    [base.withRetry(new RetryPolicy({ backoff: everySeconds(1) })), 'users.read: up to 3 attempts > method'],
    [
      base.withRetry(
        new RetryPolicy({ maxAttempts: 2, backoff: new ExponentialBackoff({ jitter: { percent: 10 } }) }),
      ),
      'users.read: up to 2 attempts (0.1 s × 2, at most 10 s, 10 % jitter) > method',
    ],
    [
      base
        .withFallbacks(fallbackChain(['cache', gives(1)], ['default', gives(1)]))
        .withTimeout(new TimeoutPolicy(1))
        .withValidation(validationPolicy(isGood))
        .withCircuitBreaker(new CircuitBreaker({ name: 'db' })),
      "users.read: circuit breaker 'db' > validation > timeout 1 s > method; else fallback cache, default",
    ],
  ];

  it.each(lines)('tells the policies from the outside in: %#', (operation, line) => {
    expect(operation.describe()).toBe(line);
  });
});

describe('a resilient function', () => {
  it('is called with nothing but its arguments and shares its breaker between calls', async () => {
    const circuitBreaker = new CircuitBreaker({ failureThreshold: 2 });
    const run = resilient({ circuitBreaker }, async function readUser(id: number): Promise<number> {
      throw new RangeError(`no user ${id}`);
    });
    const errors = [await rejection(run(1)), await rejection(run(2)), await rejection(run(3))];
    expect(errors.map((error) => error.cause.name)).toEqual([
      'RangeError',
      'RangeError',
      'CircuitBreakerOpenError',
    ]);
    expect(errors.map((error) => error.report.operationName)).toEqual(['readUser', 'readUser', 'readUser']);
  });
});
