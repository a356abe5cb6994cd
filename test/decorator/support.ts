import { bindHandle } from '../../lib/decorator/handle.js';
import { MethodExecutor } from '../../lib/decorator/method-executor.js';
import {
  asyncOperation,
  ConfigurationError,
  EventEmitter,
  InMemoryEventSink,
  OperationExecutionError,
  OperationResult,
  reportOf,
  resilient,
  Resilient,
  resultOf,
  type AnyEvent,
  type AsyncOperation,
  type Backoff,
  type ExecutionReport,
  type PolicyOptions,
} from '../../lib/index.js';
import { StandaloneHost } from '../../lib/operation/standalone-host.js';
import { FakeClock, seededRandom } from '../../lib/testing/index.js';

/** Time, chance and an executor of its own, as a container would give them to the instances that it makes. */
export class World {
  readonly clock = new FakeClock();
  readonly random = seededRandom(7);
  private readonly executor = new MethodExecutor(new StandaloneHost(this));

  /** The decorated methods of this instance run in this world from now on. */
  adopt<T extends object>(instance: T): T {
    bindHandle(instance, { current: this.executor });
    return instance;
  }
}

/** Retries at once, so that no time has to pass. */
export const noWait: Backoff = { delayForRetry: () => 0 };

let standard = false;
class Probe {
  @((_target: unknown, place: unknown) => void (standard = typeof place === 'object'))
  method(): void {}
}
void Probe;

/** Whether this run is compiled with standard decorators. */
export const standardDecorators: boolean = standard;

/** Where a mistake is said to stand; a standard decorator runs before its class has a name. */
export function placeOf(className: string, member: string): string {
  return standardDecorators ? member : `${className}.${member}`;
}

/** The mistake that the function is refused for. */
export function mistakeOf(build: () => unknown): ConfigurationError {
  try {
    build();
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

/** What a promise is rejected with. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  const fulfilled = Symbol('fulfilled');
  const outcome = await promise.then(
    () => fulfilled,
    (error: unknown) => error,
  );
  if (outcome === fulfilled) throw new Error('the promise was fulfilled');
  return outcome;
}

type Fn = (...args: any[]) => unknown;
type Run = (...args: unknown[]) => Promise<OperationResult<any>>;
/** What both ways in with options take. */
export type Options = PolicyOptions & { readonly name?: string };

function decorate(world: World, options: Options, fn: Fn): Run {
  class Host {
    @Resilient(options as object)
    operation(...args: unknown[]): Promise<unknown> {
      return fn(...args) as Promise<unknown>;
    }
  }
  const host = world.adopt(new Host());
  return (...args) => resultOf(host.operation(...args));
}

function wrap({ clock, random }: World, options: Options, fn: Fn): Run {
  return resilient({ name: 'operation', clock, random, ...(options as object) }, fn);
}

/** The two ways in that take options, each in the result form. */
export const waysIn: readonly (readonly [string, (world: World, options: Options, fn: Fn) => Run])[] = [
  ['@Resilient', decorate],
  ['resilient()', wrap],
];

/** Everything that can be seen of a few calls from outside, but for the random ids of the calls. */
export interface Account {
  readonly outcomes: readonly unknown[];
  readonly events: readonly unknown[];
  readonly reports: readonly unknown[];
  readonly elapsedMs: number;
  readonly pendingTimers: number;
}

/** Makes the calls one after the other in a world of their own, and gives account of them. */
export async function accountOf(
  start: (world: World, events: EventEmitter) => { readonly run: Run; readonly calls: readonly unknown[][] },
): Promise<Account> {
  const world = new World();
  const sink = new InMemoryEventSink();
  const { run, calls } = start(world, new EventEmitter({ sinks: [sink] }));
  const outcomes: unknown[] = [];
  const reports: ExecutionReport[] = [];
  for (const args of calls) {
    const ending = await world.clock.settle(run(...args).catch((error: unknown) => error));
    if (ending instanceof OperationResult) outcomes.push(ending.value);
    else outcomes.push(ending instanceof OperationExecutionError ? ending.cause : ending);
    const isResult = ending instanceof OperationResult || ending instanceof OperationExecutionError;
    reports.push((isResult ? ending.report : reportOf(ending)) as ExecutionReport);
  }
  return {
    outcomes,
    events: sink.events().map(withoutId),
    reports: reports.map(withoutId),
    elapsedMs: world.clock.monotonicMs(),
    pendingTimers: world.clock.pendingTimers,
  };
}

function withoutId(told: AnyEvent | ExecutionReport): object {
  return { ...told.toJSON(), call_id: undefined };
}

/** An operation built step by step, in a world. */
export function built({ clock, random }: World, fn: Fn): AsyncOperation<Fn, any> {
  return asyncOperation('operation', fn, { clock, random });
}
