import type { AnyFunction } from '../../lib/container.js';
import { currentAttempt, InMemoryEventSink, type Duration, type ExecutionReport } from '../../lib/index.js';
import { FakeClock, seededRandom } from '../../lib/testing/index.js';
import { RESILIENCE_TESTING, type TestingHooks } from '../testing-hooks.js';
import { RESILIENCE_CLOCK, RESILIENCE_RANDOM } from '../tokens.js';
import { KnownNames } from './known-names.js';
import type { Outcome } from './outcome.js';
import { Scripts } from './scripts.js';
import { checkTestingOptions, type ResilienceTestingOptions } from './testing-options.js';

/** A builder of `@nestjs/testing`, as far as it is needed here. */
interface Overridable<Builder> {
  overrideProvider(token: unknown): { useValue(value: unknown): Builder };
}

/**
 * The time, the chance and the upstreams of an application, in the hands of a test.
 *
 * @example
 * const resilience = new ResilienceTesting();
 * const app = await resilience.override(Test.createTestingModule({ imports: [AppModule] })).compile();
 */
export class ResilienceTesting {
  /** The time of the application. It moves only in `advance()` and `settle()`. */
  readonly clock = new FakeClock();
  /** Told every event, beside the application's own sinks. */
  readonly events = new InMemoryEventSink();
  private readonly random;
  private readonly hooks: TestingHooks;
  private readonly names = new KnownNames();
  private readonly scripts = new Scripts();
  private kept: ExecutionReport[] = [];

  /** @throws {ConfigurationError} for options that cannot work. */
  constructor(options: ResilienceTestingOptions = {}) {
    const { seed, all, named } = checkTestingOptions(options);
    this.random = seededRandom(seed);
    this.hooks = {
      sinks: [this.events],
      instrument: (operationName, fn) => this.instrument(operationName, fn),
      passesThrough: (operationName) => all || named.includes(operationName),
      onReport: (report) => this.kept.push(report),
      started: () => this.names.complete({ passThrough: named, 'script()': this.scripts.names() }),
    };
  }

  /**
   * Puts the fake clock, the seeded random source and what else is needed into the application that a test builds,
   * which imports `ResilienceModule` itself. Gives the builder back.
   */
  override<Builder extends Overridable<Builder>>(builder: Builder): Builder {
    return builder
      .overrideProvider(RESILIENCE_CLOCK)
      .useValue(this.clock)
      .overrideProvider(RESILIENCE_RANDOM)
      .useValue(this.random)
      .overrideProvider(RESILIENCE_TESTING)
      .useValue(this.hooks);
  }

  /** Lets time pass: what falls due happens, in order, and so does everything that it wakes. */
  advance(duration: Duration): Promise<void> {
    return this.clock.advance(duration);
  }

  /** Lets time pass until the promise has settled, and gives its outcome. A rejection on the way is handled. */
  settle<T>(promise: PromiseLike<T>): Promise<T> {
    return this.clock.settle(promise);
  }

  /**
   * Says what the next attempts of an operation end with, one outcome for each, in the place of its method; fallbacks
   * are called as ever. An attempt that finds no outcome left fails the call with a `MisuseError`, which nothing
   * retries. A later script of the same operation replaces what is left of this one; without outcomes it ends it.
   *
   * @example
   * resilience.script('PaymentsClient.charge', fail(new Error('down')), hang(), succeed(receipt));
   * @throws {ConfigurationError} for a name that no operation of the started application has, naming the nearest; before
   *   the start, the start fails with it.
   */
  script(operationName: string, ...outcomes: readonly Outcome[]): void {
    this.names.check(operationName);
    this.scripts.set(operationName, outcomes);
  }

  /** The outcomes that no attempt has taken, in words: `PaymentsClient.charge: hang()`. */
  pendingOutcomes(): readonly string[] {
    return this.scripts.unused();
  }

  /** @throws {Error} when outcomes are left, or attempts found none. */
  verifyScripts(): void {
    const left = this.scripts.unused();
    const complaints = [
      ...left.map((outcome) => `${outcome} was not used`),
      ...this.scripts.overruns().map(([name, times]) => `${name}: ${times} attempt(s) found no outcome left`),
    ];
    if (complaints.length > 0) throw new Error(`scripts do not fit:\n  ${complaints.join('\n  ')}`);
  }

  /**
   * The reports of the calls that have ended, or of those of one operation, in the order in which they ended.
   * @throws {ConfigurationError} for a name that no operation has, naming the nearest.
   */
  reports(operationName?: string): readonly ExecutionReport[] {
    if (operationName === undefined) return [...this.kept];
    this.names.check(operationName);
    return this.kept.filter((report) => report.operationName === operationName);
  }

  /** The report of the call that ended last, or of the last one of an operation. @throws {Error} when none has ended. */
  lastReport(operationName?: string): ExecutionReport {
    const last = this.reports(operationName).at(-1);
    if (last !== undefined) return last;
    throw new Error(`no call${operationName === undefined ? '' : ` of ${operationName}`} has ended yet`);
  }

  /** Forgets events, reports and scripts, for the next test of the same application. Time stays where it is. */
  clear(): void {
    this.events.clear();
    this.kept = [];
    this.scripts.clear();
  }

  private instrument(operationName: string, fn: AnyFunction): AnyFunction {
    this.names.add(operationName);
    const { scripts, clock } = this;
    return function (this: unknown, ...args: unknown[]) {
      const outcome = scripts.take(operationName);
      if (outcome === undefined) return fn.apply(this, args);
      return outcome.play({
        clock,
        signal: currentAttempt().signal,
        callThrough: () => fn.apply(this, args),
      });
    };
  }

  /** @internal The providers of a module that brings this along. */
  get parts() {
    return { clock: this.clock, random: this.random, hooks: this.hooks };
  }
}
