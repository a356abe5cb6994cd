import { checkFunction, checkName, checkOptions, refuse } from '../../errors/check.js';
import { ConfigurationError } from '../../errors/configuration-error.js';
import {
  compileFilter,
  everyFailure,
  type FailureFilter,
  type FailurePredicate,
} from '../../errors/failure-filter.js';
import { isMisuse } from '../../errors/misuse-error.js';
import { FallbackChainError } from './fallback-chain-error.js';

type AnyFunction = (this: any, ...args: any[]) => unknown;

/** A stand-in, by name. It is called with the arguments of the call, and the instance as `this`. */
export interface FallbackCandidate<F extends AnyFunction = AnyFunction> {
  readonly name: string;
  readonly operation: F;
}

/** Options of a {@link FallbackChain}. */
export interface FallbackChainOptions {
  /** Which failures lead to a fallback, and from one candidate to the next. Default: all of them. */
  readonly fallbackOn?: FailureFilter | undefined;
}

/** How a chain came to its value. */
export interface FallbackResult<T> {
  readonly value: T;
  readonly candidateName: string;
  /** Position in the chain, from 0. */
  readonly candidateIndex: number;
  /** Whether an earlier candidate had failed. */
  readonly fallbackUsed: boolean;
  readonly failures: readonly unknown[];
  readonly failureCount: number;
}

/** Stand-ins that are tried in order until one succeeds. Candidates are not retried. */
export class FallbackChain<F extends AnyFunction = AnyFunction> {
  readonly candidates: readonly FallbackCandidate<F>[];
  private readonly fallbackOn: FailurePredicate;

  /** @throws {ConfigurationError} for no candidates, blank or repeated names, things that cannot be called, an empty filter. */
  constructor(candidates: readonly FallbackCandidate<F>[], options: FallbackChainOptions = {}) {
    checkOptions('fallbacks', options, ['fallbackOn']);
    const given: unknown = candidates;
    if (!Array.isArray(given) || given.length === 0)
      refuse('fallbacks', given, 'give at least one candidate');
    this.candidates = Object.freeze(candidates.map(checkCandidate<F>));
    checkDistinct(this.candidates.map((candidate) => candidate.name));
    this.fallbackOn =
      options.fallbackOn === undefined ? everyFailure : compileFilter('fallbackOn', options.fallbackOn);
  }

  /** Whether this failure leads to a fallback. A misuse of the library never does: it must be seen. */
  shouldFallback(error: unknown): boolean {
    return !isMisuse(error) && this.fallbackOn(error);
  }

  /**
   * Tries the candidates in order.
   * @throws {FallbackChainError} when all failed; a failure that `fallbackOn` does not match at once, as it is.
   */
  run(...args: Parameters<F>): Promise<FallbackResult<Awaited<ReturnType<F>>>> {
    return this.runWith(
      ({ operation }) => (operation as AnyFunction)(...args) as Promise<Awaited<ReturnType<F>>>,
    );
  }

  /**
   * `run`, where the caller says how a candidate is called, why the chain is needed, and what ends it at once.
   * @internal
   */
  async runWith<T>(
    call: (candidate: FallbackCandidate<F>) => T | PromiseLike<T>,
    primaryFailure?: unknown,
    endsChain: (error: unknown) => boolean = () => false,
  ): Promise<FallbackResult<T>> {
    const failures: unknown[] = [];
    for (const [index, candidate] of this.candidates.entries()) {
      try {
        const value = await call(candidate);
        return fallbackResult(value, candidate.name, index, failures);
      } catch (error) {
        if (endsChain(error) || !this.shouldFallback(error)) throw error;
        failures.push(error);
      }
    }
    throw new FallbackChainError(failures, primaryFailure);
  }
}

function fallbackResult<T>(
  value: T,
  candidateName: string,
  candidateIndex: number,
  failures: unknown[],
): FallbackResult<T> {
  return Object.freeze({
    value,
    candidateName,
    candidateIndex,
    fallbackUsed: candidateIndex > 0,
    failures: Object.freeze(failures),
    failureCount: failures.length,
  });
}

function checkCandidate<F extends AnyFunction>(
  candidate: FallbackCandidate<F>,
  index: number,
): FallbackCandidate<F> {
  if (typeof candidate !== 'object' || candidate === null)
    refuse(`fallbacks[${index}]`, candidate, 'give { name, operation }');
  checkName(`fallbacks[${index}].name`, candidate.name);
  checkFunction(`fallbacks[${index}].operation`, candidate.operation);
  return Object.freeze({ name: candidate.name, operation: candidate.operation });
}

function checkDistinct(names: readonly string[]): void {
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated === undefined) return;
  const problem = `has two candidates named '${repeated}'`;
  throw new ConfigurationError({
    option: 'fallbacks',
    problem,
    cure: 'give each a name of its own, as reports tell them apart by it',
  });
}

type Candidate = readonly [name: string, operation: (this: any, ...args: any[]) => unknown];
type OperationsOf<C extends readonly Candidate[]> = C[number][1];

/** A chain from pairs of name and function: `fallbackChain(['cache', readCache], ['default', makeDefault], { fallbackOn })`. */
export function fallbackChain<const C extends readonly Candidate[]>(
  ...candidates: C
): FallbackChain<OperationsOf<C>>;
export function fallbackChain<const C extends readonly Candidate[]>(
  ...candidates: [...C, FallbackChainOptions]
): FallbackChain<OperationsOf<C>>;
export function fallbackChain(...parts: readonly unknown[]): FallbackChain {
  const last = parts.at(-1);
  const hasOptions = parts.length > 0 && !Array.isArray(last);
  const pairs = (hasOptions ? parts.slice(0, -1) : parts) as readonly Candidate[];
  const candidates = pairs.map((pair, index): FallbackCandidate => {
    if (!Array.isArray(pair)) return refuse(`fallbacks[${index}]`, pair, 'give a pair [name, function]');
    return { name: pair[0], operation: pair[1] };
  });
  return new FallbackChain(candidates, hasOptions ? (last as FallbackChainOptions) : {});
}
