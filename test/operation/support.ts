import { getEventListeners } from 'node:events';
import {
  asyncOperation,
  CircuitBreaker,
  EventEmitter,
  InMemoryEventSink,
  resilient,
  type AsyncOperation,
  type CircuitBreakerOptions,
  type ConcurrencyLimit,
  type Duration,
  type EventSink,
  type ExecutionReport,
  type FallbackChain,
  type IdempotencyPolicy,
  type OperationExecutionError,
  type ResilientFunctionOptions,
  type RateLimitPolicy,
  type RetryPolicy,
  type TimeoutPolicy,
  type ValidationPolicy,
} from '../../lib/index.js';
import { FakeClock, seededRandom } from '../../lib/testing/index.js';

export type Fn = (...args: any[]) => any;

/** One answer of a scripted upstream. */
export type Step = () => unknown;

export const gives =
  (value: unknown): Step =>
  () =>
    Promise.resolve(value);
export const rejects =
  (error: unknown): Step =>
  () =>
    Promise.reject(error);
export const throws = (error: unknown): Step => {
  return () => {
    throw error;
  };
};
export const hangs: Step = () => new Promise(() => undefined);
/** An answer that takes its time, on the fake clock. */
export const after = (clock: FakeClock, seconds: number, step: Step): Step => {
  return () =>
    new Promise((resolve) => void clock.setTimer(() => resolve(undefined), seconds * 1_000)).then(step);
};

/** A dependency that answers by a script; its last answer is repeated. */
export class Upstream {
  readonly calls: unknown[][] = [];
  private readonly steps: readonly Step[];

  constructor(...steps: Step[]) {
    this.steps = steps;
  }

  readonly call: Fn = (...args) => {
    this.calls.push(args);
    return this.steps[Math.min(this.calls.length, this.steps.length) - 1]?.();
  };
}

/** A back-off of the same length each time. */
export const everySeconds = (seconds: number) => ({ delayForRetry: () => seconds });

const SHORT: Record<string, string> = {
  'operation.started': 'OS',
  'operation.succeeded': 'OOK',
  'operation.failed': 'OF',
  'attempt.started': 'AS',
  'attempt.succeeded': 'AOK',
  'attempt.failed': 'AF',
};

/** The types of the events so far in one line, the usual ones in short: OS AS AF retry.scheduled AS AOK OOK. */
export function story(sink: InMemoryEventSink): string {
  return sink
    .sequence()
    .map((type) => SHORT[type] ?? type)
    .join(' ');
}

/** A resilient function on a fake clock, with everything that can be seen of it from outside. */
export function scene(fn: Fn, options: ResilientFunctionOptions<Fn, any> = {}, clock = new FakeClock()) {
  const sink = new InMemoryEventSink();
  const reports: ExecutionReport[] = [];
  const run = resilient<Fn, any>(
    {
      name: 'op',
      clock,
      random: seededRandom(1),
      events: new EventEmitter({ sinks: [sink] }),
      onReport: (report) => reports.push(report),
      ...options,
    },
    fn,
  );
  return {
    clock,
    sink,
    reports,
    run,
    /** The result of one call, after all the time it needs. */
    result: (...args: unknown[]) => clock.settle(run(...args)),
    /** What one call rejects with, after all the time it needs. */
    failure: (...args: unknown[]) => clock.settle(rejection<OperationExecutionError>(run(...args))),
  };
}

/** What a promise is rejected with. */
export async function rejection<E = any>(promise: PromiseLike<unknown>): Promise<E> {
  try {
    await promise;
  } catch (error) {
    return error as E;
  }
  throw new Error('it was expected to be rejected');
}

/** What a function throws. */
export function thrown(fn: () => unknown): any {
  try {
    fn();
  } catch (error) {
    return error;
  }
  throw new Error('it was expected to throw');
}

/** The policies of an operation in the builder's form. */
export interface Policies {
  readonly retry?: RetryPolicy;
  readonly timeout?: TimeoutPolicy;
  readonly deadline?: Duration;
  readonly circuitBreaker?: CircuitBreaker;
  readonly concurrencyLimit?: ConcurrencyLimit;
  readonly fallbacks?: FallbackChain;
  readonly rateLimit?: RateLimitPolicy;
  readonly idempotency?: IdempotencyPolicy;
  readonly validation?: ValidationPolicy<any>;
  readonly events?: EventEmitter;
  readonly signal?: AbortSignal | Fn;
  readonly idempotent?: boolean;
}

const BUILDERS = {
  retry: 'withRetry',
  timeout: 'withTimeout',
  deadline: 'withDeadline',
  circuitBreaker: 'withCircuitBreaker',
  concurrencyLimit: 'withConcurrencyLimit',
  fallbacks: 'withFallbacks',
  rateLimit: 'withRateLimit',
  idempotency: 'withIdempotency',
  validation: 'withValidation',
  events: 'withEvents',
  signal: 'withSignal',
  idempotent: 'withIdempotent',
} as const satisfies Record<keyof Policies, keyof AsyncOperation<Fn>>;

/** An operation built step by step, in the order in which the policies are given. */
export function build(fn: Fn, policies: Policies, clock: FakeClock): AsyncOperation<Fn, any> {
  let operation: any = asyncOperation('op', fn, { clock, random: seededRandom(1) });
  for (const [policy, value] of Object.entries(policies)) {
    operation = operation[BUILDERS[policy as keyof Policies]](value);
  }
  return operation;
}

/** An open breaker on this clock. */
export async function openBreaker(
  clock: FakeClock,
  options: CircuitBreakerOptions = {},
): Promise<CircuitBreaker> {
  const breaker = new CircuitBreaker({ name: 'b', failureThreshold: 1, clock, ...options });
  await rejection(breaker.run(rejects(new Error('down'))));
  return breaker;
}

/** A breaker on this clock whose next call is the probe. */
export async function recoveredBreaker(
  clock: FakeClock,
  options: CircuitBreakerOptions = {},
): Promise<CircuitBreaker> {
  const breaker = await openBreaker(clock, options);
  await clock.advance(breaker.recoveryTimeoutSeconds);
  return breaker;
}

export function listenersOf(signal: AbortSignal): number {
  return getEventListeners(signal, 'abort').length;
}

/** A sink that does something else than listen when an event of one type comes, once. */
export function sinkThat(type: string, act: () => void | Promise<void>): EventSink {
  let acted = false;
  return {
    emit(event) {
      if (event.eventType !== type || acted) return undefined;
      acted = true;
      return act();
    },
  };
}

/** Aborts, and tells which came first: the end of the call, a timer or a callback of the event loop. */
export async function abortAndRace(
  promise: Promise<unknown>,
  abort: () => void,
): Promise<{ order: string[]; error: unknown }> {
  const order: string[] = [];
  const timer = new Promise<void>((resolve) => setTimeout(() => resolve(void order.push('timer')), 0));
  const turn = new Promise<void>((resolve) => setImmediate(() => resolve(void order.push('event loop'))));
  const settled = rejection(promise).finally(() => order.push('call'));
  abort();
  await Promise.all([timer, turn]);
  return { order, error: await settled };
}
