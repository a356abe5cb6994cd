import { ConcurrencyLimit, type ConcurrencyLimitOptions } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { deferred } from '../support/deferred.js';

export function limitOf(options: Partial<ConcurrencyLimitOptions> = {}) {
  const clock = new FakeClock();
  const limit = new ConcurrencyLimit({ name: 'pool', maxConcurrent: 1, clock, ...options });
  return { clock, limit };
}

/** A call that ends when the test says so; notes when its method began. */
export function begin(limit: ConcurrencyLimit, name: string, began: string[], signal?: AbortSignal) {
  const work = deferred<string>();
  const outcome: Promise<unknown> = limit
    .runWith({ signal }, () => {
      began.push(name);
      return work.promise;
    })
    .catch((error: unknown) => error);
  return { outcome, end: () => work.resolve(name), fail: (error: unknown) => work.reject(error) };
}

/** Lets everything run that can. */
export function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** What a promise is settled with that must be settled already. */
export function settledNow(promise: Promise<unknown>): Promise<unknown> {
  return Promise.race([promise, turn().then(() => 'not yet')]);
}
