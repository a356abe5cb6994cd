import { load } from './load.mjs';

const { BreakerError, BreakerState, Circuit, Retry, SlidingCountBreaker, Timeout } = await load('mollitia');

const BREAKERS = {
  closed: {},
  'never opens': { failureRateThreshold: 101 },
  open: { state: BreakerState.OPENED },
};

export default {
  build(func, { retries, atOnce, timeoutMs, breaker }) {
    const modules = [];
    if (retries !== undefined) modules.push(new Retry({ attempts: retries, interval: atOnce ? 0 : 100 }));
    if (breaker !== undefined)
      modules.push(new SlidingCountBreaker({ openStateDelay: 3_600_000, ...BREAKERS[breaker] }));
    if (timeoutMs !== undefined) modules.push(new Timeout({ delay: timeoutMs }));
    const circuit = new Circuit({ func, options: { modules } });
    return () => circuit.execute();
  },
  isRefusal: (error) => error instanceof BreakerError,
};
