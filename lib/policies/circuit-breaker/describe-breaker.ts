import { msToSeconds } from '../../time/duration.js';
import type { CircuitBreakerSettings } from './circuit-breaker-options.js';

/** The settings of a breaker in one line, the same for the same settings. */
export function describeBreaker({
  rules,
  budget,
  recovery,
  probes,
  maxKeys,
  ignoreLocalStalls,
}: CircuitBreakerSettings): string {
  const { failureThreshold, rates, window } = rules;
  const { initialMs, maxMs, factor, jitter } = recovery;
  const s = (ms: number): string => `${msToSeconds(ms)} s`;
  const growth = maxMs > initialMs ? ` (× ${factor}, at most ${s(maxMs)})` : '';
  const rate = rates !== undefined && rates.failureRate !== Infinity;
  const slow = rates !== undefined && rates.slowCallRate !== Infinity;
  return [
    failureThreshold !== undefined && `failureThreshold ${failureThreshold}`,
    rate && `failureRate ${rates.failureRate}`,
    slow && `slowCallRate ${rates.slowCallRate} above ${s(rates.slowCallMs)}`,
    rates !== undefined && `window ${'calls' in window ? `${window.calls} calls` : s(window.ms)}`,
    rates !== undefined && `minimumCalls ${rates.minimumCalls}`,
    budget !== undefined && `budget ${budget.limit} per ${s(budget.perMs)}`,
    `recoveryTimeout ${s(initialMs)}${growth}`,
    jitter > 0 && `jitter ${jitter}`,
    probes.concurrent !== 1 && `concurrent probes ${probes.concurrent}`,
    probes.successes !== 1 && `successes ${probes.successes}`,
    probes.leaseMs !== undefined && `lease ${s(probes.leaseMs)}`,
    maxKeys !== 1_000 && `maxKeys ${maxKeys}`,
    ignoreLocalStalls && 'ignoreLocalStalls',
  ]
    .filter((part) => part !== false)
    .join(', ');
}
