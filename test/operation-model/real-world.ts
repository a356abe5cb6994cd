import { getEventListeners } from 'node:events';
import {
  CircuitBreaker,
  ConcurrencyLimit,
  InMemoryEventSink,
  OperationExecutionError,
  OperationResult,
  reportOf,
  type AnyEvent,
  type ExecutionReport,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { optionsOf } from '../circuit-breaker/model-numbers.js';
import { changeText } from '../circuit-breaker/reference-lists.js';
import { filter, OPEN } from './doors.js';
import { labelOf, marked } from './failures.js';
import type { PlannedCall, Scenario } from './scenario.js';
import { Scripted } from './scripted.js';

/** The library under test, with a clock that stands still, and everything that its calls share. */
export class RealWorld {
  readonly clock = new FakeClock();
  readonly breaker: CircuitBreaker;
  readonly limit: ConcurrencyLimit;
  readonly changes: string[] = [];

  constructor({ breaker, uncounted, limit }: Scenario) {
    const { clock } = this;
    const counts = uncounted && filter(uncounted);
    this.breaker = new CircuitBreaker({
      ...optionsOf(breaker),
      ...(counts && { recordFailureOn: (error: unknown) => !counts(error) }),
      name: 'breaker',
      clock,
      random: () => 0,
    });
    this.breaker.onTransition(({ from, to, by, openedBy, failureCount, forced }) =>
      this.changes.push(changeText(from, to, by, openedBy, failureCount, forced)),
    );
    const { maxConcurrent, queueSize: size, maxWaitMs } = limit;
    this.limit = new ConcurrencyLimit({
      name: 'limit',
      maxConcurrent,
      queue: { size, ...(maxWaitMs !== undefined && { maxWait: `${maxWaitMs}ms` }) },
      clock,
    });
  }
}

/** One real call, and all that can be seen of it. */
export class RealCall {
  readonly script: Scripted;
  readonly controller = new AbortController();
  readonly sink = new InMemoryEventSink();
  readonly told: { readonly event: AnyEvent; readonly atMs: number }[] = [];
  readonly reports: ExecutionReport[] = [];
  readonly results: unknown[] = [];
  readonly settled: { readonly value: unknown; readonly isError: boolean; readonly atMs: number }[] = [];

  constructor(
    private readonly world: RealWorld,
    readonly index: number,
    readonly planned: PlannedCall,
  ) {
    this.script = new Scripted(world.clock, index, planned, () => this.abort());
  }

  start(): void {
    const { world, planned, script, controller } = this;
    const { plan } = planned;
    const note = (isError: boolean) => (value: unknown) =>
      void this.settled.push({ value, isError, atMs: world.clock.monotonicMs() });
    const onReport = (report: ExecutionReport): void => void this.reports.push(report);
    const onResult = (ended: unknown): void => void this.results.push(ended);
    const sink = { emit: (event: AnyEvent) => this.hear(event) };
    const { signal } = controller;
    OPEN[plan.door]({ world, plan, script, signal, sink, onReport, onResult }).then(note(false), note(true));
  }

  abort(): void {
    this.controller.abort(marked(new Error('gone'), 'plain', `c${this.index}.reason`));
  }

  /** How it ended: a value or an error by its label. */
  get outcome(): { readonly end: string; readonly label: string } {
    const [settled] = this.settled;
    if (settled === undefined) return { end: 'none', label: '' };
    const { value, isError } = settled;
    if (!isError) {
      const given = value instanceof OperationResult ? value.value : value;
      return { end: 'value', label: (given as { label: string }).label };
    }
    const isWrapped = value instanceof OperationExecutionError;
    return { end: isWrapped ? 'failure' : 'as it is', label: labelOf(isWrapped ? value.cause : value) };
  }

  /** However it is come by. */
  get report(): ExecutionReport | undefined {
    const value = this.results[0] ?? this.settled[0]?.value;
    if (value instanceof OperationResult || value instanceof OperationExecutionError) return value.report;
    return this.settled.length === 0 ? undefined : (this.reports[0] ?? reportOf(value));
  }

  get listeners(): number {
    return getEventListeners(this.controller.signal, 'abort').length;
  }

  private hear(event: AnyEvent): void | Promise<void> {
    const { sink } = this.planned.plan;
    this.told.push({ event, atMs: this.world.clock.monotonicMs() });
    if (sink === undefined || sink.at !== this.told.length - 1) return undefined;
    if (sink.act === 'aborts') return this.abort();
    const error = marked(new Error('a broken sink'), 'plain', `c${this.index}.sink`);
    if (sink.act === 'throws') throw error;
    return Promise.reject(error);
  }
}
