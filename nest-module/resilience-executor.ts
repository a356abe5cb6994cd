import {
  checkFunction,
  NoOperationError,
  MethodExecutor,
  nearest,
  refuse,
  type ModuleDefaults,
  type OperationHost,
  type ReportListener,
} from '../lib/container.js';
import { ConfigurationError, resultOf, type OperationResult } from '../lib/index.js';

type AnyMethod = (...args: any[]) => unknown;
type MethodsOf<I> = { [K in keyof I]-?: I[K] extends AnyMethod ? K : never }[keyof I];
type ArgsOf<M> = M extends (...args: infer A) => unknown ? A : never;
type ValueOf<M> = M extends (...args: any[]) => infer R ? Awaited<R> : never;

/** Runs the decorated methods of this application. Inject it to get results, watch reports and read policies. */
export class ResilienceExecutor extends MethodExecutor {
  private readonly descriptions = new Map<string, string>();
  private readonly observers: ReportListener[];

  constructor(host: OperationHost & { readonly observers: ReportListener[] }, defaults: ModuleDefaults = {}) {
    super(host, defaults);
    this.observers = host.observers;
  }

  /**
   * Calls a decorated method and gives its value together with the report.
   * @throws {OperationExecutionError} with the report when the call fails.
   */
  async run<I extends object, K extends MethodsOf<I>>(
    instance: I,
    method: K,
    ...args: ArgsOf<I[K]>
  ): Promise<OperationResult<ValueOf<I[K]>>> {
    const called: unknown = (instance as Record<PropertyKey, unknown> | undefined)?.[method];
    if (typeof called !== 'function')
      refuse(
        'method',
        called,
        'give an instance and the name of one of its decorated methods: run(payments, "charge", order)',
      );
    try {
      return await resultOf(() => called.apply(instance, args) as Promise<ValueOf<I[K]>>);
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

  /** The operations that were found when the application started, by name. */
  operationNames(): readonly string[] {
    return [...this.descriptions.keys()];
  }

  /** The policies of an operation in one readable line. @throws {ConfigurationError} for a name that no operation has. */
  describe(operationName: string): string {
    const description = this.descriptions.get(operationName);
    if (description !== undefined) return description;
    if (typeof operationName !== 'string') refuse('operationName', operationName, 'give Class.method');
    const meant = nearest(operationName, this.descriptions.keys());
    const cure = meant === undefined ? 'operations are named Class.method' : `did you mean ${meant}?`;
    throw new ConfigurationError({ option: 'operationName', problem: 'is not known', cure });
  }

  /** @internal */
  noteOperation(operationName: string, description: string): void {
    this.descriptions.set(operationName, description);
  }
}
