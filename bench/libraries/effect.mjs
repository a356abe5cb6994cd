import { load } from './load.mjs';

const Effect = await load('effect/Effect');
const Schedule = await load('effect/Schedule');

export default {
  build(fn, { retries, atOnce, timeoutMs, fallback }) {
    let effect = Effect.tryPromise(() => fn());
    if (timeoutMs !== undefined) effect = Effect.timeout(effect, timeoutMs);
    if (retries !== undefined) {
      const schedule = atOnce ? {} : { schedule: Schedule.exponential(100) };
      effect = Effect.retry(effect, { times: retries, ...schedule });
    }
    if (fallback !== undefined) effect = Effect.catch(effect, () => Effect.promise(() => fallback()));
    return () => Effect.runPromise(effect);
  },
};
