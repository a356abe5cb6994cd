import {
  CircuitBreakerOpenError,
  ConcurrencyLimitError,
  FallbackChainError,
  MisuseError,
  nonRetryable,
  OperationTimeoutError,
  RetryAfterExtractionError,
  ValidationFailedError,
} from '../../lib/index.js';
import type { Hint, ScriptedTag, Tag } from './scenario.js';

/** A failure as both sides speak of it: its kind, which one of its kind it is, and its type in reports. */
export interface Failure {
  readonly tag: Tag;
  readonly label: string;
  readonly type: string;
  readonly hint?: Hint;
}

/** The failure of a provider that says when to come back. */
export class LimitedError extends Error {
  override readonly name = 'LimitedError';
  constructor(readonly hint: Hint) {
    super('slow down');
  }
}

interface Kind {
  readonly type: string;
  make(label: string, hint: Hint): unknown;
}

const NOTHING = 'nothing';

const KINDS: Readonly<Record<ScriptedTag, Kind>> = {
  plain: { type: 'Error', make: () => new Error('down') },
  range: { type: 'RangeError', make: () => new RangeError('out of range') },
  limited: { type: 'LimitedError', make: (_label, hint) => new LimitedError(hint) },
  final: { type: 'TypeError', make: () => nonRetryable(new TypeError('declined')) },
  'foreign timeout': { type: 'OperationTimeoutError', make: () => new OperationTimeoutError(7) },
  'foreign refusal': {
    type: 'CircuitBreakerOpenError',
    make: () => new CircuitBreakerOpenError('another', 'open', 9),
  },
  'abort error': { type: 'AbortError', make: () => new DOMException('stopped', 'AbortError') },
  text: { type: 'string', make: (label) => label },
  nothing: { type: 'undefined', make: () => undefined },
  misuse: { type: 'MisuseError', make: () => new MisuseError('a mistake') },
};

const known = new WeakMap<object, { readonly tag: Tag; readonly label: string }>();

/** The error of a script, known by its label. */
export function scripted(tag: ScriptedTag, label: string, hint: Hint): unknown {
  return marked(KINDS[tag].make(label, hint), tag, label);
}

/** What a validator chokes with. */
export const choke = (label: string): Error => marked<Error>(new EvalError('choked'), 'choked', label);

/** What becomes of a reason, or anything else that is to be told apart from all others. */
export function marked<T>(error: T, tag: Tag, label: string): T {
  if (typeof error === 'object' && error !== null) known.set(error, { tag, label });
  return error;
}

export const scriptedFailure = (tag: ScriptedTag, label: string, hint: Hint): Failure => ({
  tag,
  label: tag === 'nothing' ? NOTHING : label,
  type: KINDS[tag].type,
  ...(tag === 'limited' && { hint }),
});

/** The kind of any failure; `deadline` is our own one of that scope. */
export function tagOf(error: unknown): Tag {
  if (error === undefined) return 'nothing';
  if (typeof error === 'string') return 'text';
  const mark = known.get(error as object);
  if (mark !== undefined) return mark.tag;
  if (error instanceof OperationTimeoutError) return error.scope === 'deadline' ? 'deadline' : 'timeout';
  if (error instanceof CircuitBreakerOpenError) return 'refused';
  if (error instanceof ConcurrencyLimitError) return 'full';
  if (error instanceof ValidationFailedError) return 'invalid';
  if (error instanceof RetryAfterExtractionError) return 'extraction';
  if (error instanceof FallbackChainError) return 'chain';
  throw new Error('no such failure', { cause: error });
}

/** Which failure it is, with all that is worth checking about it. */
export function labelOf(error: unknown): string {
  if (error === undefined) return NOTHING;
  if (typeof error !== 'object' || error === null) return `${error as string}`;
  const mark = known.get(error);
  if (mark !== undefined) return mark.label;
  if (error instanceof OperationTimeoutError)
    return timeoutLabel(error.scope, error.timeoutSeconds * 1_000, error.outcomeUnknown);
  if (error instanceof CircuitBreakerOpenError)
    return refusalLabel(
      error.state,
      error.reason,
      error.retryAfterSeconds === null ? null : Math.round(error.retryAfterSeconds * 1e6) / 1e3,
      error.cause === undefined ? undefined : labelOf(error.cause),
    );
  if (error instanceof ConcurrencyLimitError) return `full(${error.reason})`;
  if (error instanceof ValidationFailedError) return `invalid(${error.validatorName}, ${error.reason})`;
  if (error instanceof RetryAfterExtractionError) return `extraction(${labelOf(error.rateLimitError)})`;
  if (error instanceof FallbackChainError)
    return chainLabel(error.failures.map(labelOf), labelOf(error.primaryFailure), labelOf(error.cause));
  return `${Object.prototype.toString.call(error)} ${error instanceof Error ? error.message : ''}`;
}

export const timeoutLabel = (scope: string, limitMs: number, isUnknown: boolean): string =>
  `${scope} timeout of ${limitMs}, outcome ${isUnknown ? 'unknown' : 'known'}`;

export const refusalLabel = (
  state: string,
  reason: string,
  retryAfterMs: number | null,
  cause: string | undefined,
): string => `refused(${state}, ${reason}, ${retryAfterMs}) because of ${cause ?? NOTHING}`;

export const chainLabel = (failures: readonly string[], primary: string, cause: string): string =>
  `chain([${failures.join('; ')}] after ${primary}) because of ${cause}`;
