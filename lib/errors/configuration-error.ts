import { brandError } from './brand.js';

/** What a {@link ConfigurationError} is made of. */
export interface ConfigurationProblem {
  /** The option that is wrong, as it is spelled in the code. */
  readonly option: string;
  /** What is wrong with it, as the rest of a sentence: `is NaN`. */
  readonly problem: string;
  /** What to write instead. */
  readonly cure: string;
  /** Where the option stands: `PaymentsClient.charge`. */
  readonly path?: string | undefined;
}

/**
 * Options that cannot work. Thrown while policies, operations or applications are built, not in the middle of a call;
 * a method outside a container is built at its first call, which then rejects with it.
 */
export class ConfigurationError extends TypeError {
  declare readonly code: string;
  readonly option: string;
  readonly problem: string;
  readonly cure: string;
  readonly path: string | undefined;

  constructor({ option, problem, cure, path }: ConfigurationProblem) {
    super(`${path === undefined ? '' : `${path}: `}${option} ${problem}; ${cure}`);
    this.option = option;
    this.problem = problem;
    this.cure = cure;
    this.path = path;
  }
}
brandError(ConfigurationError, 'ConfigurationError', 'RELPRIM_CONFIGURATION');

/** Runs `build` and says of every mistake in it where it stands, unless a deeper place said so already. */
export function located<T>(path: string, build: () => T): T {
  try {
    return build();
  } catch (error) {
    if (!(error instanceof ConfigurationError) || error.path !== undefined) throw error;
    throw new ConfigurationError({ option: error.option, problem: error.problem, cure: error.cure, path });
  }
}
