import type { IdempotencyPolicy } from '../policies/idempotency/idempotency-policy.js';
import type { RetryPolicy } from '../policies/retry/retry-policy.js';
import { ExponentialBackoff } from '../backoff/exponential-backoff.js';
import { msToSeconds } from '../time/duration.js';
import { isKeyedBreaker } from './ask-breaker.js';
import { mergeLayers, type LayeredOption, type OptionLayer, type PlacedOption } from './merge-options.js';
import { POLICY_OPTIONS } from './options.js';
import { printOption } from './print-option.js';
import type { CircuitBreakerChoice, ConcurrencyLimitChoice, Settings } from './settings.js';

/** One option, as one layer says it. */
export interface LayerDescription {
  readonly option: string;
  /** The value as text; functions and objects by their kind. */
  readonly value: string;
  /** `operations`, `decorator`, `policy '<name>'` or `defaults`. What none of them says is the library's default. */
  readonly from: string;
}

/** One option of an operation, and where it comes from. */
export interface OptionDescription extends LayerDescription {
  /** What it hides of lower layers, the nearest first: the same option, or another form of it. */
  readonly over: readonly LayerDescription[];
}

/** What is known of an operation before it is called. */
export interface OperationDescription {
  readonly operationName: string;
  /** All policies in one line, from the outside in. */
  readonly summary: string;
  readonly options: readonly OptionDescription[];
}

/** An operation as it will run, and which layer says what. */
export function describeOperation(
  operationName: string,
  settings: Settings,
  layers: readonly OptionLayer[],
): OperationDescription {
  const options = mergeLayers(layers)
    .filter(({ option }) => option !== 'name')
    .sort((one, other) => place(one) - place(other))
    .map(describeOption);
  return { operationName, summary: describeSettings(operationName, settings), options };
}

/** In the order of the documentation, whichever layer comes first; what concerns methods only goes last. */
function place({ option }: PlacedOption): number {
  const index = (POLICY_OPTIONS as readonly string[]).indexOf(option);
  return index < 0 ? POLICY_OPTIONS.length : index;
}

/** The description as lines: the summary, and one for each option that somebody gave. */
export function printDescription({ summary, options }: OperationDescription): string {
  return [summary, ...options.map((option) => `  ${printOrigin(option)}`)].join('\n');
}

function printOrigin({ option, value, from, over }: OptionDescription): string {
  const hidden = over.map((below) => {
    const name = below.option === option ? '' : `${below.option} `;
    return `${name}${below.value} (${below.from})`;
  });
  return `${option} ${value} (${from})${hidden.length === 0 ? '' : `, over ${hidden.join(', ')}`}`;
}

function describeOption(layered: LayeredOption): OptionDescription {
  return { ...describeLayer(layered), over: layered.over.map(describeLayer) };
}

function describeLayer({ option, value, from }: PlacedOption): LayerDescription {
  // A function that was written in place has the name of its option.
  const isUnnamed = typeof value === 'function' && value.name === option;
  return { option, value: isUnnamed ? 'a function' : printOption(value), from };
}

/** The policies of an operation in one readable line, from the outside in. */
export function describeSettings(name: string, settings: Settings): string {
  const layers = [
    settings.idempotency === undefined ? undefined : describeIdempotency(settings.idempotency),
    settings.deadlineMs === undefined ? undefined : `deadline ${msToSeconds(settings.deadlineMs)} s`,
    settings.retry === undefined ? undefined : describeRetry(settings.retry),
    settings.circuitBreaker === undefined ? undefined : `circuit breaker ${nameOf(settings.circuitBreaker)}`,
    settings.shield === undefined ? undefined : `shield ${describeShield(settings.shield)}`,
    settings.concurrencyLimit === undefined ? undefined : describeLimit(settings.concurrencyLimit),
    settings.rateLimit === undefined
      ? undefined
      : `rate limits (waits up to ${settings.rateLimit.maxWaitSeconds} s)`,
    settings.validation === undefined ? undefined : 'validation',
    settings.timeout === undefined ? undefined : `timeout ${settings.timeout.seconds} s`,
    'method',
  ];
  const candidates = settings.fallbacks?.candidates.map((candidate) => candidate.name).join(', ');
  const fallback = candidates === undefined ? '' : `; else fallback ${candidates}`;
  return `${name}: ${layers.filter((layer) => layer !== undefined).join(' > ')}${fallback}`;
}

function describeIdempotency({ ttlSeconds, onInFlight }: IdempotencyPolicy): string {
  return `idempotency (kept for ${ttlSeconds} s${onInFlight === 'reject' ? ', duplicates in flight refused' : ''})`;
}

function describeRetry({ maxAttempts, backoff }: RetryPolicy): string {
  return `up to ${maxAttempts} attempts${backoff instanceof ExponentialBackoff ? ` ${describeBackoff(backoff)}` : ''}`;
}

function describeBackoff({
  baseDelaySeconds,
  maxDelaySeconds,
  multiplier,
  jitter,
}: ExponentialBackoff): string {
  const kind =
    typeof jitter === 'object'
      ? `${jitter.percent} % jitter`
      : jitter === true
        ? 'full jitter'
        : jitter === false
          ? 'no jitter'
          : `${jitter} jitter`;
  return `(${baseDelaySeconds} s × ${multiplier}, at most ${maxDelaySeconds} s, ${kind})`;
}

function describeShield(shield: NonNullable<Settings['shield']>): string {
  return typeof shield === 'function' ? 'of the instance' : `'${shield.name}'`;
}

function describeLimit(choice: ConcurrencyLimitChoice): string {
  if (typeof choice === 'number') return `at most ${choice} at once`;
  return `concurrency limit '${typeof choice === 'string' ? choice : choice.name}'`;
}

function nameOf(choice: CircuitBreakerChoice): string {
  if (typeof choice === 'string') return `'${choice}'`;
  if (typeof choice === 'function') return 'of the call';
  return `'${choice.name}'${isKeyedBreaker(choice) ? ' by key' : ''}`;
}
