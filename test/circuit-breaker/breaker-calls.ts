import { expect } from '@jest/globals';
import { CircuitBreakerOpenError } from '../../lib/index.js';
import { Step } from './breaker-steps.js';
import type { System } from './model-system.js';
import type { Outcome, ReferenceBreaker } from './reference-breaker.js';

export class Call extends Step {
  constructor(private readonly timeoutMs: number | undefined) {
    super();
  }

  async act(reference: ReferenceBreaker, system: System): Promise<void> {
    const id = system.calls.length;
    const call = await system.begin(this.timeoutMs);
    system.calls.push(call);
    const refusal = reference.call(id, this.timeoutMs);
    expect(call.admitted).toBe(refusal === undefined);
    if (refusal === undefined) system.working.push([id, call]);
    else {
      expect(call.error).toBeInstanceOf(CircuitBreakerOpenError);
      expect(call.error).toMatchObject(refusal);
    }
  }

  override toString(): string {
    return `call(${this.timeoutMs ?? 'no timeout'})`;
  }
}

export class Settle extends Step {
  constructor(
    private readonly which: number,
    private readonly outcome: Outcome,
    private readonly cost: number,
  ) {
    super();
  }

  async act(reference: ReferenceBreaker, system: System): Promise<void> {
    const { working, clock } = system;
    const [picked] = working.splice(this.which % Math.max(1, working.length), 1);
    if (picked === undefined) return;
    const [id, { work, controller }] = picked;
    if (this.outcome === 'success') work.resolve({ cost: this.cost });
    else if (this.outcome === 'failure') work.reject(new Error('down'));
    else if (this.outcome === 'ignored') work.reject(system.ignored);
    else controller.abort();
    await clock.advance(0);
    reference.settle(id, this.outcome, this.cost);
  }

  override toString(): string {
    return `settle(${this.which}, ${this.outcome}, ${this.cost})`;
  }
}

/** The breaker is called and answers at once: most traffic is so. */
export class Answer extends Step {
  constructor(
    private readonly outcome: Outcome,
    private readonly cost: number,
  ) {
    super();
  }

  async act(reference: ReferenceBreaker, system: System): Promise<void> {
    const before = system.working.length;
    await new Call(undefined).act(reference, system);
    if (system.working.length > before)
      await new Settle(before, this.outcome, this.cost).act(reference, system);
  }

  override toString(): string {
    return `answer(${this.outcome}, ${this.cost})`;
  }
}

/** By a call that is running, or beside all calls. */
export class Spend extends Step {
  constructor(
    private readonly which: number | undefined,
    private readonly amount: number,
  ) {
    super();
  }

  async act(reference: ReferenceBreaker, { breaker, working }: System): Promise<void> {
    if (this.which === undefined) {
      breaker.spend(this.amount);
      return reference.spend(this.amount);
    }
    const [, call] = working[this.which % Math.max(1, working.length)] ?? [];
    if (call === undefined) return;
    call.attempt?.spend(this.amount);
    reference.spend(this.amount);
  }

  override toString(): string {
    return `spend(${this.which ?? 'beside'}, ${this.amount})`;
  }
}
