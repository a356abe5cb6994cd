import type {
  CircuitBreakerRegistry,
  CircuitBreakerTransition,
  Clock,
  ExecutionReport,
} from '../../lib/index.js';
import type { ResilienceExecutor } from '../resilience-executor.js';
import { changeJson } from './breaker-json.js';
import { Latest } from './latest.js';
import { OperationMeter } from './operation-meter.js';
import { ReportShelf } from './report-shelf.js';
import type { CircuitBreakerChangeJson } from './state-json.js';
import { isNotable } from './summary.js';

const LATEST = 100;
/** Classes made at run time may give ever new names. */
const MOST_OPERATIONS = 10_000;

/** What is watched. */
export interface Watched {
  readonly clock: Clock;
  readonly executor: Pick<ResilienceExecutor, 'observe'>;
  readonly registry: CircuitBreakerRegistry;
}

/** What has happened in an application since somebody wanted to know: counts, and the latest of each kind. */
export class Activity {
  readonly sinceMs: number;
  readonly since: Date;
  readonly reports = new ReportShelf(LATEST);
  /** Of calls that did not simply succeed: at a thousand calls a second the others would push them out. */
  readonly notable = new ReportShelf(LATEST);
  readonly changes = new Latest<CircuitBreakerChangeJson>(LATEST);
  /** How many calls have ended. */
  calls = 0;
  private readonly lastChanges = new Map<string, CircuitBreakerChangeJson>();
  private readonly meters = new Map<string, OperationMeter>();
  private readonly clock: Clock;
  private readonly ends: readonly (() => void)[];

  constructor({ clock, executor, registry }: Watched) {
    this.clock = clock;
    this.sinceMs = clock.monotonicMs();
    this.since = new Date(clock.wallMs());
    this.ends = [
      executor.observe((report) => this.noteCall(report)),
      registry.onTransition((transition) => this.noteChange(transition)),
    ];
  }

  /** Of these breakers by their own name, as several may be registered under one. */
  lastChange(breakerName: string): CircuitBreakerChangeJson | undefined {
    return this.lastChanges.get(breakerName);
  }

  operationNames(): Iterable<string> {
    return this.meters.keys();
  }

  /** The meter of an operation; one that counts nothing yet where there was no call. */
  meter(operationName: string): OperationMeter {
    return this.meters.get(operationName) ?? new OperationMeter();
  }

  /** The report of one of the latest calls. */
  report(callId: string): ExecutionReport | undefined {
    return this.reports.get(callId) ?? this.notable.get(callId);
  }

  end(): void {
    for (const end of this.ends) end();
  }

  private noteCall(report: ExecutionReport): void {
    const { operationName } = report;
    this.calls += 1;
    this.reports.add(report);
    if (isNotable(report)) this.notable.add(report);
    let meter = this.meters.get(operationName);
    if (meter === undefined) {
      if (this.meters.size >= MOST_OPERATIONS) return;
      this.meters.set(operationName, (meter = new OperationMeter()));
    }
    meter.note(report, this.clock.monotonicMs());
  }

  private noteChange(transition: CircuitBreakerTransition): void {
    const change = changeJson(transition, this.clock.wallMs());
    this.changes.add(change);
    this.lastChanges.set(transition.breakerName, change);
  }
}
