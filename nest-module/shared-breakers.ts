import { Inject, Injectable } from '@nestjs/common';
import type { Clock, Random } from '../lib/index.js';
import { CircuitBreaker, ConfigurationError } from '../lib/index.js';
import type { CircuitBreakerRegistration } from './options.js';
import { optionsOfBreaker } from './read-breakers.js';
import { RESILIENCE_CLOCK, RESILIENCE_RANDOM } from './tokens.js';

interface Shared {
  readonly registration: CircuitBreakerRegistration;
  readonly breaker: CircuitBreaker;
}

/** Makes the breakers of an application: one for each name, however many modules ask for it. */
@Injectable()
export class SharedBreakers {
  private readonly shared = new Map<string, Shared>();

  constructor(
    @Inject(RESILIENCE_CLOCK) private readonly clock: Clock,
    @Inject(RESILIENCE_RANDOM) private readonly random: Random,
  ) {}

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
    const { clock, random } = this;
    return new CircuitBreaker({ ...optionsOfBreaker(registration), clock, random });
  }
}

/** Settings are the same when they make the same breaker; of functions only one that is the same is known to be. */
function isSame(one: CircuitBreakerRegistration, other: CircuitBreakerRegistration): boolean {
  if (one instanceof CircuitBreaker || other instanceof CircuitBreaker) return one === other;
  return (
    settingsOf(one) === settingsOf(other) &&
    isSameFilter(one.recordFailureOn, other.recordFailureOn) &&
    one.budget?.cost === other.budget?.cost
  );
}

function isSameFilter(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return one === other;
  return one.length === other.length && one.every((errorClass, index) => errorClass === other[index]);
}

function print(registration: CircuitBreakerRegistration): string {
  if (registration instanceof CircuitBreaker) return 'a CircuitBreaker object of its own';
  const filter = registration.recordFailureOn === undefined ? '' : ', recordFailureOn of its own';
  const cost = registration.budget?.cost === undefined ? '' : ', budget.cost of its own';
  return `${settingsOf(registration)}${cost}${filter}`;
}

function settingsOf(registration: Exclude<CircuitBreakerRegistration, CircuitBreaker>): string {
  return new CircuitBreaker(optionsOfBreaker(registration)).describe();
}
