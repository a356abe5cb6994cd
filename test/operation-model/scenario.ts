import type { Numbers } from '../circuit-breaker/model-numbers.js';

/** What the callee, or a stand-in, answers with. `bad` is a value that validation rejects, `poison` one it chokes on. */
export type End = 'good' | 'bad' | 'poison' | 'hang' | ScriptedTag;

/** The kinds of failure that a script can bring about. */
export type ScriptedTag =
  | 'plain'
  | 'range'
  | 'limited'
  | 'final'
  | 'foreign timeout'
  | 'foreign refusal'
  | 'abort error'
  | 'text'
  | 'nothing'
  | 'misuse';

/** Every kind of failure, those of the library's own included; filters are lists of them. */
export type Tag =
  ScriptedTag | 'timeout' | 'deadline' | 'refused' | 'full' | 'invalid' | 'choked' | 'extraction' | 'chain';

/** What an extractor finds in a failure that says it is a rate limit. */
export type Hint = number | 'none' | 'nonsense' | 'throws';

/** One answer of the callee. */
export interface Step {
  readonly end: End;
  /** 0 is at once. */
  readonly afterMs: number;
  /** Without a promise, where it answers at once: it returns the bare value, or throws in its synchronous part. */
  readonly bare: boolean;
  readonly hint: Hint;
  /** It aborts the caller's signal so long after it was called; 0 is in its synchronous part. */
  readonly abortsAfterMs: number | undefined;
  /** It reads the signal of its attempt, and gives up when that aborts. */
  readonly listens: boolean;
}

export interface Validation {
  /** 0 is a synchronous validator. */
  readonly delayMs: number;
}

export interface RateLimit {
  readonly on: readonly Tag[];
  readonly extracts: boolean;
  readonly maxWaitMs: number;
}

export interface Fallbacks {
  /** `fallback: fn` instead of a chain; only where there is one candidate. */
  readonly simple: boolean;
  readonly on: readonly Tag[] | undefined;
  readonly candidates: readonly Step[];
}

export type BackoffPlan =
  | { readonly kind: 'constant'; readonly ms: number }
  | { readonly kind: 'exponential'; readonly baseMs: number; readonly maxMs: number };

export const DOORS = ['builder', 'wrap', 'decorator'] as const;
export const SIGNALS = ['none', 'option', 'selector', 'run'] as const;

/** What an event sink does when it hears its n-th event of the call. */
export interface SinkAct {
  readonly at: number;
  readonly act: 'throws' | 'rejects' | 'aborts';
}

export interface Plan {
  readonly door: (typeof DOORS)[number];
  /** How the caller hands over its signal. */
  readonly signal: (typeof SIGNALS)[number];
  readonly retries: number;
  readonly retryOn: readonly Tag[] | undefined;
  readonly backoff: BackoffPlan;
  readonly timeoutMs: number | undefined;
  readonly deadlineMs: number | undefined;
  readonly idempotent: boolean;
  readonly usesBreaker: boolean;
  readonly usesLimit: boolean;
  readonly validation: Validation | undefined;
  readonly rateLimit: RateLimit | undefined;
  readonly fallbacks: Fallbacks | undefined;
  readonly sink: SinkAct | undefined;
}

export interface PlannedCall {
  readonly startMs: number;
  /** When the caller goes away; not after its start is beforehand. */
  readonly abortMs: number | undefined;
  readonly plan: Plan;
  /** One for each attempt; the last one is repeated. */
  readonly steps: readonly Step[];
}

export interface Limit {
  readonly maxConcurrent: number;
  readonly queueSize: number;
  readonly maxWaitMs: number | undefined;
}

/** Calls that share a circuit breaker and a concurrency limit, as far as their plans use them. */
export interface Scenario {
  readonly breaker: Numbers;
  /** Failures that the breaker does not count; `undefined` is its default. */
  readonly uncounted: readonly Tag[] | undefined;
  readonly limit: Limit;
  readonly calls: readonly PlannedCall[];
}

/** When every call that is still going on loses its caller. No script is busy with anything after `SILENCE_MS`. */
export const HORIZON_MS = 120_000;
export const SILENCE_MS = 180_000;

export const stepAt = (steps: readonly Step[], index: number): Step =>
  steps[Math.min(index, steps.length - 1)] as Step;

export const delayMsOf = (backoff: BackoffPlan, retry: number): number =>
  backoff.kind === 'constant'
    ? backoff.ms
    : Math.min(backoff.baseMs * 2 ** Math.min(retry - 1, 60), backoff.maxMs);
