import type { ModulesContainer } from '@nestjs/core';
import { checkName, nearest } from '../../lib/container.js';
import {
  ConfigurationError,
  type ConcurrencyLimitRegistry,
  type ExecutionReport,
  type ShieldRegistry,
} from '../../lib/index.js';
import type { NestHost } from '../nest-host.js';
import { Activity, type Watched } from './activity.js';
import { breakerJson } from './breaker-json.js';
import { isInjected } from './is-injected.js';
import { readLimits, readShields } from './guards-json.js';
import type {
  CircuitBreakerJson,
  ConcurrencyLimitJson,
  OperationJson,
  ResilienceStateJson,
  ShieldJson,
} from './state-json.js';
import { summaryOf } from './summary.js';
import type { ResilienceExecutor } from '../resilience-executor.js';

/** What the state of an application is read from. */
export interface StateSources extends Watched {
  readonly executor: ResilienceExecutor;
  readonly shields: ShieldRegistry;
  readonly concurrencyLimits: ConcurrencyLimitRegistry;
  readonly host: Pick<NestHost, 'emitter'>;
  readonly modules: ModulesContainer;
}

/**
 * The circuit breakers, shields, concurrency limits and operations of this application, read and operated: what a page, a tool or a check needs, as
 * JSON. Inject it.
 *
 * Calls are counted, at the cost of a report for each, from the start of the application where something injects this,
 * otherwise from its first use.
 */
// Typings without the internal hooks must not claim that Nest's interfaces are implemented.
export class ResilienceState {
  private readonly startedMs: number;
  private readonly startedAt: string;
  private counted: Activity | undefined = undefined;
  private ended = false;

  constructor(private readonly sources: StateSources) {
    this.startedMs = sources.clock.monotonicMs();
    this.startedAt = new Date(sources.clock.wallMs()).toISOString();
  }

  /** @internal */
  onModuleInit(): void {
    if (isInjected(ResilienceState, this.sources.modules)) void this.activity;
  }

  /** @internal */
  onApplicationShutdown(): void {
    this.ended = true;
    this.counted?.end();
  }

  /** Every registered circuit breaker. Reading uses up no probe. */
  circuitBreakers(): readonly CircuitBreakerJson[] {
    return this.sources.registry.names().map((name) => this.circuitBreaker(name));
  }

  /** @throws {ConfigurationError} for a name that no circuit breaker is registered under, naming the nearest. */
  circuitBreaker(name: string): CircuitBreakerJson {
    const breaker = this.breaker(name);
    return breakerJson(name, breaker, this.activity.lastChange(breaker.name));
  }

  /** Every registered shield, and those that belong to methods. */
  shields(): readonly ShieldJson[] {
    return readShields(this.sources.shields, this.sources.executor.guards());
  }

  /** Every registered concurrency limit, and those that belong to methods. */
  concurrencyLimits(): readonly ConcurrencyLimitJson[] {
    return readLimits(this.sources.concurrencyLimits, this.sources.executor.guards());
  }

  /** The operations that were found when the application started, and others that were called since. */
  operations(): readonly OperationJson[] {
    const known = this.knownOperations();
    return [...this.allOperations(known)].map((name) => this.readOperation(name, known));
  }

  /** @throws {ConfigurationError} for a name that no operation has, naming the nearest. */
  operation(name: string): OperationJson {
    checkName('operationName', name);
    const known = this.knownOperations();
    const names = this.allOperations(known);
    if (names.has(name)) return this.readOperation(name, known);
    const meant = nearest(name, names);
    const cure = meant === undefined ? 'operations are named Class.method' : `did you mean '${meant}'?`;
    throw new ConfigurationError({ option: 'operationName', problem: `'${name}' is not known`, cure });
  }

  /** The report of one of the calls that the snapshot shows; `undefined` once later ones have taken its place. */
  execution(callId: string): ExecutionReport | undefined {
    return this.activity.report(checkName('callId', callId));
  }

  /** All of it, at one moment. */
  snapshot(): ResilienceStateJson {
    const { clock, host } = this.sources;
    const { activity } = this;
    return {
      version: 1,
      at: new Date(clock.wallMs()).toISOString(),
      started_at: this.startedAt,
      uptime_seconds: (clock.monotonicMs() - this.startedMs) / 1_000,
      counted_since: activity.since.toISOString(),
      circuit_breakers: this.circuitBreakers(),
      shields: this.shields(),
      concurrency_limits: this.concurrencyLimits(),
      operations: this.operations(),
      calls: activity.calls,
      executions: activity.reports.list().map(summaryOf),
      notable_executions: activity.notable.list().map(summaryOf),
      circuit_breaker_changes: activity.changes.list(),
      event_sinks: host.emitter === undefined ? null : { dropped: host.emitter.dropped },
    };
  }

  /** Makes a circuit breaker refuse every call. @throws {ConfigurationError} for an unknown name, or without a reason. */
  forceOpen(name: string, reason: string): CircuitBreakerJson {
    this.breaker(name).forceOpen(checkName('reason', reason));
    return this.circuitBreaker(name);
  }

  /** Makes a circuit breaker let every call pass. @throws {ConfigurationError} for an unknown name, or without a reason. */
  forceClosed(name: string, reason: string): CircuitBreakerJson {
    this.breaker(name).forceClosed(checkName('reason', reason));
    return this.circuitBreaker(name);
  }

  /** Closes a circuit breaker, and lets it decide by itself. @throws {ConfigurationError} for an unknown name, or without a reason. */
  reset(name: string, reason: string): CircuitBreakerJson {
    this.breaker(name).reset(checkName('reason', reason));
    return this.circuitBreaker(name);
  }

  private get activity(): Activity {
    if (this.counted === undefined) {
      this.counted = new Activity(this.sources);
      // Whoever reads after the end holds on to nothing.
      if (this.ended) this.counted.end();
    }
    return this.counted;
  }

  private breaker(name: string) {
    // Before the change that may follow, so that it is noted.
    void this.activity;
    return this.sources.registry.get(checkName('name', name));
  }

  /** Those that the executor can describe. */
  private knownOperations(): ReadonlySet<string> {
    return new Set(this.sources.executor.operationNames());
  }

  private allOperations(known: ReadonlySet<string>): ReadonlySet<string> {
    return new Set([...known, ...this.activity.operationNames()]);
  }

  private readOperation(name: string, known: ReadonlySet<string>): OperationJson {
    const { clock, executor } = this.sources;
    const { activity } = this;
    const nowMs = clock.monotonicMs();
    const description = known.has(name) ? executor.descriptionOf(name) : undefined;
    return {
      operation_name: name,
      composition: description?.summary ?? null,
      options: description?.options ?? [],
      ...activity.meter(name).read(nowMs, (nowMs - activity.sinceMs) / 1_000),
    };
  }
}
