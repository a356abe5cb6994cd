import { globalSlot } from '../errors/global-slot.js';
import { REJECTED_BY } from '../errors/relprim-error.js';
import type { ExecutionReport } from './execution-report.js';

/** Something that can tell its report later: reports are built only when somebody reads them. */
export interface Reported {
  readonly report: ExecutionReport;
  /** The number of the call, in the order in which calls started. */
  readonly sequence?: number;
  /** What went wrong; when the call ended without a value, also the number of the latest one that had started then. */
  readonly trouble?: { readonly latestStart: number | undefined } | undefined;
  /** Other calls that were told the same failure, as they waited for it. */
  readonly sharers?: readonly Reported[] | undefined;
}

/** Stands on the error itself, out of sight, where that is none of ours: a WeakMap with one entry per failure keeps the garbage collector busy. */
const REPORTER = Symbol.for('relprim/reporter');
/** For errors that cannot be written to; they stay as they are. */
const ofFrozen = globalSlot('reporters', () => new WeakMap<object, Reported>());

/**
 * The report of the call that rejected with this error, or `undefined` when no call of ours did. When several layers
 * rejected with one error object it is the outermost one's; the inner reports are in its `causedBy`, but for those of
 * calls that were cut along with it. Of calls that one signal ended with one reason it is that of the first to start.
 * Thrown values that are no objects cannot be looked up: use `resultOf` or `onReport` for those.
 */
export function reportOf(error: unknown): ExecutionReport | undefined {
  return lastReporterOf(error)?.report;
}

export function lastReporterOf(error: unknown): Reported | undefined {
  if (!isObject(error)) return undefined;
  const own = keptItself(error);
  if (own !== undefined) return own;
  // Its own: an error may be the prototype of another one.
  if (Object.hasOwn(error, REPORTER)) return (error as { readonly [REPORTER]: Reported })[REPORTER];
  return ofFrozen.get(error);
}

export function rememberReporter(error: unknown, reporter: Reported): void {
  if (!isObject(error) || keepsItself(error, reporter)) return;
  const known = Object.hasOwn(error, REPORTER);
  const property = { value: reporter, enumerable: false, writable: true, configurable: true };
  // `defineProperty` by reflection answers instead of throwing, for frozen objects and for proxies that say no.
  if (known || Object.isExtensible(error)) {
    if (Reflect.defineProperty(error, REPORTER, property)) return;
  }
  ofFrozen.set(error, reporter);
}

/**
 * The same for a call that was cut for this reason. What an outer call is cut for, the inner ones are cut for, too, and
 * they may end after it; but a reason may also be used again, for a call that has nothing to do with the one before.
 */
export function rememberCut(reason: unknown, reporter: Reported): void {
  const known = lastReporterOf(reason);
  if (known === undefined || !startedDuring(reporter, known)) rememberReporter(reason, reporter);
}

/** By the order of starts, as a clock may show one time for all of it. */
function startedDuring({ sequence = 0 }: Reported, ended: Reported): boolean {
  return sequence > (ended.sequence ?? Infinity) && sequence <= (ended.trouble?.latestStart ?? 0);
}

interface MaybeOurs {
  [REJECTED_BY]?: Reported | undefined;
}

function keptItself(error: MaybeOurs): Reported | undefined {
  try {
    return error[REJECTED_BY];
  } catch {
    // Somebody threw a proxy that lets nobody look; it is none of ours.
    return undefined;
  }
}

function keepsItself(error: MaybeOurs, reporter: Reported): boolean {
  try {
    if (!(REJECTED_BY in error)) return false;
    error[REJECTED_BY] = reporter;
  } catch {
    return false;
  }
  return keptItself(error) === reporter;
}

function isObject(error: unknown): error is object {
  return (typeof error === 'object' && error !== null) || typeof error === 'function';
}
