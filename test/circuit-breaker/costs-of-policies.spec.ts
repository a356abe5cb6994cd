import { describe, expect, it } from '@jest/globals';
import {
  asyncOperation,
  CircuitBreaker,
  currentAttempt,
  RetryPolicy,
  TimeoutPolicy,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { everySeconds } from '../operation/support.js';

/** An operation whose breaker has a budget, around something that spends. */
function around(work: (clock: FakeClock) => unknown) {
  const clock = new FakeClock();
  const breaker = new CircuitBreaker({ name: 'model', budget: { limit: 100, per: '60s' }, clock });
  const operation = asyncOperation('ask', () => work(clock), { clock }).withCircuitBreaker(breaker);
  return {
    clock,
    breaker,
    spent: () => breaker.snapshot().budget?.spent,
    run: () => clock.settle(operation.run()),
  };
}

const spend = (amount: number): string => {
  currentAttempt().spend(amount);
  return 'done';
};

describe('what is spent in a policy that stands alone, inside an operation', () => {
  it('is taken from the budget of the operation, in each try', async () => {
    const answers = [1, 2, 4];
    const { spent, run } = around((clock) => {
      const retry = new RetryPolicy({ maxAttempts: 3, backoff: everySeconds(1), clock });
      return retry.run(() => {
        const amount = answers.shift() ?? 0;
        spend(amount);
        if (amount < 4) throw new Error('busy');
        return 'done';
      });
    });
    expect((await run()).value).toBe('done');
    expect(spent()).toBe(7);
  });

  it('is taken from it through several of them', async () => {
    const { spent, run } = around((clock) => {
      const timeout = new TimeoutPolicy(5, { clock });
      const retry = new RetryPolicy({ maxAttempts: 2, backoff: everySeconds(1), clock });
      return timeout.run(() => retry.run(() => spend(3)));
    });
    await run();
    expect(spent()).toBe(3);
  });

  it('is taken from it through a breaker without a budget, and not through one that has its own', async () => {
    const clock = new FakeClock();
    const plain = new CircuitBreaker({ name: 'plain', clock });
    const own = new CircuitBreaker({ name: 'own', budget: { limit: 10, per: '1s' }, clock });
    const { spent, run } = around(async () => {
      const both = [plain.run(() => spend(2)), own.run(() => spend(5))];
      return Promise.all(both);
    });
    await run();
    expect([spent(), own.snapshot().budget?.spent]).toEqual([2, 5]);
  });

  it('may be said late, when the try has ended, and the operation too', async () => {
    let late!: () => void;
    const { spent, run } = around((clock) =>
      new TimeoutPolicy(5, { clock }).run(() => {
        const attempt = currentAttempt();
        late = () => attempt.spend(8);
        return 'done';
      }),
    );
    await run();
    late();
    expect(spent()).toBe(8);
  });

  it('is nothing outside an operation', async () => {
    await expect(new TimeoutPolicy(5).run(() => spend(1))).resolves.toBe('done');
  });
});

describe('a cost that anybody takes from a breaker', () => {
  it('gives nothing back: what it did to the breaker is told to its listeners', () => {
    const breaker = new CircuitBreaker({ name: 'model', budget: { limit: 1, per: '1s' } });
    const told: string[] = [];
    breaker.onTransition(({ from, to }) => told.push(`${from} > ${to}`));
    expect(breaker.spend(1)).toBeUndefined();
    expect([breaker.state, told]).toEqual(['open', ['closed > open']]);
  });
});
