import { isObservable, lastValueFrom, type Observable } from 'rxjs';
import {
  checkFunction,
  NoOperationError,
  MethodExecutor,
  nearest,
  refuse,
  printDescription,
  type DecoratedMethod,
  type Guards,
  type ModulePolicies,
  type OperationDescription,
  type OperationHost,
  type Plan,
  type ReportListener,
  type ValueOf,
} from '../lib/container.js';
import {
  ConfigurationError,
  resultOf,
  type AnyEvent,
  type ExecutionReport,
  type OperationResult,
} from '../lib/index.js';
import { guardsOf } from './guards-of.js';
import type { Streams } from './streams/streams.js';

type AnyMethod = (...args: any[]) => unknown;
type MethodsOf<I> = { [K in keyof I]-?: I[K] extends AnyMethod ? K : never }[keyof I];
type ArgsOf<M> = M extends (...args: infer A) => unknown ? A : never;
type SettledBy<M> = M extends (...args: any[]) => infer R ? ValueOf<R> : never;

/** A method, and what became of it in this application. */
interface Compiled {
  readonly method: DecoratedMethod;
  readonly plan: Plan;
}

/** What an executor takes from its application. */
type StreamingHost = OperationHost & { readonly observers: ReportListener[]; readonly streams: Streams };

/** Runs the decorated methods of this application. Inject it to get results, watch reports and read policies. */
export class ResilienceExecutor extends MethodExecutor {
  /**
   * Every event of this application from the subscription on, of calls that begin after it. Hot: what nobody hears is
   * gone, and without subscribers nothing is made. Subscribers are told after the calls, which never wait for them; for
   * one that is too slow the latest 1,000 wait, and older ones are dropped. Completes when the application has stopped.
   */
  readonly events$: Observable<AnyEvent>;
  /** The report of every call that ends from the subscription on, in the way of `events$`. */
  readonly reports$: Observable<ExecutionReport>;
  private readonly operations = new Map<string, Compiled>();
  private readonly observers: ReportListener[];
  private readonly streams: Streams;

  constructor(host: StreamingHost, policies: ModulePolicies = {}) {
    super(host, policies);
    this.observers = host.observers;
    this.streams = host.streams;
    this.events$ = host.streams.events.observable;
    this.reports$ = host.streams.reports.observable;
  }

  /** How many events and reports were dropped because a subscriber of `events$` or `reports$` was too slow. */
  get dropped(): number {
    return this.streams.dropped;
  }

  /**
   * Calls a decorated method and gives its value together with the report. What returns an Observable is subscribed to,
   * once.
   * @throws {OperationExecutionError} with the report when the call fails.
   */
  run<I extends object, K extends MethodsOf<I>>(
    instance: I,
    method: K,
    ...args: ArgsOf<I[K]>
  ): Promise<OperationResult<SettledBy<I[K]>>> {
    return runMethod(instance, method, args);
  }

  /** Gets the report of every call of this application from now on. Gives a function that ends it. */
  observe(listener: ReportListener): () => void {
    checkFunction('listener', listener);
    // An entry of its own: the same listener may observe twice.
    const entry: ReportListener = (report) => listener(report);
    this.observers.push(entry);
    return () => {
      const index = this.observers.indexOf(entry);
      if (index >= 0) this.observers.splice(index, 1);
    };
  }

  /** The names of the operations that were found when the application started, or called since. */
  operationNames(): readonly string[] {
    return [...this.operations.keys()];
  }

  /**
   * The policies of an operation, for people: all of them in one line, from the outside in, and a line for each option
   * that somebody gave, with the layer that it comes from.
   * @throws {ConfigurationError} for a name that no operation has.
   */
  describe(operationName: string): string {
    return printDescription(this.descriptionOf(operationName));
  }

  /** The same as data. @throws {ConfigurationError} for a name that no operation has. */
  descriptionOf(operationName: string): OperationDescription {
    const compiled = this.operations.get(operationName);
    if (compiled !== undefined) return this.describeMethod(operationName, compiled.method, compiled.plan);
    if (typeof operationName !== 'string') refuse('operationName', operationName, 'give Class.method');
    const meant = nearest(operationName, this.operations.keys());
    const cure = meant === undefined ? 'operations are named Class.method' : `did you mean ${meant}?`;
    throw new ConfigurationError({ option: 'operationName', problem: 'is not known', cure });
  }

  /** @internal Takes what is known only later: what it comes from may depend on this executor. */
  adopt(policies: ModulePolicies): void {
    this.policies = policies;
  }

  /** @internal What guards each operation: a shield, a concurrency limit. */
  *guards(): Generator<readonly [operationName: string, guards: Guards]> {
    for (const [name, { plan }] of this.operations) {
      const guards = guardsOf(plan);
      if (guards !== undefined) yield [name, guards];
    }
  }

  protected override noteOperation(name: string, method: DecoratedMethod, plan: Plan): void {
    this.operations.set(name, { method, plan });
    this.streams.tap.add(plan);
  }
}

/** Not in the class: the stack of a failure would keep the executor, and with it the application, as long as the error. */
async function runMethod<I extends object, K extends MethodsOf<I>>(
  instance: I,
  method: K,
  args: ArgsOf<I[K]>,
): Promise<OperationResult<SettledBy<I[K]>>> {
  const called: unknown = (instance as Record<PropertyKey, unknown> | undefined)?.[method];
  if (typeof called !== 'function')
    refuse(
      'method',
      called,
      'give an instance and the name of one of its decorated methods: run(payments, "charge", order)',
    );
  try {
    type Result = OperationResult<SettledBy<I[K]>>;
    const asked: unknown = resultOf(() => called.apply(instance, args) as Promise<unknown>);
    return await (isObservable(asked)
      ? lastValueFrom(asked as Observable<Result>)
      : (asked as Promise<Result>));
  } catch (error) {
    if (!(error instanceof NoOperationError)) throw error;
    const what = `${instance.constructor.name}.${String(method)}`;
    throw new TypeError(
      `${what} started no operation: it is not decorated, or a test has put something else in its place; ` +
        'let such a test replace executor.run, and give fakeResult(value)',
      { cause: error },
    );
  }
}
