import { asyncOperation, CircuitBreaker, TimeoutPolicy, type CircuitBreakerState } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { deferred, type Deferred } from '../support/deferred.js';

export const RECOVERY_MS = 10_000;
export const LONGEST_TIMEOUT_MS = 25_000;

interface RealCall {
  readonly work: Deferred<string>;
  readonly controller: AbortController;
  readonly endOfLeaseMs: number;
  admitted: boolean;
  error: unknown;
  over: boolean;
  /** The state that the breaker was in just after it admitted this call. */
  state: CircuitBreakerState;
}

const broken = (): never => {
  throw new Error('a listener that is broken');
};

/** The breaker under test, with everything that was ever called through it. */
export class System {
  readonly clock = new FakeClock();
  readonly breaker: CircuitBreaker;
  calls: RealCall[] = [];
  /** What a listener was told, beside one that always throws. */
  readonly changes: string[] = [];

  constructor(failureThreshold: number) {
    const recordFailureOn = (error: unknown): boolean => !(error instanceof RangeError);
    const recoveryTimeout = RECOVERY_MS / 1_000;
    this.breaker = new CircuitBreaker({
      failureThreshold,
      recoveryTimeout,
      recordFailureOn,
      clock: this.clock,
    });
    this.breaker.onTransition(broken);
    this.breaker.onTransition(({ from, to, by }) => this.changes.push(`${from} to ${to} by ${by}`));
  }

  /** Without a timeout through the breaker alone, otherwise in an operation, whose timeout is the lease. */
  async begin(timeoutMs: number | undefined): Promise<RealCall> {
    const call: RealCall = {
      work: deferred<string>(),
      controller: new AbortController(),
      endOfLeaseMs: this.clock.monotonicMs() + (timeoutMs ?? RECOVERY_MS),
      admitted: false,
      error: undefined,
      over: false,
      state: 'closed',
    };
    const fn = (): Promise<string> => {
      call.admitted = true;
      call.state = this.breaker.state;
      return call.work.promise;
    };
    const { signal } = call.controller;
    const outcome: Promise<unknown> =
      timeoutMs === undefined
        ? this.breaker.runWith({ signal }, fn)
        : asyncOperation('call', fn, { clock: this.clock })
            .withCircuitBreaker(this.breaker)
            .withTimeout(new TimeoutPolicy(`${timeoutMs}ms`))
            .runWith({ signal });
    outcome.catch((error: any) => (call.error = error?.cause ?? error)).finally(() => (call.over = true));
    await this.clock.advance(0);
    return call;
  }

  /** Calls whose work has been admitted and has not ended; the caller may have stopped waiting for it long ago. */
  readonly working: [id: number, call: RealCall][] = [];
}
