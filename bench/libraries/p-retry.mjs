import { load } from './load.mjs';

const { default: pRetry } = await load('p-retry');
const { default: pTimeout } = await load('p-timeout');

export default {
  build(fn, { retries, atOnce, timeoutMs }) {
    const limit = { milliseconds: timeoutMs };
    const attempt = timeoutMs === undefined ? fn : () => pTimeout(fn(), limit);
    if (retries === undefined) return attempt;
    const options = atOnce ? { retries, minTimeout: 0, maxTimeout: 0 } : { retries };
    return () => pRetry(attempt, options);
  },
};
