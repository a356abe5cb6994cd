import type { ExecutionSummaryJson, OperationJson, ResilienceStateJson } from '../state/state-json.js';

/** How many of each kind are shown at once, so that a frame stays small. */
const MOST_SHOWN = 200;

/** An operation, with what its calls come to, and without the options that it was given. */
export type ShownOperation = Omit<OperationJson, 'options'>;

/** What the page is told of each second. */
export interface Frame {
  readonly at: string;
  readonly started_at: string;
  readonly uptime_seconds: number;
  readonly counted_since: string;
  readonly calls: number;
  readonly circuit_breakers: ResilienceStateJson['circuit_breakers'];
  readonly shields: ResilienceStateJson['shields'];
  readonly concurrency_limits: ResilienceStateJson['concurrency_limits'];
  readonly operations: readonly ShownOperation[];
  readonly circuit_breaker_changes: ResilienceStateJson['circuit_breaker_changes'];
  readonly event_sinks: ResilienceStateJson['event_sinks'];
  /** How many are not shown. */
  readonly omitted: {
    readonly circuit_breakers: number;
    readonly shields: number;
    readonly concurrency_limits: number;
    readonly operations: number;
  };
  /** Calls that ended since the last frame, oldest first; of many, those that did not simply succeed go before. */
  readonly executions: readonly ExecutionSummaryJson[];
}

export function frameOf(state: ResilienceStateJson, executions: readonly ExecutionSummaryJson[]): Frame {
  // What is in trouble, or busy, goes before; what is shown keeps its order, so that nothing moves.
  const breakers = chosen(state.circuit_breakers, ({ state }) => (state === 'closed' ? 0 : 1));
  const shields = chosen(state.shields, ({ engaged, waiting }) => (engaged ? 1 : 0) + waiting);
  const limits = chosen(state.concurrency_limits, ({ running, waiting }) => running + waiting);
  const operations = chosen(state.operations, ({ last_minute }) => last_minute.calls);
  return {
    at: state.at,
    started_at: state.started_at,
    uptime_seconds: state.uptime_seconds,
    counted_since: state.counted_since,
    calls: state.calls,
    circuit_breakers: breakers,
    shields,
    concurrency_limits: limits,
    operations: operations.map(shownOperation),
    circuit_breaker_changes: state.circuit_breaker_changes.slice(0, 20),
    event_sinks: state.event_sinks,
    omitted: {
      circuit_breakers: state.circuit_breakers.length - breakers.length,
      shields: state.shields.length - shields.length,
      concurrency_limits: state.concurrency_limits.length - limits.length,
      operations: state.operations.length - operations.length,
    },
    executions,
  };
}

function shownOperation(operation: OperationJson): ShownOperation {
  const { operation_name, composition, counts, last_minute, durations, last_failure } = operation;
  return { operation_name, composition, counts, last_minute, durations, last_failure };
}

function chosen<T>(all: readonly T[], weightOf: (one: T) => number): readonly T[] {
  if (all.length <= MOST_SHOWN) return all;
  const weighed = [...all].sort((one, other) => weightOf(other) - weightOf(one));
  const kept = new Set(weighed.slice(0, MOST_SHOWN));
  return all.filter((one) => kept.has(one));
}
