import { ConfigurationError, MisuseError } from '../../lib/index.js';
import type { Outcome } from './outcome.js';
import { checkOutcome } from './outcomes.js';

/** What the attempts of one operation end with, one after the other. */
interface Script {
  readonly outcomes: readonly Outcome[];
  readonly isEndless: boolean;
  /** How many attempts have asked for one. */
  asked: number;
}

/** The scripts of an application's operations. */
export class Scripts {
  private readonly scripts = new Map<string, Script>();

  /** @throws {ConfigurationError} for something that is no outcome, or can never be reached. */
  set(operationName: string, outcomes: readonly Outcome[]): void {
    outcomes.forEach((outcome, index) => checkOutcome(`outcomes[${index}]`, outcome));
    outcomes.slice(0, -1).forEach(checkReached);
    const isEndless = outcomes.at(-1)?.isEndless === true;
    if (outcomes.length === 0) this.scripts.delete(operationName);
    else this.scripts.set(operationName, { outcomes: [...outcomes], isEndless, asked: 0 });
  }

  /** The outcome of the next attempt; `undefined` without a script. @throws {MisuseError} when the script is used up. */
  take(operationName: string): Outcome | undefined {
    const script = this.scripts.get(operationName);
    if (script === undefined) return undefined;
    const { outcomes, isEndless } = script;
    const outcome = outcomes[script.asked] ?? (isEndless ? outcomes.at(-1) : undefined);
    script.asked += 1;
    if (outcome !== undefined) return outcome;
    throw new MisuseError(
      `${operationName} is scripted, and this is attempt ${script.asked} where ${outcomes.length} were expected; ` +
        'script more outcomes, or end with always(…): always(callThrough()) calls the method itself',
    );
  }

  names(): readonly string[] {
    return [...this.scripts.keys()];
  }

  /** What no attempt has taken, in words. */
  unused(): readonly string[] {
    return [...this.scripts].flatMap(([name, { outcomes, asked }]) =>
      outcomes.slice(asked).map((outcome) => `${name}: ${outcome.text}`),
    );
  }

  /** How many attempts found nothing left, by operation. */
  overruns(): readonly (readonly [operationName: string, attempts: number])[] {
    return [...this.scripts]
      .map(
        ([name, { outcomes, isEndless, asked }]) => [name, isEndless ? 0 : asked - outcomes.length] as const,
      )
      .filter(([, attempts]) => attempts > 0);
  }

  clear(): void {
    this.scripts.clear();
  }
}

/** Something comes after this outcome. */
function checkReached({ isEndless, text }: Outcome, index: number): void {
  if (!isEndless) return;
  throw new ConfigurationError({
    option: `outcomes[${index + 1}]`,
    problem: `comes after ${text}, which never ends`,
    cure: 'put always() last',
  });
}
