import { ConfigurationError } from '../../lib/index.js';

/** What `build` refuses; an error when it refuses nothing. */
export function mistakeOf(build: () => unknown): ConfigurationError {
  try {
    build();
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
