import { errorType } from '../../lib/container.js';
import type { ExecutionReport } from '../../lib/index.js';
import { ReportShelf } from '../state/report-shelf.js';
import type { ResilienceState } from '../state/resilience-state.js';
import type { ExecutionSummaryJson, ResilienceStateJson } from '../state/state-json.js';
import { Curves } from './curves.js';
import { frameOf, type Frame } from './frame.js';
import type { Show } from './viewers.js';

/** Calls that are shown each second; of more, those are preferred that did not simply succeed. */
const MOST_EACH_SECOND = 60;
const MOST_NOTABLE = 45;
/** Calls that were shown can be opened for a while, however many come after them. */
const MOST_SHOWN = 500;

/** What is shown to all that watch, made of the state alone. */
export class LiveShow implements Show {
  private readonly curves = new Curves();
  private readonly shown = new ReportShelf(MOST_SHOWN);
  private summaries: readonly ExecutionSummaryJson[] = [];

  constructor(private readonly state: ResilienceState) {}

  /** The report of a call that has been shown, or is about to be. */
  execution(callId: string): ExecutionReport | undefined {
    return this.shown.get(callId) ?? this.state.execution(callId);
  }

  /** What was shown so far; the calls of the latest frame are in both, as they have ids. */
  opening(): string {
    return eventText('opening', { curves: this.curves.read(), executions: this.summaries });
  }

  frame(): string {
    try {
      return eventText('frame', this.advance());
    } catch (error) {
      // It is asked by a timer, where a failure would end the process.
      return eventText('trouble', { error_type: errorType(error) });
    }
  }

  /** Takes what has happened since it was last asked. */
  private advance(): Frame {
    const state = this.state.snapshot();
    this.curves.note(state);
    const fresh = this.freshOf(state);
    for (const { call_id } of fresh) {
      const report = this.state.execution(call_id);
      if (report !== undefined) this.shown.add(report);
    }
    this.summaries = [...this.summaries, ...fresh].slice(-MOST_SHOWN);
    return frameOf(state, fresh);
  }

  /** Oldest first. */
  private freshOf({ executions, notable_executions }: ResilienceStateJson): readonly ExecutionSummaryJson[] {
    const chosen = new Set<string>();
    const choose = (from: readonly ExecutionSummaryJson[], most: number): void => {
      for (const { call_id } of from) {
        if (chosen.size >= most) return;
        if (!this.shown.has(call_id)) chosen.add(call_id);
      }
    };
    choose(notable_executions, MOST_NOTABLE);
    choose(executions, MOST_EACH_SECOND);
    const latest = new Set(executions.map(({ call_id }) => call_id));
    // What is not among the latest has ended before all of them.
    const before = notable_executions.filter(({ call_id }) => !latest.has(call_id));
    return [...executions, ...before].filter(({ call_id }) => chosen.has(call_id)).reverse();
  }
}

/** JSON has no line breaks of its own, so one line of data is enough. */
function eventText(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
