import { isBranded } from './brand.js';
import { refuse } from './check.js';
import { describeValue } from './describe-value.js';

/** A class of errors, abstract ones included. */
export type ErrorClass = abstract new (...args: any[]) => unknown;

/** Which failures are meant: a list of error classes (subclasses included), or a function that decides. */
export type FailureFilter = readonly ErrorClass[] | ((error: unknown) => boolean);

/** Answers whether a failure is meant. */
export type FailurePredicate = (error: unknown) => boolean;

export const everyFailure: FailurePredicate = () => true;

/** A filter as one function. It looks through our own wrappers at the failure that an application knows. */
export function compileFilter(option: string, filter: FailureFilter): FailurePredicate {
  if (typeof filter === 'function') {
    if (isErrorClass(filter)) return refuse(option, filter, 'put the error class in a list');
    return guarded(option, (failure) => (filter as (error: unknown) => unknown)(failure) === true);
  }
  if (!Array.isArray(filter) || filter.length === 0) {
    return refuse(
      option,
      filter,
      'give a list of error classes that is not empty, or a function (error) => boolean',
    );
  }
  const classes = [...(filter as readonly ErrorClass[])];
  for (const [index, entry] of classes.entries()) {
    if (typeof entry !== 'function' || (entry as { prototype?: unknown }).prototype === undefined) {
      refuse(
        `${option}[${index}]`,
        entry,
        'give an error class; a function that decides stands alone, not in a list',
      );
    }
  }
  return (error) =>
    unwrapped(error).some((failure) => classes.some((errorClass) => failure instanceof errorClass));
}

function isErrorClass(filter: unknown): boolean {
  return filter === Error || (filter as { prototype?: unknown }).prototype instanceof Error;
}

/** A filter that throws matches nothing: its own mistake must not hide the failure that it was asked about. */
function guarded(option: string, matches: FailurePredicate): FailurePredicate {
  let warned = false;
  return (error) => {
    try {
      return unwrapped(error).some(matches);
    } catch (mistake) {
      const message = `${option} threw ${nameOf(mistake)}, so the failure does not match`;
      if (!warned) process.emitWarning(message, { code: 'RELPRIM_FILTER' });
      warned = true;
      return false;
    }
  };
}

/** The error itself, and what it wraps when it is a wrapper of ours, which may wrap a wrapper again. */
export function unwrapped(error: unknown): readonly unknown[] {
  const layers = [error];
  let inner = wrappedIn(error);
  while (inner !== undefined && layers.length < MOST_LAYERS) {
    layers.push(inner);
    inner = wrappedIn(inner);
  }
  return layers;
}

/** Wrappers may form a ring; real ones are nested two or three deep. */
const MOST_LAYERS = 8;

function wrappedIn(error: unknown): unknown {
  if (isBranded(error, 'FallbackChainError')) return (error as { primaryFailure?: unknown }).primaryFailure;
  if (isBranded(error, 'OperationExecutionError')) return (error as { cause?: unknown }).cause;
  return undefined;
}

/** Not its message, which may hold what no log should. */
function nameOf(mistake: unknown): string {
  return mistake instanceof Error ? mistake.name : describeValue(mistake);
}
