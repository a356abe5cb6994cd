import { Logger, type Provider } from '@nestjs/common';
import {
  createHandle,
  EXECUTOR_HANDLE,
  located,
  systemClock,
  systemRandom,
  type ExecutorHandle,
} from '../lib/container.js';
import {
  CircuitBreaker,
  CircuitBreakerRegistry,
  EventEmitter,
  type Clock,
  type EventSink,
  type Random,
} from '../lib/index.js';
import { NestHost } from './nest-host.js';
import { isSinkClass, type CircuitBreakerRegistration, type ResilienceModuleOptions } from './options.js';
import { ResilienceExecutor } from './resilience-executor.js';
import {
  getCircuitBreakerToken,
  RESILIENCE_CLOCK,
  RESILIENCE_EVENTS,
  RESILIENCE_EXECUTOR,
  RESILIENCE_RANDOM,
} from './tokens.js';

/** Joins at start-up what must not depend on each other: decorated methods, the executor, event sinks. */
const EXECUTOR_LINK = Symbol.for('relprim/executor-link');

/** Everything that an application gets from the module, each replaceable with `overrideProvider`. */
export function resilienceProviders(options: ResilienceModuleOptions): Provider[] {
  const { circuitBreakers = [], eventSinks = [] } = options;
  return [
    { provide: RESILIENCE_CLOCK, useValue: systemClock },
    { provide: RESILIENCE_RANDOM, useValue: systemRandom },
    ...circuitBreakers.map(breakerProvider),
    registryProvider(circuitBreakers.map(({ name }) => name)),
    ...eventSinks.filter(isSinkClass),
    emitterProvider(options),
    {
      provide: NestHost,
      inject: [RESILIENCE_CLOCK, RESILIENCE_RANDOM, CircuitBreakerRegistry],
      useFactory: (clock: Clock, random: Random, registry: CircuitBreakerRegistry) =>
        new NestHost(clock, random, registry),
    },
    {
      provide: RESILIENCE_EXECUTOR,
      inject: [NestHost],
      useFactory: (host: NestHost) => new ResilienceExecutor(host, options.defaults),
    },
    { provide: ResilienceExecutor, useExisting: RESILIENCE_EXECUTOR },
    // One for each application: never a value that two applications would share.
    { provide: EXECUTOR_HANDLE, useFactory: createHandle },
    {
      provide: EXECUTOR_LINK,
      inject: [EXECUTOR_HANDLE, RESILIENCE_EXECUTOR, NestHost, RESILIENCE_EVENTS],
      useFactory: (
        handle: ExecutorHandle,
        executor: ResilienceExecutor,
        host: NestHost,
        events: EventEmitter | undefined,
      ) => {
        host.emitter = events;
        return Object.assign(handle, { current: executor });
      },
    },
  ];
}

function breakerProvider(registration: CircuitBreakerRegistration): Provider {
  return {
    provide: getCircuitBreakerToken(registration.name),
    inject: [RESILIENCE_CLOCK],
    useFactory: (clock: Clock) =>
      registration instanceof CircuitBreaker ? registration : new CircuitBreaker({ ...registration, clock }),
  };
}

function registryProvider(names: readonly string[]): Provider {
  return {
    provide: CircuitBreakerRegistry,
    inject: names.map(getCircuitBreakerToken),
    useFactory: (...breakers: CircuitBreaker[]) => {
      const registry = new CircuitBreakerRegistry();
      breakers.forEach((breaker, index) => registry.register(breaker, names[index]));
      return registry;
    },
  };
}

function emitterProvider({ eventSinks = [], sinkErrors = 'isolate' }: ResilienceModuleOptions): Provider {
  const classes = eventSinks.filter(isSinkClass);
  return {
    provide: RESILIENCE_EVENTS,
    inject: [RESILIENCE_CLOCK, ...classes],
    useFactory: (clock: Clock, ...made: EventSink[]) => {
      if (eventSinks.length === 0) return undefined;
      const logger = new Logger('ResilienceModule');
      const sinks = eventSinks.map((sink) =>
        isSinkClass(sink) ? (made[classes.indexOf(sink)] as EventSink) : sink,
      );
      const warn = (message: string): void => logger.warn(message);
      return located(
        'ResilienceModule.eventSinks',
        () => new EventEmitter({ sinks, clock, sinkErrors, warn }),
      );
    },
  };
}
