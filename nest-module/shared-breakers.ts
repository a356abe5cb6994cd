import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../lib/index.js';
import { CircuitBreaker, ConfigurationError } from '../lib/index.js';
import type { CircuitBreakerRegistration } from './options.js';
import { optionsOfBreaker } from './read-breakers.js';
import { RESILIENCE_CLOCK } from './tokens.js';

interface Shared {
  readonly registration: CircuitBreakerRegistration;
  readonly breaker: CircuitBreaker;
}

/** Makes the breakers of an application: one for each name, however many modules ask for it. */
@Injectable()
export class SharedBreakers {
  private readonly shared = new Map<string, Shared>();

  constructor(@Inject(RESILIENCE_CLOCK) private readonly clock: Clock) {}

  /** @throws {ConfigurationError} when somebody else gave this name other settings. */
  obtain(registration: CircuitBreakerRegistration): CircuitBreaker {
    const { name } = registration;
    const present = this.shared.get(name);
    if (present === undefined) {
      const breaker = this.make(registration);
      this.shared.set(name, { registration, breaker });
      return breaker;
    }
    if (isSame(present.registration, registration)) return present.breaker;
    throw new ConfigurationError({
      option: 'circuitBreakers',
      problem: `has '${name}' twice: ${print(present.registration)}, and ${print(registration)}`,
      cure: 'give the same settings in both places, or another name in one',
    });
  }

  registrations(): readonly CircuitBreakerRegistration[] {
    return [...this.shared.values()].map(({ registration }) => registration);
  }

  private make(registration: CircuitBreakerRegistration): CircuitBreaker {
    if (registration instanceof CircuitBreaker) return registration;
    return new CircuitBreaker({ ...optionsOfBreaker(registration), clock: this.clock });
  }
}

/** Settings are the same when they make the same breaker; of functions only one that is the same is known to be. */
function isSame(one: CircuitBreakerRegistration, other: CircuitBreakerRegistration): boolean {
  if (one instanceof CircuitBreaker || other instanceof CircuitBreaker) return one === other;
  const [left, right] = [
    new CircuitBreaker(optionsOfBreaker(one)),
    new CircuitBreaker(optionsOfBreaker(other)),
  ];
  return (
    left.failureThreshold === right.failureThreshold &&
    left.recoveryTimeoutSeconds === right.recoveryTimeoutSeconds &&
    isSameFilter(one.recordFailureOn, other.recordFailureOn)
  );
}

function isSameFilter(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return one === other;
  return one.length === other.length && one.every((errorClass, index) => errorClass === other[index]);
}

function print(registration: CircuitBreakerRegistration): string {
  if (registration instanceof CircuitBreaker) return 'a CircuitBreaker object of its own';
  const { failureThreshold, recoveryTimeoutSeconds } = new CircuitBreaker(optionsOfBreaker(registration));
  const filter = registration.recordFailureOn === undefined ? '' : ', recordFailureOn of its own';
  return `failureThreshold ${failureThreshold}, recoveryTimeout ${recoveryTimeoutSeconds} s${filter}`;
}
