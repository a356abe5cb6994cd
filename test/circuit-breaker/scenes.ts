import { CircuitBreaker, type CircuitBreakerOptions } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { failWith } from './support.js';

/** A breaker with exactly these rules, open for ten seconds, and the clock it goes by. */
export function withRules(options: CircuitBreakerOptions): { clock: FakeClock; breaker: CircuitBreaker } {
  const clock = new FakeClock();
  return { clock, breaker: new CircuitBreaker({ name: 'payments', recoveryTimeout: 10, clock, ...options }) };
}

/** Calls that end at once, one after another: `S` succeeds, `F` fails, `R` is refused. */
export async function play(breaker: CircuitBreaker, outcomes: string): Promise<void> {
  for (const outcome of outcomes) {
    if (outcome === 'S') await breaker.run(() => 'up');
    else {
      const { name } = await failWith(breaker, new Error('down'));
      if ((name === 'CircuitBreakerOpenError') !== (outcome === 'R')) throw new Error(`${outcome}: ${name}`);
    }
  }
}

/** One call that takes so long on the clock, and how it ends; gives what its caller got. */
export async function takes(
  { clock, breaker }: { readonly clock: FakeClock; readonly breaker: CircuitBreaker },
  seconds: number,
  end: 'S' | 'F' = 'S',
): Promise<unknown> {
  const call = breaker.run(async () => {
    await new Promise<void>((resolve) => void clock.setTimer(resolve, seconds * 1_000));
    if (end === 'F') throw new Error('down');
    return 'up';
  });
  return clock.settle(call.catch((error: unknown) => error));
}

/** The state after each of these calls, as `o`, `c` or `h`. */
export async function statesOf(breaker: CircuitBreaker, outcomes: string): Promise<string> {
  let states = '';
  for (const outcome of outcomes) {
    await play(breaker, outcome);
    states += breaker.state[0] as string;
  }
  return states;
}
