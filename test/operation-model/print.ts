import type { Numbers } from '../circuit-breaker/model-numbers.js';
import type { Plan, PlannedCall, Scenario, Step } from './scenario.js';

/** A scenario as a page that one can read, and a bug report can quote. */
export function printScenario({ breaker, uncounted, limit, calls }: Scenario): string {
  const uses = (what: 'usesBreaker' | 'usesLimit') => calls.some(({ plan }) => plan[what]);
  const shared = [
    uses('usesBreaker') && `breaker ${printNumbers(breaker)}${list(' not counting', uncounted)}`,
    uses('usesLimit') &&
      `limit of ${limit.maxConcurrent}, ${limit.queueSize} may wait${ms(' for', limit.maxWaitMs)}`,
  ];
  return ['', ...shared.filter((line) => line !== false), ...calls.map(printCall)].join('\n  ');
}

function printCall({ startMs, abortMs, plan, steps }: PlannedCall, index: number): string {
  return [
    `call ${index} at ${startMs}${ms(', its caller leaves at', abortMs)}: ${printPlan(plan)}`,
    ...steps.map((step, attempt) => `    attempt ${attempt + 1}: ${printStep(step)}`),
    ...(plan.fallbacks?.candidates ?? []).map((step, place) => `    stand-in ${place}: ${printStep(step)}`),
  ].join('\n  ');
}

function printPlan(plan: Plan): string {
  const { backoff, fallbacks, rateLimit, validation, sink } = plan;
  const waits =
    backoff.kind === 'constant' ? `${backoff.ms}` : `${backoff.baseMs} doubling to ${backoff.maxMs}`;
  return [
    `${plan.door}, signal ${plan.signal}`,
    plan.retries > 0 && `${plan.retries} retries${list(' of', plan.retryOn)} after ${waits}`,
    plan.timeoutMs !== undefined && `timeout ${plan.timeoutMs}`,
    plan.deadlineMs !== undefined && `deadline ${plan.deadlineMs}`,
    !plan.idempotent && 'not idempotent',
    plan.usesBreaker && 'breaker',
    plan.usesLimit && 'limit',
    validation && `validation in ${validation.delayMs}`,
    rateLimit &&
      `rate limit${list(' of', rateLimit.on)} ${rateLimit.extracts ? 'with' : 'without'} hints up to ${rateLimit.maxWaitMs}`,
    fallbacks && `${fallbacks.simple ? 'fallback' : 'fallbacks'}${list(' for', fallbacks.on)}`,
    sink && `sink ${sink.act} at event ${sink.at}`,
  ]
    .filter((part) => typeof part === 'string')
    .join(', ');
}

function printStep({ end, afterMs, bare, hint, abortsAfterMs, listens }: Step): string {
  const when = afterMs === 0 ? (bare ? 'bare' : 'at once') : `after ${afterMs}`;
  const asked = end === 'limited' ? ` (hint ${hint})` : '';
  return `${end}${asked} ${end === 'hang' ? '' : when}${listens ? ', listens' : ''}${ms(', aborts its caller after', abortsAfterMs)}`;
}

function printNumbers(numbers: Numbers): string {
  return JSON.stringify(numbers, (_key, value: unknown) => (value === Infinity ? 'Infinity' : value));
}

const list = (word: string, tags: readonly string[] | undefined): string =>
  tags === undefined ? '' : `${word} {${tags.join(', ')}}`;
const ms = (word: string, value: number | undefined): string =>
  value === undefined ? '' : `${word} ${value}`;
