import { checkTimeOptions, type TimeOptions } from '../errors/check.js';
import { errorType } from '../report/execution-error.js';
import type { ExecutionReport } from '../report/execution-report.js';
import type { EventEmitter } from '../events/event-emitter.js';
import type { CircuitBreaker } from '../policies/circuit-breaker/circuit-breaker.js';
import { systemClock, type Clock } from '../time/clock.js';
import { systemRandom, type Random } from '../time/random.js';
import type { ConcurrencyLimit } from '../policies/concurrency-limit/concurrency-limit.js';
import type { AnyFunction } from './settings.js';
import type { ShieldSource } from './shielding.js';
import type { Shutdown } from './shutdown.js';

/** Gets the report of every call, whatever its end. What it throws or rejects with never reaches the call. */
export type ReportListener = (report: ExecutionReport) => unknown;

/** Gives what the attempts of an operation call, in place of its own function. For tests. */
export type Instrument = (operationName: string, fn: AnyFunction) => AnyFunction;

/** What operations take from the application that they run in. */
export interface OperationHost {
  readonly clock: Clock;
  readonly random: Random;
  /** Told of every event of every operation, beside an operation's own emitter. */
  readonly emitter?: EventEmitter | undefined;
  /** Told the report of every call, beside an operation's own listener. */
  readonly observers: readonly ReportListener[];
  /** Says something that no caller can be told. */
  warn(message: string): void;
  /** The breaker of a name; one and the same for the application, or for the instance where there is none. */
  circuitBreaker(name: string, instance: unknown): CircuitBreaker;
  /** The concurrency limit of a name; none where there is no application, which alone knows how many it lets in. */
  concurrencyLimit(name: string): ConcurrencyLimit | undefined;
  /**
   * The shield of a name; only applications have some.
   * @internal
   */
  shield?(name: string): ShieldSource;
  /** Whether instances share what is called by name, or belongs to an operation: they do in an application. */
  readonly isApplication: boolean;
  /** Where calls that wait can be ended; only applications stop. */
  readonly shutdown?: Shutdown | undefined;
  readonly instrument?: Instrument | undefined;
  /** Whether the policies of a method are left out, so that it runs as if it were not decorated. For tests. */
  readonly passesThrough?: ((operationName: string) => boolean) | undefined;
}

/** The part of a host that does not depend on where breakers come from. */
export function hostBasics({ clock = systemClock, random = systemRandom }: TimeOptions = {}) {
  checkTimeOptions({ clock, random });
  return { clock, random, observers: [], warn: warnProcess };
}

export function warnProcess(message: string): void {
  process.emitWarning(message, { code: 'RELPRIM' });
}

/** Tells a listener, and keeps its failures away from the call. */
export function tellListener(
  listener: ReportListener,
  self: unknown,
  report: ExecutionReport,
  host: OperationHost,
): void {
  const complain = (error: unknown): void =>
    host.warn(`a listener to reports of ${report.operationName} failed with ${errorType(error)}`);
  try {
    const told = listener.call(self, report);
    if (told instanceof Promise) told.catch(complain);
  } catch (error) {
    complain(error);
  }
}
