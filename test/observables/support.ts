import 'reflect-metadata';
import { Observable, type Observer } from 'rxjs';
import {
  EventEmitter,
  InMemoryEventSink,
  Resilient,
  type ExecutionReport,
  type MethodOptions,
} from '../../lib/index.js';
import '../../nest-module/observables.js';
import { World } from '../decorator/support.js';

export type Source<T> = (observer: Observer<T>) => void | (() => void);

/** A source that gives these values, and then completes. */
export const gives =
  <T>(...values: T[]): Source<T> =>
  (observer) => {
    for (const value of values) observer.next(value);
    observer.complete();
  };

export const fails =
  (error: unknown): Source<never> =>
  (observer) =>
    observer.error(error);

/** A source that gives these values and then says nothing more. */
export const hangs =
  <T>(...values: T[]): Source<T> =>
  (observer) => {
    for (const value of values) observer.next(value);
  };

/** A dependency that answers with Observables by a script; its last answer is repeated. */
export class Upstream<T> {
  /** The arguments of the calls. */
  readonly calls: unknown[][] = [];
  subscriptions = 0;
  /** How many subscriptions were left before the source had ended. */
  left = 0;
  /** Whoever is subscribed to at the moment. */
  readonly observers = new Set<Observer<T>>();
  private readonly steps: readonly Source<T>[];

  constructor(...steps: Source<T>[]) {
    this.steps = steps;
  }

  readonly call = (...args: unknown[]): Observable<T> => {
    this.calls.push(args);
    const step = this.steps[Math.min(this.calls.length, this.steps.length) - 1] as Source<T>;
    return new Observable<T>((subscriber) => {
      this.subscriptions += 1;
      let ended = false;
      const end = (): void => void (ended = true);
      const observer: Observer<T> = {
        next: (value) => subscriber.next(value),
        error: (reason) => (end(), subscriber.error(reason)),
        complete: () => (end(), subscriber.complete()),
      };
      this.observers.add(observer);
      const teardown = step(observer);
      return () => {
        this.observers.delete(observer);
        if (!ended) this.left += 1;
        teardown?.();
      };
    });
  };
}

/** What a subscriber is told: `['next', 1], ['complete']`. */
export type Told = readonly [kind: 'next' | 'error' | 'complete', what?: unknown];

/** Subscribes, and notes what comes. */
export function subscribeTo(observable: Observable<unknown>) {
  const told: Told[] = [];
  const subscription = observable.subscribe({
    next: (value) => told.push(['next', value]),
    error: (reason: unknown) => told.push(['error', reason]),
    complete: () => told.push(['complete']),
  });
  return { told, subscription, unsubscribe: () => subscription.unsubscribe() };
}

/** A client with one method that returns Observables, on a fake clock, with all that can be seen of its calls from outside. */
export function scene<T>(call: (...args: any[]) => Observable<T>, options: MethodOptions = {}) {
  const world = new World();
  const sink = new InMemoryEventSink();
  const reports: ExecutionReport[] = [];
  const observed: MethodOptions = {
    events: new EventEmitter({ sinks: [sink] }),
    onReport: (report) => reports.push(report),
    ...options,
  };
  class Client {
    @Resilient(observed as object)
    get(...args: unknown[]): Observable<T> {
      return call.apply(this, args);
    }
    standIn(): unknown {
      return undefined;
    }
  }
  const client = world.adopt(new Client());
  const { clock } = world;
  return {
    clock,
    sink,
    reports,
    client,
    get: (...args: unknown[]) => client.get(...args),
    /** What one subscriber is told in the end, after all the time that takes. */
    async outcome(observable: Observable<unknown> = client.get()): Promise<readonly Told[]> {
      const { told, subscription } = subscribeTo(observable);
      await clock.settle(new Promise<void>((resolve) => void subscription.add(resolve)));
      return told;
    },
    /** Subscribes, and lets whatever can happen without time happen. */
    async begin(observable: Observable<unknown> = client.get()) {
      const subscribed = subscribeTo(observable);
      await clock.advance(0);
      return subscribed;
    },
  };
}

/** The statuses of the attempts of a report: `failed failed succeeded`. */
export function attemptsOf(report: ExecutionReport | undefined): string {
  return report?.attempts.map(({ status }) => status).join(' ') ?? '';
}
