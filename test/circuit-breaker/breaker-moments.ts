import fc from 'fast-check';
import { Step } from './breaker-steps.js';
import type { Numbers } from './model-numbers.js';
import type { System } from './model-system.js';
import type { ReferenceBreaker } from './reference-breaker.js';

export class Advance extends Step {
  constructor(private readonly ms: number) {
    super();
  }

  async act(reference: ReferenceBreaker, system: System): Promise<void> {
    await system.clock.advance(`${this.ms}ms`);
    reference.advance(this.ms);
  }

  override toString(): string {
    return `advance(${this.ms})`;
  }
}

/** Until a call may pass or a probe loses its place, or as near to that. */
export class Await extends Step {
  constructor(private readonly moreMs: number) {
    super();
  }

  async act(reference: ReferenceBreaker, system: System): Promise<void> {
    const waitMs = (reference.refusal()?.retryAfterSeconds ?? 0) * 1_000;
    const leasesMs = reference.probes.map(({ leaseEndMs }) => leaseEndMs - reference.nowMs);
    const nextMs = [waitMs, ...leasesMs].find((ms) => ms > 0) ?? 0;
    await new Advance(Math.max(0, nextMs + this.moreMs)).act(reference, system);
  }

  override toString(): string {
    return `await(${this.moreMs})`;
  }
}

/** It decides nothing. */
export class StepWall extends Step {
  constructor(
    private readonly seconds: number,
    private readonly direction: 'forward' | 'back',
  ) {
    super();
  }

  async act(reference: ReferenceBreaker, { clock }: System): Promise<void> {
    clock.stepWall(this.seconds, this.direction);
    reference.wallMs += this.seconds * (this.direction === 'forward' ? 1_000 : -1_000);
  }

  override toString(): string {
    return `wall(${this.direction} ${this.seconds})`;
  }
}

/** What `random` gives from now on. */
export class Chance extends Step {
  constructor(private readonly chance: number) {
    super();
  }

  async act(reference: ReferenceBreaker, system: System): Promise<void> {
    system.chance = reference.chance = this.chance;
  }

  override toString(): string {
    return `chance(${this.chance})`;
  }
}

/** Takes hold of the breaker, or lets go of it. */
export class Operate extends Step {
  constructor(private readonly forced: 'open' | 'closed' | null) {
    super();
  }

  async act(reference: ReferenceBreaker, { breaker }: System): Promise<void> {
    if (this.forced === 'open') breaker.forceOpen('maintenance');
    else if (this.forced === 'closed') breaker.forceClosed();
    else breaker.reset();
    reference.operate(this.forced);
  }

  override toString(): string {
    return `operate(${this.forced ?? 'reset'})`;
  }
}

/** Saved, and restored by another process, with the same settings or others. */
export class Restart extends Step {
  constructor(private readonly numbers: Numbers | undefined) {
    super();
  }

  async act(reference: ReferenceBreaker, system: System): Promise<void> {
    const numbers = this.numbers ?? system.numbers;
    system.restart(numbers);
    reference.restart(numbers);
  }

  override toString(): string {
    return `restart(${this.numbers === undefined ? 'the same' : fc.stringify(this.numbers)})`;
  }
}
