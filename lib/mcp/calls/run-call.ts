import { currentAttempt } from '../../attempt/current-attempt.js';
import { ExponentialBackoff } from '../../backoff/exponential-backoff.js';
import { httpPolicy } from '../../operation/http-policy.js';
import { OperationExecutionError } from '../../operation/operation-execution-error.js';
import { resilient } from '../../operation/resilient.js';
import { CircuitBreakerOpenError } from '../../policies/circuit-breaker/circuit-breaker-open-error.js';
import type { ConcurrencyLimit } from '../../policies/concurrency-limit/concurrency-limit.js';
import { fallbackChain } from '../../policies/fallback/fallback-chain.js';
import { validationPolicy } from '../../policies/validation/validation-policy.js';
import type { ExecutionReport } from '../../report/execution-report.js';
import type { Clock } from '../../time/clock.js';
import type { Random } from '../../time/random.js';
import type { BreakerBook } from '../breakers/breaker-book.js';
import type { AllowList } from '../hosts/allow-list.js';
import { HttpStatusError, type HttpAnswer } from '../http/answer.js';
import type { Upstream } from '../http/upstream.js';
import { ArgumentError } from '../tools/argument-error.js';
import type { CallContext } from '../tools/tool.js';
import type { CallArguments } from './call-arguments.js';
import { costOf } from './cost.js';
import { expectationsOf, isFailure } from './expectations.js';
import { jsonText } from './json-text.js';
import { progressEvents } from './progress.js';
import { requestOf } from './request.js';
import { StandIn } from './stand-in.js';

export interface CallParts {
  readonly book: BreakerBook;
  readonly allowList: AllowList;
  readonly upstream: Upstream;
  readonly limit: ConcurrencyLimit;
  readonly clock: Clock;
  readonly random: Random;
  readonly onReport: (report: ExecutionReport) => void;
}

/** How a call ended. */
export interface Ending {
  readonly value: HttpAnswer | StandIn | undefined;
  /** Why there is no value. */
  readonly error: unknown;
  /** The last answer of the upstream, good or bad. */
  readonly lastAnswer: HttpAnswer | undefined;
  /** Requests that were sent, those of redirects too. */
  readonly requests: number;
  readonly report: ExecutionReport;
}

const REPEATABLE = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

/**
 * One call as an operation of this library.
 * @throws {ArgumentError} or {@link TargetRefusedError} for a call that is not begun; the client's reason when it gives up.
 */
export async function runCall(args: CallArguments, parts: CallParts, context: CallContext): Promise<Ending> {
  checkTogether(args);
  const circuitBreaker = parts.book.get(args.breaker);
  const url = parts.allowList.check(args.url);
  const request = requestOf(args);
  const cost = costOf(parts.book.definitionOf(args.breaker)?.budget, args.cost);
  const { clock, random } = parts;
  const expectations = expectationsOf(args);
  const events = progressEvents(context, clock);
  let requests = 0;
  let lastAnswer: HttpAnswer | undefined;

  const call = resilient(
    {
      ...policyOf(args),
      name: `${args.breaker} ${args.method} ${url.host}`,
      circuitBreaker,
      concurrencyLimit: parts.limit,
      signal: context.signal,
      onReport: (report) => {
        parts.book.onReport(args.breaker, report);
        parts.onReport(report);
      },
      clock,
      random,
      ...(expectations.length > 0 && { validation: validationPolicy(...expectations) }),
      ...('fallback' in args && { fallbacks: standInFor(args) }),
      ...(events !== undefined && { events }),
    },
    async (): Promise<HttpAnswer> => {
      const { signal } = currentAttempt();
      const onRequest = (): void => void (requests += 1);
      const answer = await parts.upstream.send(url, request, { signal, onRequest });
      lastAnswer = { ...answer, cost: cost(answer.body) };
      if (isFailure(answer.status, args.expect.status)) throw new HttpStatusError(lastAnswer);
      return lastAnswer;
    },
  );
  try {
    const { value, report } = await call();
    return { value, error: undefined, lastAnswer, requests, report };
  } catch (error) {
    if (!(error instanceof OperationExecutionError)) throw error;
    return { value: undefined, error: error.cause, lastAnswer, requests, report: error.report };
  }
}

function policyOf(args: CallArguments) {
  const { method, idempotencyKey, timeoutSeconds, deadlineSeconds, factor, jitter } = args;
  const isRepeatable = REPEATABLE.has(method) || idempotencyKey !== undefined;
  const { baseDelaySeconds, maxDelaySeconds } = args;
  return httpPolicy({
    circuitBreaker: false,
    method,
    idempotencyKey: idempotencyKey !== undefined,
    timeout: timeoutSeconds,
    deadline: deadlineSeconds,
    retries: (args.maxAttempts ?? (isRepeatable ? 5 : 1)) - 1,
    maxRateLimitWait: deadlineSeconds,
    backoff: new ExponentialBackoff({
      baseDelay: Math.min(baseDelaySeconds, maxDelaySeconds),
      maxDelay: maxDelaySeconds,
      multiplier: factor,
      jitter: jitter === 0 ? false : { percent: jitter * 100 },
    }),
  });
}

function standInFor({ fallback, fallbackOn }: CallArguments) {
  const standIn = new StandIn(fallback);
  const fallbackFilter = fallbackOn === 'open' ? { fallbackOn: [CircuitBreakerOpenError] } : {};
  return fallbackChain(['given value', () => standIn], fallbackFilter);
}

/** Rules between arguments, in the words of the tool. */
function checkTogether({ method, maxAttempts = 1, idempotencyKey, ...args }: CallArguments): void {
  if (maxAttempts > 1 && !REPEATABLE.has(method) && idempotencyKey === undefined) {
    throw new ArgumentError(
      `maxAttempts: a ${method} request is not safe to repeat; leave it out, or give an idempotencyKey that the ` +
        'provider honours',
    );
  }
  if (args.fallback !== undefined) jsonText('fallback', args.fallback);
  if (args.timeoutSeconds >= args.deadlineSeconds) {
    throw new ArgumentError(
      `timeoutSeconds (${args.timeoutSeconds}) is not below deadlineSeconds (${args.deadlineSeconds}); ` +
        'give a shorter timeout, or a longer deadline',
    );
  }
}
