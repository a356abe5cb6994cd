import {
  readBudget,
  readCount,
  readNumber,
  readParts,
  readProbes,
  readRecovery,
  readSwitch,
} from '../../lib/container.js';
import { CircuitBreaker, CircuitBreakerRegistry, type CircuitBreakerOptions } from '../../lib/index.js';
import { getCircuitBreakerToken } from '../tokens.js';
import type { Kind } from './kind.js';
import { isSameList } from './is-same-list.js';
import type { CircuitBreakerConfiguration } from './registrations.js';

type Settings = CircuitBreakerConfiguration & { readonly name: string };

/** How the text of each setting is read that may be one; durations stay as they are. */
const READERS = {
  failureThreshold: readCount,
  failureRate: readNumber,
  window: readCount,
  minimumCalls: readCount,
  slowCallRate: readNumber,
  budget: readBudget,
  recoveryTimeout: readRecovery,
  probes: readProbes,
  maxKeys: readCount,
  ignoreLocalStalls: readSwitch,
};

const SETTINGS = [
  'failureThreshold',
  'failureRate',
  'window',
  'minimumCalls',
  'slowCallSeconds',
  'slowCallRate',
  'budget',
  'recoveryTimeout',
  'probes',
  'maxKeys',
  'recordFailureOn',
  'ignoreLocalStalls',
];

export const circuitBreakers: Kind<CircuitBreaker, Settings> = {
  option: 'circuitBreakers',
  single: 'circuitBreaker',
  noun: 'circuit breaker',
  word: 'breaker',
  className: 'CircuitBreaker',
  settings: SETTINGS,
  ownObjects: [],
  leastSettings: ', {} for the defaults',
  registry: CircuitBreakerRegistry,
  token: getCircuitBreakerToken,
  is: (value) => value instanceof CircuitBreaker,
  make(settings, host) {
    const options = readParts(settings, READERS) as CircuitBreakerOptions;
    return new CircuitBreaker(
      host === undefined ? options : { ...options, clock: host.clock, random: host.random },
    );
  },
  isSame: (one, other) =>
    describeSettings(one) === describeSettings(other) &&
    isSameList(one.recordFailureOn, other.recordFailureOn) &&
    one.budget?.cost === other.budget?.cost,
  print(settings) {
    const filter = settings.recordFailureOn === undefined ? '' : ', recordFailureOn of its own';
    const cost = settings.budget?.cost === undefined ? '' : ', budget.cost of its own';
    return `${describeSettings(settings)}${cost}${filter}`;
  },
};

function describeSettings(settings: Settings): string {
  return circuitBreakers.make(settings).describe();
}
