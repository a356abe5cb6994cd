import type { Clock } from '../../lib/index.js';

/** An attempt whose method is replaced, as a scripted outcome sees it. To be read in the attempt's synchronous part. */
export interface ScriptedAttempt {
  readonly clock: Clock;
  /** Aborts when nobody waits for the attempt any more. */
  readonly signal: AbortSignal;
  /** The method itself, with the arguments of the call. */
  callThrough(): unknown;
}

/** What one attempt of an operation ends with in a test. Made by `succeed()`, `fail()`, `hang()`, `callThrough()`, `after()` and `always()`. */
export class Outcome {
  // Truly private, so that nothing else has the shape of an outcome.
  readonly #play: (attempt: ScriptedAttempt) => unknown;

  /** @internal */
  constructor(
    /** @internal What it is called in errors: no values, which may hold what no log should. */
    readonly text: string,
    play: (attempt: ScriptedAttempt) => unknown,
    /** @internal Whether all further attempts end with it. */
    readonly isEndless = false,
  ) {
    this.#play = play;
  }

  /** @internal */
  play(attempt: ScriptedAttempt): unknown {
    return this.#play(attempt);
  }
}
