import { MisuseError } from '../errors/misuse-error.js';
import type { CallProbe } from '../events/call-probe.js';
import type { EventEmitter } from '../events/event-emitter.js';
import type { CircuitBreaker } from '../policies/circuit-breaker/circuit-breaker.js';
import type { FallbackChain } from '../policies/fallback/fallback-chain.js';
import type { RateLimitPolicy } from '../policies/rate-limit/rate-limit-policy.js';
import type { RetryPolicy } from '../policies/retry/retry-policy.js';
import type { ValidationPolicy } from '../policies/validation/validation-policy.js';
import { deadlineQueue, type DeadlineQueue } from '../time/deadline-queue.js';
import { guardsOf, type Guards } from './guards.js';
import { hostBasics, type OperationHost, type ReportListener } from './host.js';
import { joinProbes } from './join-probes.js';
import { keyedPlan, type KeyedPlan } from './keyed/keyed-plan.js';
import type { ObservableClass } from './observable-class.js';
import { isKeyedBreaker } from './ask-breaker.js';
import { checkLease } from './breaker-lease.js';
import type {
  AnyFunction,
  CircuitBreakerChoice,
  KeyedCircuitBreaker,
  Selector,
  Settings,
} from './settings.js';

/** An operation, ready to be called: settings joined with the application they run in. Made once, read by every call. */
export interface Plan {
  readonly name: string;
  readonly fn: AnyFunction;
  readonly host: OperationHost;
  readonly retry: RetryPolicy | undefined;
  readonly maxAttempts: number;
  /** `Infinity` without a timeout; then `timeouts` is `undefined` too. */
  readonly timeoutMs: number;
  readonly timeouts: DeadlineQueue | undefined;
  readonly deadlineMs: number;
  readonly deadlines: DeadlineQueue | undefined;
  readonly hasBreaker: boolean;
  readonly breaker: CircuitBreaker | undefined;
  /** Finds the breaker where it differs from call to call. */
  readonly selectBreaker: Selector<CircuitBreaker> | undefined;
  /** What attempts must pass before they begin; `undefined` where there is nothing. */
  readonly guards: Guards | undefined;
  readonly fallbacks: FallbackChain | undefined;
  readonly singleFallback: boolean;
  readonly rateLimit: RateLimitPolicy | undefined;
  readonly validation: ValidationPolicy | undefined;
  /** Who is told what happens. Others may begin to listen, and end it, between two calls. */
  emitters: readonly EventEmitter[] | undefined;
  /** Sees the calls from inside. */
  readonly probe: CallProbe | undefined;
  readonly signal: AbortSignal | Selector<AbortSignal | undefined> | undefined;
  readonly idempotent: boolean;
  readonly onReport: ReportListener | undefined;
  /** Told the report of every call, beside `onReport`. */
  readonly observers: readonly ReportListener[];
  readonly throwsExecutionError: boolean;
  /** Subscribes to what the method returns, in each attempt; `undefined` where that is a promise or a value. */
  readonly observable: ObservableClass | undefined;
  /** What makes several calls one execution; `undefined` where each call is one. */
  readonly keyed: KeyedPlan | undefined;
  /** What the account of a call needs that has ended: errors and results outlive the application that made them. */
  readonly ended: Plan;
}

/** @throws {ConfigurationError} when the settings name something that the host does not have. */
export function compilePlan(name: string, fn: AnyFunction, settings: Settings, host: OperationHost): Plan {
  const timeoutMs = settings.timeout?.timeoutMs ?? Infinity;
  const deadlineMs = settings.deadlineMs ?? Infinity;
  const given = [host.emitter, settings.events].filter((emitter) => emitter !== undefined);
  const emitters = given.filter(({ isSilent }) => !isSilent);
  const plan: Omit<Plan, 'ended' | 'keyed'> = {
    name,
    fn: host.instrument?.(name, fn) ?? fn,
    host,
    retry: settings.retry,
    maxAttempts: settings.shield === undefined ? (settings.retry?.maxAttempts ?? 1) : SHIELD_ATTEMPTS,
    timeoutMs,
    timeouts: timeoutMs === Infinity ? undefined : deadlineQueue(host.clock, timeoutMs),
    deadlineMs,
    deadlines: deadlineMs === Infinity ? undefined : deadlineQueue(host.clock, deadlineMs),
    hasBreaker: settings.circuitBreaker !== undefined,
    ...chooseBreaker(settings.circuitBreaker, host, timeoutMs),
    guards: guardsOf(name, settings, host),
    fallbacks: settings.fallbacks,
    singleFallback: settings.singleFallback ?? false,
    rateLimit: settings.rateLimit,
    validation: settings.validation,
    emitters: emitters.length === 0 ? undefined : emitters,
    probe: joinProbes(given, host.warn.bind(host)),
    signal: settings.signal,
    idempotent: settings.idempotent ?? true,
    onReport: settings.onReport,
    observers: host.observers,
    throwsExecutionError: settings.throws === 'execution-error',
    observable: settings.observable,
  };
  const ended = endedPlan(plan);
  const { idempotency } = settings;
  const keyed = idempotency && keyedPlan(name, idempotency, workPlan(plan, ended));
  // With a key it is the execution that is guarded, not each of its callers.
  return Object.assign(plan, { guards: keyed === undefined ? plan.guards : undefined, keyed, ended });
}

/** As many as a shield makes, whatever its profile. */
const SHIELD_ATTEMPTS = 4;

/** What is executed for a key: its callers have their own signals, and are told themselves. */
function workPlan(plan: Omit<Plan, 'ended' | 'keyed'>, ended: Plan): Plan {
  const told = { signal: undefined, onReport: undefined, observers: [] };
  // The key is the same in every attempt, so that whoever does the work can know it again.
  return { ...plan, ...told, idempotent: true, keyed: undefined, ended };
}

/** Without what would hold the application. */
function endedPlan(plan: Omit<Plan, 'ended' | 'keyed'>): Plan {
  const ended = {
    ...plan,
    fn: refuse,
    host: {
      ...hostBasics({ clock: plan.host.clock }),
      circuitBreaker: refuse,
      concurrencyLimit: refuse,
      isApplication: true,
    },
    breaker: undefined,
    selectBreaker: undefined,
    guards: undefined,
    emitters: undefined,
    probe: undefined,
    signal: undefined,
    onReport: undefined,
    observers: [],
    keyed: undefined,
  };
  return Object.assign(ended, { ended: ended as unknown as Plan });
}

/** Not made in there: a closure would keep the whole plan. */
function refuse(): never {
  throw new MisuseError('a call that has ended calls nothing');
}

function chooseBreaker(
  choice: CircuitBreakerChoice | undefined,
  host: OperationHost,
  timeoutMs: number,
): Pick<Plan, 'breaker' | 'selectBreaker'> {
  const always = (breaker: CircuitBreaker): Pick<Plan, 'breaker' | 'selectBreaker'> => {
    return { breaker: checkLease(breaker, timeoutMs), selectBreaker: undefined };
  };
  if (choice === undefined) return { breaker: undefined, selectBreaker: undefined };
  if (typeof choice === 'string') {
    if (host.isApplication) return always(host.circuitBreaker(choice, undefined));
    return {
      breaker: undefined,
      selectBreaker(this: unknown) {
        return host.circuitBreaker(choice, this);
      },
    };
  }
  if (isKeyedBreaker(choice)) return { breaker: undefined, selectBreaker: byKey(choice, host, timeoutMs) };
  if (typeof choice !== 'function') return always(choice);
  return {
    breaker: undefined,
    selectBreaker(this: unknown, ...args: unknown[]) {
      const found = choice.apply(this, args);
      return typeof found === 'string' ? host.circuitBreaker(found, this) : found;
    },
  };
}

/** Known at once where the application knows it, so that a wrong name is found when the application starts. */
function byKey(
  { name, key }: KeyedCircuitBreaker,
  host: OperationHost,
  timeoutMs: number,
): Selector<CircuitBreaker> {
  const shared = host.isApplication ? checkLease(host.circuitBreaker(name, undefined), timeoutMs) : undefined;
  return function (this: unknown, ...args: unknown[]) {
    return (shared ?? host.circuitBreaker(name, this)).keyed(key.apply(this, args));
  };
}
