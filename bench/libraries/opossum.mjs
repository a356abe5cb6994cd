import { load } from './load.mjs';

const { default: CircuitBreaker } = await load('opossum');

export default {
  build(fn, { timeoutMs = false, breaker, fallback }) {
    const neverOpens = breaker === 'never opens' || breaker === undefined;
    const options = neverOpens ? { volumeThreshold: 1e9 } : { volumeThreshold: 1 };
    const circuit = new CircuitBreaker(fn, { timeout: timeoutMs, resetTimeout: 3_600_000, ...options });
    if (fallback !== undefined) circuit.fallback(fallback);
    return () => circuit.fire();
  },
  isRefusal: (error) => CircuitBreaker.isOurError(error) && error.code === 'EOPENBREAKER',
};
