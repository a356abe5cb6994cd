import type { Finder } from './warning.js';

/** A method that must not be done twice, is retried, and has nothing that would recognise the second time. */
export const unsafeRetries: Finder = ({ operations }) =>
  operations
    .filter(
      ({ plan: { idempotent, keyed, retry, timeouts } }) =>
        !idempotent && keyed === undefined && retry !== undefined && timeouts !== undefined,
    )
    .map(
      ({ name }) =>
        `${name} says idempotent: false and is retried: after a timeout it is not repeated, but after any other failure that retryOn lets pass it is, although the work may have been done; let retryOn name only failures that come before the work, or give the upstream an idempotency key`,
    );
