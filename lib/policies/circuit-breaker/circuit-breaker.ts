import { checkFunction, checkName } from '../../errors/check.js';
import { isMisuse } from '../../errors/misuse-error.js';
import { msToSeconds } from '../../time/duration.js';
import { checkSavedBreaker, type SavedCircuitBreaker } from './saved-circuit-breaker.js';
import { FleetBreaker } from './fleet-breaker.js';
import { checkBreakerOptions, Inherited, type CircuitBreakerOptions } from './circuit-breaker-options.js';
import type { CircuitBreakerTransition } from './circuit-breaker-state.js';
import { checkCost, costOf } from './cost-of.js';
import { runGuarded } from './guarded-run.js';
import { isLocalStall } from './is-local-stall.js';
import { KeyedBreakers } from './keyed-breakers.js';
import { TransitionListeners, type TransitionListener } from './transition-listeners.js';

/**
 * Stops calling a dependency that fails. One instance is shared by everything that calls that dependency.
 *
 * It sets no timers: time is compared when somebody asks. Without a clock of its own it goes by the clock of the
 * calls that use it.
 */
export class CircuitBreaker extends FleetBreaker {
  private listeners: TransitionListeners | undefined = undefined;
  private keys: KeyedBreakers<CircuitBreaker> | undefined = undefined;
  private parent: CircuitBreaker | undefined = undefined;

  /** @throws {ConfigurationError} for a blank name, a number out of its range, rules that cannot work, an empty filter. */
  constructor(options: CircuitBreakerOptions = {}) {
    const settings = options instanceof Inherited ? options.settings : checkBreakerOptions(options);
    super(settings, options.name);
  }

  /**
   * A breaker as it was when `toJSON()` wrote this: open for the rest of its time, and held by an operator who held it.
   * A half-open one is open, and its probe is due.
   * @throws {ConfigurationError} for what no breaker has written, and for wrong options.
   */
  static restore(json: SavedCircuitBreaker, options: CircuitBreakerOptions = {}): CircuitBreaker {
    const checked = checkSavedBreaker(json);
    const breaker = new CircuitBreaker({ ...options, name: options.name ?? checked.name });
    breaker.adopt(checked);
    return breaker;
  }

  /** How long it stays open the first time. */
  get recoveryTimeoutSeconds(): number {
    return msToSeconds(this.settings.recovery.initialMs);
  }

  /** @internal */
  get isIdle(): boolean {
    if (this.current !== 'closed' || this.forced !== null || this.busy > 0) return false;
    // What was spent must not be forgotten.
    return this.budget === undefined || this.budget.numbers(this.clock.monotonicMs()).spent === 0;
  }

  /**
   * The breaker of one key of the dependency, such as a tenant or a host: with the same settings, and named
   * `<name>:<key>`. Changes of it are told to the listeners of this one, too. At most `maxKeys` are kept; those that are
   * open or busy always are.
   */
  keyed(key: string): CircuitBreaker {
    checkName('key', key);
    return (this.keys ??= new KeyedBreakers(this.settings.maxKeys, (own) => this.child(own))).get(key);
  }

  /** The breakers that `keyed()` keeps now. */
  keyedBreakers(): readonly CircuitBreaker[] {
    return this.keys?.list() ?? [];
  }

  /**
   * Refuses every call, probes too, until `reset()` or `forceClosed()`. @throws {ConfigurationError} without a reason.
   */
  forceOpen(reason: string): void {
    this.operate('open', 'open', checkName('reason', reason));
  }

  /** Lets every call pass and counts nothing, until `reset()` or `forceOpen()`. */
  forceClosed(reason?: string): void {
    this.operate('closed', 'closed', reason);
  }

  /** Closes it, forgets what happened, and lets it decide by itself again. Calls in flight change nothing. */
  reset(reason?: string): void {
    this.operate('closed', null, reason);
  }

  /**
   * Tells `listener` of every change from now on, just after it: of each change of state, and of whatever an operator
   * does. Gives a function that ends it. What a listener throws is a process warning, once, and harms no call.
   */
  onTransition(listener: TransitionListener): () => void {
    checkFunction('listener', listener);
    return (this.listeners ??= new TransitionListeners()).add(listener);
  }

  /** Takes a cost from its budget, beside what calls say of theirs. What is no number of 0 or more counts as nothing. */
  spend(amount: number): void {
    this.takeCost(amount);
  }

  /** @internal `spend` that gives the change of state, if that made one. */
  takeCost(amount: number): CircuitBreakerTransition | undefined {
    return this.take(checkCost(this.root, amount), this.clock.monotonicMs());
  }

  /** @internal Whether what is spent is counted. */
  get hasBudget(): boolean {
    return this.budget !== undefined;
  }

  /**
   * Calls `fn` if the breaker lets it through, and records how it ends.
   * @throws {CircuitBreakerOpenError} when it does not; the failure of `fn` as it is.
   */
  run<A extends unknown[], R>(fn: (...args: A) => R, ...args: A): Promise<Awaited<R>> {
    return this.runWith({}, fn, ...args);
  }

  /** `run` that ends at once, with the signal's reason, when the caller aborts, which is recorded as nothing. */
  runWith<A extends unknown[], R>(
    options: { readonly signal?: AbortSignal | undefined },
    fn: (...args: A) => R,
    ...args: A
  ): Promise<Awaited<R>> {
    return runGuarded(this, this.clock, options, fn, args);
  }

  /** @internal Whether this failure says something about the dependency. */
  records(error: unknown): boolean {
    const { ignoreLocalStalls, recordFailureOn } = this.settings;
    return !isMisuse(error) && !(ignoreLocalStalls && isLocalStall(error)) && recordFailureOn(error);
  }

  /** @internal Whether timeouts that our own blocked event loop has made are nothing to it. */
  get ignoresLocalStalls(): boolean {
    return this.settings.ignoreLocalStalls;
  }

  protected override charge(value: unknown, nowMs: number): CircuitBreakerTransition | undefined {
    const { cost } = this.settings.budget ?? {};
    return cost === undefined ? undefined : this.take(costOf(this.root, cost, value), nowMs);
  }

  protected override tell(transition: CircuitBreakerTransition): void {
    this.listeners?.tell(transition);
    this.parent?.tell(transition);
  }

  /** @internal Of a keyed breaker the one that it belongs to. */
  get root(): CircuitBreaker {
    return this.parent?.root ?? this;
  }

  private child(key: string): CircuitBreaker {
    const child = new CircuitBreaker(new Inherited(this.settings, `${this.name}:${key}`));
    child.parent = this;
    return child;
  }
}
