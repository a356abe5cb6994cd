import type { Provider } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import {
  CircuitBreakerRegistry,
  ConcurrencyLimitRegistry,
  ShieldRegistry,
  type Clock,
  type EventEmitter,
} from '../../lib/index.js';
import { CircuitBreakerHealthIndicator } from '../health/circuit-breaker-health-indicator.js';
import { NestHost } from '../nest-host.js';
import { ResilienceExecutor } from '../resilience-executor.js';
import { RESILIENCE_CLOCK, RESILIENCE_EVENTS, RESILIENCE_EXECUTOR } from '../tokens.js';
import { OperatorEvents } from './operator-events.js';
import { ResilienceState } from './resilience-state.js';

/** What shows and operates the circuit breakers of an application from outside. */
export const stateProviders: readonly Provider[] = [
  {
    provide: OperatorEvents,
    inject: [CircuitBreakerRegistry, RESILIENCE_EVENTS, NestHost],
    useFactory: (registry: CircuitBreakerRegistry, emitter: EventEmitter | undefined, host: NestHost) =>
      new OperatorEvents(
        registry,
        () => [emitter, host.streams.tap.emitter],
        (message) => host.warn(message),
      ),
  },
  {
    provide: ResilienceState,
    // Not the emitter: a sink may inject this. The host has it once the application has started.
    inject: [
      RESILIENCE_CLOCK,
      RESILIENCE_EXECUTOR,
      CircuitBreakerRegistry,
      ShieldRegistry,
      ConcurrencyLimitRegistry,
      NestHost,
      ModulesContainer,
    ],
    useFactory: (
      clock: Clock,
      given: ResilienceExecutor,
      registry: CircuitBreakerRegistry,
      shields: ShieldRegistry,
      concurrencyLimits: ConcurrencyLimitRegistry,
      host: NestHost,
      modules: ModulesContainer,
    ) => {
      // A test may have put something simpler in its place.
      const executor = given instanceof ResilienceExecutor ? given : new ResilienceExecutor(host);
      return new ResilienceState({ clock, executor, registry, shields, concurrencyLimits, host, modules });
    },
  },
  CircuitBreakerHealthIndicator,
];

export const stateExports = [ResilienceState, CircuitBreakerHealthIndicator];
