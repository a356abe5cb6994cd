import { EventTap, type ReportListener } from '../../lib/container.js';
import { EventEmitter, type AnyEvent, type Clock, type ExecutionReport } from '../../lib/index.js';
import { HotStream } from './hot-stream.js';

/** What the streams of an application are made of. */
export interface StreamSources {
  readonly clock: Clock;
  readonly observers: ReportListener[];
  readonly warn: (message: string) => void;
}

/** What happens in an application, for whoever subscribes to it. */
export class Streams {
  /** Where the plans of operations are noted, so that events can be told later. */
  readonly tap = new EventTap();
  readonly events: HotStream<AnyEvent>;
  readonly reports: HotStream<ExecutionReport>;

  constructor({ clock, observers, warn }: StreamSources) {
    this.events = new HotStream({ name: 'events$', clock, warn, open: () => this.openEvents(clock) });
    this.reports = new HotStream({ name: 'reports$', clock, warn, open: () => this.openReports(observers) });
  }

  get dropped(): number {
    return this.events.dropped + this.reports.dropped;
  }

  /** The application has stopped. */
  complete(): void {
    this.events.complete();
    this.reports.complete();
  }

  private openEvents(clock: Clock): () => void {
    this.tap.open(new EventEmitter({ sinks: [{ emit: (event) => this.events.push(event) }], clock }));
    return () => this.tap.close();
  }

  private openReports(observers: ReportListener[]): () => void {
    const observer: ReportListener = (report) => this.reports.push(report);
    observers.push(observer);
    return () => void observers.splice(observers.indexOf(observer), 1);
  }
}
