import { bindHandle } from '../../lib/decorator/handle.js';
import { MethodExecutor } from '../../lib/decorator/method-executor.js';
import {
  EventEmitter,
  InMemoryEventSink,
  Shield,
  Shielded,
  type EventSink,
  type ExecutionReport,
  type ProfiledShieldOptions,
  type ShieldedOptions,
} from '../../lib/index.js';
import { StandaloneHost } from '../../lib/operation/standalone-host.js';
import { FakeClock } from '../../lib/testing/index.js';
import { TUNING, type ShieldTuning } from '../../lib/shield/tuning.js';
import type { Fn } from '../operation/support.js';

export interface ClientOptions extends ProfiledShieldOptions {
  /** What the decorator is told beside its shield. */
  readonly beside?: Omit<ShieldedOptions, 'onReport' | 'events'>;
  /** Sinks after the one that notes. */
  readonly sinks?: readonly EventSink[];
  readonly tuning?: ShieldTuning;
}

/** A client with one shielded method, on a fake clock, and everything that can be seen of it from outside. */
export function client(fn: Fn, { beside = {}, sinks = [], tuning = TUNING, ...options }: ClientOptions = {}) {
  const clock = (options.clock as FakeClock | undefined) ?? new FakeClock();
  const random = (): number => 0.5;
  const shield = new Shield('github', { clock, random, env: false, ...options }, { tuning });
  const sink = new InMemoryEventSink();
  const reports: ExecutionReport[] = [];
  const said = {
    name: 'visit',
    ...beside,
    events: new EventEmitter({ sinks: [sink, ...sinks] }),
    onReport: (report: ExecutionReport) => void reports.push(report),
  };
  class Client {
    @Shielded(shield, said)
    visit(...args: unknown[]): Promise<unknown> {
      return fn(...args) as Promise<unknown>;
    }
  }
  const instance = new Client();
  bindHandle(instance, { current: new MethodExecutor(new StandaloneHost({ clock, random })) });
  const visit = (...args: unknown[]): Promise<unknown> => instance.visit(...args);
  return {
    clock,
    shield,
    sink,
    reports,
    visit,
    /** The value or the error of one call, after all the time it needs. */
    outcome: (...args: unknown[]): Promise<any> =>
      clock.settle(visit(...args).catch((error: unknown) => error)),
    /** The metadata of the latest report. */
    metadata: (): any => reports.at(-1)?.metadata,
    /** The events of one type, as a wire sees them: their payloads. */
    told: (type: string): unknown[] =>
      sink
        .events()
        .filter(({ eventType }) => eventType === type)
        .map(({ payload }) => payload),
  };
}
