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
import type { CircuitBreakerChangeJson, ExecutionSummaryJson } from './state-json.js';
import { summaryOf } from './summary.js';

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
  readonly executions = new Latest<ExecutionSummaryJson>(LATEST);
  readonly changes = new Latest<CircuitBreakerChangeJson>(LATEST);
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

  end(): void {
    for (const end of this.ends) end();
  }

  private noteCall(report: ExecutionReport): void {
    const { operationName } = report;
    const summary = summaryOf(report);
    this.executions.add(summary);
    let meter = this.meters.get(operationName);
    if (meter === undefined) {
      if (this.meters.size >= MOST_OPERATIONS) return;
      this.meters.set(operationName, (meter = new OperationMeter()));
    }
    meter.note(report, summary, this.clock.monotonicMs());
  }

  private noteChange(transition: CircuitBreakerTransition): void {
    const change = changeJson(transition, this.clock.wallMs());
    this.changes.add(change);
    this.lastChanges.set(transition.breakerName, change);
  }
}
