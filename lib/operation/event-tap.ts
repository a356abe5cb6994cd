import type { EventEmitter } from '../events/event-emitter.js';
import type { Plan } from './plan.js';

/**
 * Lets somebody listen to the events of operations whose plans were made without them. While nobody does, plans are as
 * they were made, and their calls pay nothing.
 */
export class EventTap {
  private readonly plans = new Set<Plan>();
  private listening: EventEmitter | undefined = undefined;

  /** Who listens now. */
  get emitter(): EventEmitter | undefined {
    return this.listening;
  }

  /** A plan that can be listened to, for as long as it is used. */
  add(plan: Plan): void {
    this.plans.add(plan);
    if (this.listening !== undefined) join(plan, this.listening);
  }

  /** Tells an emitter of all calls that begin from now on. */
  open(emitter: EventEmitter): void {
    this.close();
    this.listening = emitter;
    for (const plan of this.plans) join(plan, emitter);
  }

  close(): void {
    const emitter = this.listening;
    this.listening = undefined;
    if (emitter !== undefined) for (const plan of this.plans) leave(plan, emitter);
  }
}

/** What is executed for a key is told as its call is. */
function join(plan: Plan, emitter: EventEmitter): void {
  plan.emitters = [...(plan.emitters ?? []), emitter];
}

function leave(plan: Plan, emitter: EventEmitter): void {
  const rest = plan.emitters?.filter((one) => one !== emitter) ?? [];
  plan.emitters = rest.length === 0 ? undefined : rest;
}
