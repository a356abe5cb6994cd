// Events: the three policies, and somebody who is told.
import { EventEmitter, InMemoryEventSink, NoopEventSink } from 'relprim';
import { run, three } from './relprim.mjs';
import { THREE } from './together.mjs';

const watched = (sink) => run(three().withEvents(new EventEmitter({ sinks: [sink] })));
const telemetry = () => import('./telemetry.mjs');

export default {
  'relprim: the three + events to a no-op sink': { make: () => watched(new NoopEventSink()), over: THREE },
  'relprim: the three + events kept in memory': {
    make() {
      const sink = new InMemoryEventSink();
      return { ...watched(sink), rest: () => sink.clear(), mostCalls: 2_500 };
    },
    over: THREE,
  },
  'relprim: the three + the logger for Nest': {
    async make() {
      const { ResilienceLogger } = await import('relprim/nestjs');
      return watched(new ResilienceLogger());
    },
    over: THREE,
  },
  'relprim: the three + events to an SQLite store': {
    async make() {
      const { sqliteStore } = await import('./sqlite-store.mjs');
      const sqlite = sqliteStore();
      if (sqlite === undefined) return undefined;
      const { store, ...between } = sqlite;
      return { ...watched(store), ...between };
    },
    over: THREE,
    marks: { moreNs: 2_000 },
  },
  'relprim: the three + OpenTelemetry metrics': {
    make: async () => watched((await telemetry()).metricsOfSdk()),
    over: THREE,
    marks: { moreNs: 3_000 },
  },
  'relprim: the three + OpenTelemetry metrics, no SDK': {
    make: async () => watched((await telemetry()).metricsOfNobody()),
    over: THREE,
    marks: { moreNs: 400 },
  },
  'relprim: the three + OpenTelemetry spans': {
    make: async () => watched((await telemetry()).spansOfSdk()),
    over: THREE,
    changesProcess: true,
  },
  'relprim: the three + events on the active span': {
    async make() {
      const { eventsOnSpans, withinSpan } = await telemetry();
      const watching = watched(eventsOnSpans());
      return { call: () => withinSpan(watching.call) };
    },
    over: THREE,
    changesProcess: true,
  },
};
