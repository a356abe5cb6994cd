import { getEventListeners } from 'node:events';
import type { ResilienceState } from '../../../nest-module/index.js';
import type { CountingClock } from '../shapes/shape.js';
import type { Upstream } from './phases.js';
import type { AllEvents, SlowSink } from './sinks.js';
import type { Tally } from './tally.js';
import type { Traffic } from './traffic.js';

/** Everything that can be looked at. */
export interface Scene {
  readonly upstream: Upstream;
  readonly tally: Tally;
  readonly traffic: Traffic;
  readonly signal: AbortSignal;
  readonly clock: CountingClock;
  readonly state: ResilienceState;
  readonly events: AllEvents;
  readonly slowSink: SlowSink;
}

/** One moment of the soak. */
export interface Sample {
  readonly second: number;
  readonly phase: string;
  readonly inFlight: number;
  readonly oldestMs: number;
  readonly lateMs: number;
  readonly timers: number;
  readonly listeners: number;
  readonly heapBytes: number;
  /** Events that wait for the slow sink. */
  readonly queued: number;
  readonly running: number;
  readonly broken: readonly string[];
}

/** No call may take longer: the longest deadline is one second. */
const LONGEST_MS = 1_000;
/** What the machine may add to that, beside its measured lateness. */
const LENIENCE_MS = 300;
const QUEUE_SIZE = 1_000;
/** Timers that serve many calls: one for each length of time, and of a shield's timeout there are many. */
const SHARED_TIMERS = 60;

/** Looks at everything between two turns of the event loop, when nothing is half done. */
export function sample(scene: Scene, second: number, heapBytes: number): Sample {
  const { upstream, tally, traffic, signal, clock, state, events, slowSink } = scene;
  const lateMs = traffic.takeLateMs();
  const { inFlight, oldest } = tally;
  const listeners = getEventListeners(signal, 'abort').length;
  const queued = events.told - slowSink.told - (state.snapshot().event_sinks?.dropped ?? 0);
  const printers = state.concurrencyLimits()[0];
  const running = printers?.running ?? -1;

  const broken: string[] = [...events.illegal.splice(0)];
  const must = (isSo: boolean, problem: string): void => void (isSo || broken.push(problem));
  must(oldest.ms < LONGEST_MS + LENIENCE_MS + lateMs, `${oldest.method} is in flight for ${oldest.ms} ms`);
  must(listeners <= 1, `${listeners} listeners on the signal of the application`);
  must(clock.timersSet <= inFlight + SHARED_TIMERS, `${clock.timersSet} timers for ${inFlight} calls`);
  must(queued >= 0 && queued <= QUEUE_SIZE, `${queued} events wait for a sink`);
  must(running === upstream.working, `${running} places taken, ${upstream.working} pieces of work`);
  must(running <= (printers?.max_concurrent ?? 0), `${running} run at once`);
  must((printers?.waiting ?? 0) <= (printers?.queue_size ?? 0), `${printers?.waiting} wait in line`);
  for (const [name, { started, ended, reports }] of tally.operations)
    must(
      reports === ended && started >= ended,
      `${name}: ${started} started, ${ended} ended, ${reports} reports`,
    );
  for (const {
    name,
    state: now,
    probes_in_flight: probes,
    retry_after_seconds: wait,
  } of state.circuitBreakers())
    must(
      probes <= 1 && (now === 'half_open' || probes === 0) && (wait ?? 0) <= 0.2,
      `${name} is ${now}, with ${probes} probes, and ${wait} s to wait`,
    );
  return {
    second,
    phase: upstream.phase.name,
    inFlight,
    oldestMs: Math.round(oldest.ms),
    lateMs: Math.round(lateMs),
    timers: clock.timersSet,
    listeners,
    heapBytes,
    queued,
    running,
    broken,
  };
}
