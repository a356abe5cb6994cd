import {
  asyncOperation,
  CircuitBreaker,
  CircuitBreakerOpenError,
  currentAttempt,
  TimeoutPolicy,
  type CircuitBreakerState,
  type CircuitBreakerTransition,
  type CurrentAttempt,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { deferred, type Deferred } from '../support/deferred.js';
import { optionsOf, type Numbers } from './model-numbers.js';
import { changeText } from './reference-lists.js';

interface RealCall {
  readonly work: Deferred<{ readonly cost: number }>;
  readonly controller: AbortController;
  endOfLeaseMs: number;
  admitted: boolean;
  error: unknown;
  over: boolean;
  /** The state that the breaker was in just after it admitted this call, and how many changes it had seen. */
  state: CircuitBreakerState;
  period: number;
  attempt: CurrentAttempt | undefined;
}

const broken = (): never => {
  throw new Error('a listener that is broken');
};
/** What the default filter does not count. */
const REFUSED_INSIDE = new CircuitBreakerOpenError('another', 'open', 5);
const isCounted = (error: unknown): boolean => !(error instanceof RangeError);

/** The breaker under test, with everything that was ever called through it. */
export class System {
  readonly clock = new FakeClock();
  breaker: CircuitBreaker;
  calls: RealCall[] = [];
  /** Calls whose work has been admitted and has not ended; the caller may have stopped waiting for it long ago. */
  working: [id: number, call: RealCall][] = [];
  /** What a listener was told, beside one that always throws. */
  readonly changes: CircuitBreakerTransition[] = [];
  periods = 0;
  /** What `random` gives. */
  chance = 0;
  onChange: ((change: string) => void) | undefined;

  constructor(
    public numbers: Numbers,
    private readonly hasFilter: boolean,
  ) {
    this.breaker = new CircuitBreaker(this.options);
    this.listen();
  }

  get ignored(): Error {
    return this.hasFilter ? new RangeError('not counted') : REFUSED_INSIDE;
  }

  /** Another process goes on; the calls of this one may end, and nobody hears of what they do to their breaker. */
  restart(numbers: Numbers): void {
    this.numbers = numbers;
    const saved = JSON.stringify(this.breaker);
    this.breaker = CircuitBreaker.restore(JSON.parse(saved), this.options);
    this.periods += 1;
    this.working = [];
    this.listen();
  }

  takeChanges(): string[] {
    return this.changes
      .splice(0)
      .map(({ from, to, by, openedBy, failureCount, forced }) =>
        changeText(from, to, by, openedBy, failureCount, forced),
      );
  }

  /** Without a timeout through the breaker alone, otherwise in an operation, whose timeout is the lease. */
  async begin(timeoutMs: number | undefined): Promise<RealCall> {
    const { breaker, numbers, clock } = this;
    const call: RealCall = {
      work: deferred(),
      controller: new AbortController(),
      endOfLeaseMs: 0,
      admitted: false,
      error: undefined,
      over: false,
      state: 'closed',
      period: 0,
      attempt: undefined,
    };
    const fn = (): Promise<unknown> => {
      const { state, recoveryTimeoutSeconds } = breaker.snapshot();
      const leaseMs = numbers.probes.leaseMs ?? timeoutMs ?? recoveryTimeoutSeconds * 1_000;
      const endOfLeaseMs = clock.monotonicMs() + leaseMs;
      Object.assign(call, { admitted: true, state, period: this.periods, endOfLeaseMs });
      call.attempt = currentAttempt();
      return call.work.promise;
    };
    const { signal } = call.controller;
    const outcome: Promise<unknown> =
      timeoutMs === undefined
        ? breaker.runWith({ signal }, fn)
        : asyncOperation('call', fn, { clock })
            .withCircuitBreaker(breaker)
            .withTimeout(new TimeoutPolicy(`${timeoutMs}ms`))
            .runWith({ signal });
    outcome.catch((error: any) => (call.error = error?.cause ?? error)).finally(() => (call.over = true));
    await clock.advance(0);
    return call;
  }

  private get options() {
    const filter = this.hasFilter ? { recordFailureOn: isCounted } : {};
    return { ...optionsOf(this.numbers), ...filter, clock: this.clock, random: () => this.chance };
  }

  private listen(): void {
    const { breaker } = this;
    breaker.onTransition(broken);
    breaker.onTransition((change) => {
      if (breaker !== this.breaker) return;
      this.periods += 1;
      this.changes.push(change);
      this.onChange?.(`${change.from} to ${change.to} for ${change.openedBy ?? change.by}`);
    });
  }
}
