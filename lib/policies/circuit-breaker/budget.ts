import { checkDuration, checkFunction, checkNumber, checkOptions, refuse } from '../../errors/check.js';
import { msToSeconds, type Duration } from '../../time/duration.js';

/** What the calls of a dependency may cost in a period: tokens, or money. */
export interface BudgetOptions {
  /** The most that may be spent in any period of this length, but for the call that crosses it. */
  readonly limit: number;
  readonly per: Duration;
  /** What a call has cost, by its result. Without it only `currentAttempt().spend(cost)` counts. */
  readonly cost?: ((result: any) => number) | undefined;
}

export interface BudgetSettings {
  readonly limit: number;
  readonly perMs: number;
  readonly cost: ((result: unknown) => number) | undefined;
}

/** What a budget says of itself. */
export interface BudgetNumbers {
  readonly spent: number;
  readonly limit: number;
  readonly perSeconds: number;
}

/** A period is kept in so many parts. One more is looked at, so that no period ever holds more than the limit. */
const PARTS = 60;

/** So near to the limit, what floating point loses might decide. */
const NEARLY = 1 - 1e-6;

export function checkBudget(given: BudgetOptions): BudgetSettings {
  checkOptions('budget', given, ['limit', 'per', 'cost']);
  const limit = checkNumber('budget.limit', given.limit, 0);
  if (limit === 0) refuse('budget.limit', given.limit, 'give a number above 0');
  const cost = given.cost === undefined ? undefined : checkFunction('budget.cost', given.cost);
  return { limit, perMs: checkDuration('budget.per', given.per), cost };
}

/** What was spent in the latest period. It opens by arithmetic: nobody has to find out whether the dependency is well. */
export class Budget {
  private readonly costs: number[] = Array.from({ length: PARTS + 1 }, () => 0);
  private originMs = 0;
  private latest = -Infinity;
  private total = 0;

  constructor(readonly settings: BudgetSettings) {}

  /** Whether the limit has been reached now. */
  spend(nowMs: number, amount: number): boolean {
    this.advance(nowMs);
    const place = placeOf(this.latest);
    this.costs[place] = (this.costs[place] as number) + amount;
    this.total += amount;
    // Near the limit it is added up as `waitMs` does, so that both say the same of fractions.
    if (this.total >= this.settings.limit * NEARLY) this.total = this.sum();
    return this.total >= this.settings.limit;
  }

  /** Milliseconds until what was spent is below the limit again; exact, as nothing is spent meanwhile. */
  waitMs(nowMs: number): number {
    this.advance(nowMs);
    if (this.total < this.settings.limit) return 0;
    // The sum without the old parts that will be gone by then: it fits until this part goes, too.
    let sum = 0;
    let part = this.latest + 1;
    while (sum < this.settings.limit && part > this.latest - PARTS) {
      part -= 1;
      sum += this.costs[placeOf(part)] as number;
    }
    return (part + PARTS + 1) * this.partMs + this.originMs - nowMs;
  }

  numbers(nowMs: number): BudgetNumbers {
    this.advance(nowMs);
    return { spent: this.total, limit: this.settings.limit, perSeconds: msToSeconds(this.settings.perMs) };
  }

  reset(): void {
    this.costs.fill(0);
    this.total = 0;
  }

  shift(byMs: number): void {
    this.originMs += byMs;
  }

  private get partMs(): number {
    return this.settings.perMs / PARTS;
  }

  private advance(nowMs: number): void {
    // A part begins where the arithmetic of `waitMs` says, whatever floating point makes of the division.
    let part = Math.floor((nowMs - this.originMs) / this.partMs);
    if ((part + 1) * this.partMs + this.originMs <= nowMs) part += 1;
    if (part <= this.latest) return;
    if (part - this.latest > PARTS) this.costs.fill(0);
    else for (let old = this.latest + 1; old <= part; old += 1) this.costs[placeOf(old)] = 0;
    this.latest = part;
    // Added up anew, so that what floating point loses does not add up, too.
    this.total = this.sum();
  }

  /** From the latest part back: what is left when old parts have gone is then one of the sums on the way, to the last bit. */
  private sum(): number {
    let sum = 0;
    for (let part = this.latest; part >= this.latest - PARTS; part -= 1)
      sum += this.costs[placeOf(part)] as number;
    return sum;
  }
}

function placeOf(part: number): number {
  const places = PARTS + 1;
  return ((part % places) + places) % places;
}
