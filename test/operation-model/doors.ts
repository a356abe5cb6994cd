import { bindHandle } from '../../lib/decorator/handle.js';
import { MethodExecutor } from '../../lib/decorator/method-executor.js';
import {
  asyncOperation,
  EventEmitter,
  ExponentialBackoff,
  fallbackChain,
  RateLimitPolicy,
  resilient,
  Resilient,
  resultOf,
  RetryPolicy,
  TimeoutPolicy,
  validationPolicy,
  type Backoff,
  type EventSink,
  type ExecutionReport,
  type PolicyOptions,
} from '../../lib/index.js';
import { StandaloneHost } from '../../lib/operation/standalone-host.js';
import type { FakeClock } from '../../lib/testing/index.js';
import { tagOf } from './failures.js';
import type { RealWorld } from './real-world.js';
import { VALIDATOR, REASON } from './reference-account.js';
import type { BackoffPlan, Plan, Tag } from './scenario.js';
import type { Scripted } from './scripted.js';

/** One call, about to be made. */
export interface Prepared {
  readonly world: RealWorld;
  readonly plan: Plan;
  readonly script: Scripted;
  readonly signal: AbortSignal;
  readonly sink: EventSink;
  readonly onReport: (report: ExecutionReport) => void;
  /** The result form of a call that gives its value, or its error, to whoever made it. */
  readonly onResult: (ended: unknown) => void;
}

type Run = (call: Prepared) => Promise<unknown>;

/** What the three doors give: the result form, but for the decorated method, which gives its own value. */
export const OPEN: Readonly<Record<Plan['door'], Run>> = { builder: build, wrap, decorator: decorate };

const random = (): number => 0;
export const filter =
  (tags: readonly Tag[]) =>
  (error: unknown): boolean =>
    tags.includes(tagOf(error));
const when = <T>(value: T | undefined): T[] => (value === undefined ? [] : [value]);
const ms = (value: number): `${number}ms` => `${value}ms`;

function backoffOf(backoff: BackoffPlan): Backoff {
  if (backoff.kind === 'constant') return { delayForRetry: () => backoff.ms / 1_000 };
  const { baseMs, maxMs } = backoff;
  return new ExponentialBackoff({ baseDelay: ms(baseMs), maxDelay: ms(maxMs), jitter: false });
}

const validatorOf = (script: Scripted) => script.validator(VALIDATOR, REASON);

function chainOf({ plan, script }: Prepared) {
  const { on, candidates } = plan.fallbacks as NonNullable<Plan['fallbacks']>;
  const named = candidates.map((_, index) => [`s${index}`, script.candidate(index)] as const);
  return fallbackChain(...(named as [never]), on === undefined ? {} : { fallbackOn: filter(on) });
}

function build(call: Prepared): Promise<unknown> {
  const { world, plan, script, signal, sink } = call;
  const { clock, breaker, limit } = world;
  let operation: any = asyncOperation('op', script.callee, { clock, random });
  if (plan.fallbacks) operation = operation.withFallbacks(chainOf(call));
  if (plan.validation) operation = operation.withValidation(validationPolicy(validatorOf(script)));
  if (plan.usesBreaker) operation = operation.withCircuitBreaker(breaker);
  if (plan.usesLimit) operation = operation.withConcurrencyLimit(limit);
  if (plan.deadlineMs !== undefined) operation = operation.withDeadline(ms(plan.deadlineMs));
  if (plan.timeoutMs !== undefined) operation = operation.withTimeout(new TimeoutPolicy(ms(plan.timeoutMs)));
  if (plan.retries > 0)
    operation = operation.withRetry(
      new RetryPolicy({
        maxAttempts: plan.retries + 1,
        backoff: backoffOf(plan.backoff),
        ...(plan.retryOn && { retryOn: filter(plan.retryOn) }),
      }),
    );
  if (plan.rateLimit) operation = operation.withRateLimit(rateLimitOf(plan, script));
  if (!plan.idempotent) operation = operation.withIdempotent(false);
  if (plan.signal === 'option') operation = operation.withSignal(signal);
  if (plan.signal === 'selector') operation = operation.withSignal((found: AbortSignal) => found);
  operation = operation.withEvents(new EventEmitter({ sinks: [sink], clock }));
  return plan.signal === 'run' ? operation.runWith({ signal }, signal) : operation.run(signal);
}

function rateLimitOf(plan: Plan, script: Scripted): RateLimitPolicy {
  const { on, extracts, maxWaitMs } = plan.rateLimit as NonNullable<Plan['rateLimit']>;
  return new RateLimitPolicy({
    rateLimitOn: filter(on),
    ...(extracts && { retryAfter: script.extract }),
    maxWait: ms(maxWaitMs),
  });
}

/** The same as options. */
function optionsOf(call: Prepared): PolicyOptions & { name: string } {
  const { world, plan, script, signal, sink, onReport } = call;
  const { fallbacks, rateLimit } = plan;
  return {
    name: 'op',
    retries: plan.retries,
    ...(plan.retries > 0 && { backoff: backoffOf(plan.backoff), retryOn: when(plan.retryOn).map(filter)[0] }),
    timeout: plan.timeoutMs === undefined ? undefined : ms(plan.timeoutMs),
    deadline: plan.deadlineMs === undefined ? undefined : ms(plan.deadlineMs),
    circuitBreaker: plan.usesBreaker ? world.breaker : undefined,
    concurrencyLimit: plan.usesLimit ? world.limit : undefined,
    idempotent: plan.idempotent,
    ...(fallbacks?.simple === true
      ? { fallback: script.candidate(0), fallbackOn: when(fallbacks.on).map(filter)[0] }
      : fallbacks && { fallbacks: chainOf(call) }),
    ...(plan.validation && { validate: validatorOf(script) }),
    ...(rateLimit && {
      rateLimitOn: filter(rateLimit.on),
      retryAfter: rateLimit.extracts ? script.extract : undefined,
      maxRateLimitWait: ms(rateLimit.maxWaitMs),
    }),
    ...(plan.signal === 'option' && { signal }),
    ...(plan.signal === 'selector' && { signal: (found: unknown) => found as AbortSignal }),
    events: new EventEmitter({ sinks: [sink], clock: world.clock }),
    onReport,
  };
}

function wrap(call: Prepared): Promise<unknown> {
  const { world, plan, script, signal } = call;
  const run = resilient({ ...optionsOf(call), clock: world.clock, random } as object, script.callee);
  return plan.signal === 'run' ? resultOf(() => run(signal), { signal }) : run(signal);
}

function decorate(call: Prepared): Promise<unknown> {
  const { world, plan, script, signal } = call;
  class Host {
    @Resilient(optionsOf(call) as object)
    async operation(found: AbortSignal): Promise<unknown> {
      return script.callee(found);
    }
  }
  const host = adopted(new Host(), world.clock);
  if (plan.signal === 'run') return resultOf(() => host.operation(signal), { signal });
  const promise = host.operation(signal);
  resultOf(promise).then(call.onResult, call.onResult);
  return promise;
}

/** As a container would: its decorated methods go by this clock. */
function adopted<T extends object>(instance: T, clock: FakeClock): T {
  bindHandle(instance, { current: new MethodExecutor(new StandaloneHost({ clock, random })) });
  return instance;
}
