import { describe, expect, it } from 'tstyche';
import {
  CircuitBreaker,
  CircuitBreakerOpenError,
  currentAttempt,
  type BudgetNumbers,
  type OpenedBy,
  type RefusalDetails,
  type RefusalReason,
  type SavedCircuitBreaker,
} from '../../lib/index.js';

declare const breaker: CircuitBreaker;
declare const refusal: CircuitBreakerOpenError;

describe('the options of a circuit breaker', () => {
  it('are rules, a budget, probes and a recovery time', () => {
    expect(CircuitBreaker).type.toBeConstructableWith();
    expect(CircuitBreaker).type.toBeConstructableWith({
      name: 'payments',
      failureThreshold: 5,
      failureRate: 0.5,
      window: 20,
      minimumCalls: 10,
      slowCallSeconds: '250ms',
      slowCallRate: 0.5,
      budget: { limit: 100, per: '1h', cost: (answer: { tokens: number }) => answer.tokens },
      recoveryTimeout: { initial: '5s', factor: 2, max: '5m', jitter: 0.2 },
      probes: { concurrent: Infinity, successes: 3, lease: '10s' },
      maxKeys: 100,
      ignoreLocalStalls: true,
    });
    expect(CircuitBreaker).type.toBeConstructableWith({
      failureRate: 0.5,
      window: '60s',
      recoveryTimeout: 30,
    });
    expect(CircuitBreaker).type.toBeConstructableWith({ budget: { limit: 1, per: 60 } });
    expect(CircuitBreaker).type.toBeConstructableWith({ probes: {}, budget: undefined, window: undefined });
  });

  it('must have the right values', () => {
    expect(CircuitBreaker).type.not.toBeConstructableWith({ failureRate: '50%' });
    expect(CircuitBreaker).type.not.toBeConstructableWith({ failureRate: 0.5, window: '60' });
    expect(CircuitBreaker).type.not.toBeConstructableWith({ failureRat: 0.5 });
    expect(CircuitBreaker).type.not.toBeConstructableWith({ ignoreLocalStalls: 'true' });
    expect(CircuitBreaker).type.not.toBeConstructableWith({ slowCallSeconds: '2 sec', slowCallRate: 0.5 });
    expect(CircuitBreaker).type.not.toBeConstructableWith({ budget: { limit: 1 } });
    expect(CircuitBreaker).type.not.toBeConstructableWith({ budget: { per: '60s' } });
    expect(CircuitBreaker).type.not.toBeConstructableWith({
      budget: { limit: 1, per: '60s', cost: () => '5' },
    });
    expect(CircuitBreaker).type.not.toBeConstructableWith({ recoveryTimeout: { initial: 5 } });
    expect(CircuitBreaker).type.not.toBeConstructableWith({ probes: 3 });
    expect(CircuitBreaker).type.not.toBeConstructableWith({ probes: { max: 3 } });
  });
});

describe('what a circuit breaker says', () => {
  it('has its numbers, or null where it does not count them', () => {
    const snapshot = breaker.snapshot();
    expect(snapshot.failureThreshold).type.toBe<number | null>();
    expect(snapshot.calls).type.toBe<number | null>();
    expect(snapshot.failureRate).type.toBe<number | null>();
    expect(snapshot.slowCalls).type.toBe<number | null>();
    expect(snapshot.slowCallRate).type.toBe<number | null>();
    expect(snapshot.budget).type.toBe<BudgetNumbers | null>();
    expect(snapshot.openedBy).type.toBe<OpenedBy | null>();
    expect(snapshot.probesInFlight).type.toBe<number>();
    expect(breaker.failureThreshold).type.toBe<number | null>();
    expect(breaker.recoveryTimeoutSeconds).type.toBe<number>();
  });

  it('has a reason from a closed list in a refusal, and the numbers behind it', () => {
    expect(refusal.reason).type.toBe<RefusalReason>();
    expect<'probes_busy'>().type.toBeAssignableTo<RefusalReason>();
    expect<OpenedBy>().type.toBeAssignableTo<RefusalReason>();
    expect<string>().type.not.toBeAssignableTo<RefusalReason>();
    expect(refusal.details).type.toBe<RefusalDetails>();
    expect(refusal.details.openedAt).type.toBe<Date | null>();
    expect(refusal.retryAfterSeconds).type.toBe<number | null>();
  });

  it('can be written down and restored', () => {
    expect(breaker.toJSON()).type.toBe<SavedCircuitBreaker>();
    expect(CircuitBreaker.restore).type.toBeCallableWith(breaker.toJSON());
    expect(CircuitBreaker.restore).type.toBeCallableWith(breaker.toJSON(), { failureRate: 0.5 });
    expect(CircuitBreaker.restore).type.not.toBeCallableWith({ state: 'open' });
  });

  it('has a breaker for each key', () => {
    expect(breaker.keyed).type.toBeCallableWith('acme');
    expect(breaker.keyed).type.not.toBeCallableWith(5);
    expect(breaker.keyed).type.not.toBeCallableWith();
    expect(breaker.keyed('acme')).type.toBe<CircuitBreaker>();
    expect(breaker.keyedBreakers()).type.toBe<readonly CircuitBreaker[]>();
  });
});

it('an attempt may say what it has cost', () => {
  expect(currentAttempt().spend).type.toBeCallableWith(5);
  expect(currentAttempt().spend).type.not.toBeCallableWith('5');
  expect(currentAttempt().spend(5)).type.toBe<void>();
});
