import type { EventEmitter } from '../events/event-emitter.js';
import type { OperationHost } from '../operation/host.js';
import { compilePlan, type Plan } from '../operation/plan.js';
import type { ShieldSource } from '../operation/shielding.js';
import { CalledFunctions } from './called-functions.js';

type AnyFunction = (this: any, ...args: any[]) => unknown;

/** The most names that plans are kept for. */
const MOST_NAMES = 1_000;

/** The operations of what a shield is asked to call. */
export class ShieldPlans {
  private readonly called = new CalledFunctions();
  private host: OperationHost | undefined = undefined;
  private emitter: EventEmitter | undefined = undefined;
  private ofMethods = new WeakMap<AnyFunction, Plan>();
  private ofFunctions = new WeakMap<AnyFunction, Plan>();
  private readonly ofNames = new Map<string, Plan>();

  constructor(
    private readonly shield: ShieldSource,
    private readonly hostNow: () => OperationHost,
  ) {}

  /** The plan of a function that has the `this` of its call. */
  ofMethod(fn: AnyFunction): Plan {
    const host = this.currentHost();
    let plan = this.ofMethods.get(fn);
    if (plan === undefined) {
      const name = this.called.nameOf(fn, this.shield.name);
      this.ofMethods.set(fn, (plan = compilePlan(name, fn, { shield: this.shield }, host)));
    }
    return plan;
  }

  /** The plan of calls that have a function for their `this`: one for each name, as most functions are called once only. */
  ofFunction(fn: AnyFunction): Plan {
    const host = this.currentHost();
    // A function without a name is probably made for this call alone: nothing is kept of it.
    if (fn.name === '') return this.ofName(this.called.nameOf(fn, this.shield.name), host);
    let plan = this.ofFunctions.get(fn);
    if (plan === undefined)
      this.ofFunctions.set(fn, (plan = this.ofName(this.called.nameOf(fn, this.shield.name), host)));
    return plan;
  }

  private ofName(name: string, host: OperationHost): Plan {
    let plan = this.ofNames.get(name);
    if (plan === undefined) {
      if (this.ofNames.size >= MOST_NAMES) this.ofNames.clear();
      this.ofNames.set(name, (plan = compilePlan(name, callThis, { shield: this.shield }, host)));
    }
    return plan;
  }

  /** Notes an operation that has a plan of its own. */
  note(name: string, fn: AnyFunction): void {
    this.called.note(name, fn);
  }

  /** Whether a name stands for one function only. */
  tellsApart(name: string): boolean {
    return this.called.tellsApart(name);
  }

  /** An application has its event sinks only once it has started, and functions are protected before. */
  private currentHost(): OperationHost {
    const host = this.hostNow();
    if (host !== this.host || host.emitter !== this.emitter) {
      this.host = host;
      this.emitter = host.emitter;
      this.ofMethods = new WeakMap();
      this.ofFunctions = new WeakMap();
      this.ofNames.clear();
    }
    return host;
  }
}

function callThis(this: AnyFunction, ...args: unknown[]): unknown {
  return Reflect.apply(this, undefined, args);
}
