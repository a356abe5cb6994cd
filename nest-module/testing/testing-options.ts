import { checkName, checkOptions, located, refuse } from '../../lib/container.js';

/** Options of `ResilienceTesting`. */
export interface ResilienceTestingOptions {
  /** Where the random source begins, which draws the jitter: a whole number. Default 1. */
  readonly seed?: number | undefined;
  /**
   * Whether decorated methods run as if they were not decorated, with one attempt and no policies: `true` for all of
   * them, or the names of the operations. They still have reports and events. Default false.
   */
  readonly passThrough?: boolean | readonly string[] | undefined;
}

/** The options with the defaults filled in; `named` are the operations that pass through, where not all do. */
export interface TestingSettings {
  readonly seed: number;
  readonly all: boolean;
  readonly named: readonly string[];
}

export function checkTestingOptions(options: ResilienceTestingOptions): TestingSettings {
  return located('ResilienceTesting', () => {
    checkOptions('options', options, ['seed', 'passThrough']);
    const { seed = 1, passThrough = false } = options;
    if (!Number.isSafeInteger(seed)) refuse('seed', seed, 'give a whole number');
    if (typeof passThrough === 'boolean') return { seed, all: passThrough, named: [] };
    if (!Array.isArray(passThrough))
      refuse('passThrough', passThrough, 'give true, false or a list of names of operations');
    const named = [...(passThrough as readonly string[])];
    named.forEach((name, index) => checkName(`passThrough[${index}]`, name));
    return { seed, all: false, named };
  });
}
