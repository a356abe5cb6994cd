import type { Finder } from './warning.js';

/** A retry that nobody told what is worth it repeats programming errors and refused payments as well. */
export const retriesWithoutRetryOn: Finder = ({ operations }) =>
  operations
    .filter(({ plan }) => plan.retry?.retriesEverything === true)
    .map(
      ({ name }) =>
        `${name} retries every failure, its own programming errors too; say which are worth it: retryOn: isRetryableHttp, or a list of error classes`,
    );
