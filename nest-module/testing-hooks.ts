import type { Instrument, ReportListener } from '../lib/container.js';
import type { EventSink } from '../lib/index.js';

/** What a test puts into an application beside what the application has itself. */
export interface TestingHooks {
  /** Told beside the application's own sinks. */
  readonly sinks: readonly EventSink[];
  /** Replaces what the attempts of an operation call. Asked once for each operation and class, no later than its first call. */
  readonly instrument?: Instrument | undefined;
  /** Whether the policies of an operation are left out. */
  readonly passesThrough?: ((operationName: string) => boolean) | undefined;
  /** Told the report of every call. */
  readonly onReport?: ReportListener | undefined;
  /** Called once every operation has been asked about that is known at start-up. What it throws ends the start. */
  readonly started?: (() => void) | undefined;
}

/** The token of the {@link TestingHooks}. */
export const RESILIENCE_TESTING = Symbol.for('relprim/testing-hooks');

export const NO_TESTING: TestingHooks = Object.freeze({ sinks: [] });
