import { Logger, type Provider } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import {
  createHandle,
  EXECUTOR_HANDLE,
  located,
  systemClock,
  systemRandom,
  type ExecutorHandle,
} from '../lib/container.js';
import {
  CircuitBreakerRegistry,
  EventEmitter,
  type CircuitBreaker,
  type Clock,
  type EventSink,
  type Random,
} from '../lib/index.js';
import { breakerProviders } from './breaker-providers.js';
import { isSinkClass } from './check-lists.js';
import { ResilienceExceptionFilter } from './filters/resilience-exception.filter.js';
import { NestHost } from './nest-host.js';
import type { EventSinkRegistration } from './options.js';
import { ResilienceExecutor } from './resilience-executor.js';
import { RESILIENCE_OPTIONS, type ResolvedOptions } from './resolved-options.js';
import { SharedBreakers } from './shared-breakers.js';
import { stateExports, stateProviders } from './state/state-providers.js';
import { StartUp } from './start-up/start-up.js';
import { NO_TESTING, RESILIENCE_TESTING, type TestingHooks } from './testing-hooks.js';
import {
  getCircuitBreakerToken,
  RESILIENCE_CLOCK,
  RESILIENCE_EVENTS,
  RESILIENCE_EXECUTOR,
  RESILIENCE_RANDOM,
} from './tokens.js';

/** Joins at start-up what must not depend on each other: decorated methods, the executor, event sinks, an options factory. */
const EXECUTOR_LINK = Symbol.for('relprim/executor-link');

/** What must be known of an application before anything is made. */
export interface ProviderOptions {
  readonly circuitBreakers: readonly string[];
  readonly eventSinks: readonly EventSinkRegistration[];
  readonly exceptionFilter: boolean;
}

/** Where time and chance come from, and what tests put in: a testing module has other ones. */
const REAL_GROUND: readonly Provider[] = [
  { provide: RESILIENCE_CLOCK, useValue: systemClock },
  { provide: RESILIENCE_RANDOM, useValue: systemRandom },
  { provide: RESILIENCE_TESTING, useValue: NO_TESTING },
];

/** Everything that an application gets from the module, each replaceable with `overrideProvider`. */
export function resilienceProviders(
  options: ProviderOptions,
  resolved: Provider<ResolvedOptions>[],
  ground = REAL_GROUND,
): Provider[] {
  const { circuitBreakers, eventSinks, exceptionFilter } = options;
  return [
    ...ground,
    ...resolved,
    SharedBreakers,
    StartUp,
    ...breakerProviders(circuitBreakers),
    registryProvider(circuitBreakers),
    ...eventSinks.filter(isSinkClass),
    emitterProvider(eventSinks),
    {
      provide: NestHost,
      inject: [RESILIENCE_CLOCK, RESILIENCE_RANDOM, RESILIENCE_TESTING],
      useFactory: (clock: Clock, random: Random, testing: TestingHooks) =>
        new NestHost(clock, random, testing),
    },
    {
      provide: RESILIENCE_EXECUTOR,
      inject: [NestHost],
      useFactory: (host: NestHost) => new ResilienceExecutor(host),
    },
    { provide: ResilienceExecutor, useExisting: RESILIENCE_EXECUTOR },
    // One for each application: never a value that two applications would share.
    { provide: EXECUTOR_HANDLE, useFactory: createHandle },
    {
      provide: EXECUTOR_LINK,
      inject: [
        EXECUTOR_HANDLE,
        RESILIENCE_EXECUTOR,
        NestHost,
        RESILIENCE_EVENTS,
        RESILIENCE_OPTIONS,
        CircuitBreakerRegistry,
      ],
      useFactory: (
        handle: ExecutorHandle,
        executor: ResilienceExecutor,
        host: NestHost,
        events: EventEmitter | undefined,
        { policies }: ResolvedOptions,
        registry: CircuitBreakerRegistry,
      ) => {
        host.join(registry, events);
        // A test may have put something simpler in the executor's place.
        if (executor instanceof ResilienceExecutor) executor.adopt(policies);
        return Object.assign(handle, { current: executor });
      },
    },
    ...stateProviders,
    ...(exceptionFilter ? [{ provide: APP_FILTER, useClass: ResilienceExceptionFilter }] : []),
  ];
}

/** What the module exports. */
export function resilienceExports({ circuitBreakers, eventSinks }: ProviderOptions) {
  return [
    RESILIENCE_CLOCK,
    RESILIENCE_RANDOM,
    RESILIENCE_EVENTS,
    RESILIENCE_EXECUTOR,
    RESILIENCE_OPTIONS,
    ResilienceExecutor,
    CircuitBreakerRegistry,
    SharedBreakers,
    EXECUTOR_HANDLE,
    ...stateExports,
    ...circuitBreakers.map(getCircuitBreakerToken),
    ...eventSinks.filter(isSinkClass),
  ];
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

function emitterProvider(eventSinks: readonly EventSinkRegistration[]): Provider {
  const classes = eventSinks.filter(isSinkClass);
  return {
    provide: RESILIENCE_EVENTS,
    inject: [RESILIENCE_CLOCK, RESILIENCE_OPTIONS, RESILIENCE_TESTING, ...classes],
    useFactory: (
      clock: Clock,
      { sinkErrors = 'isolate' }: ResolvedOptions,
      testing: TestingHooks,
      ...made: EventSink[]
    ) => {
      const own = eventSinks.map((sink) =>
        isSinkClass(sink) ? (made[classes.indexOf(sink)] as EventSink) : sink,
      );
      // A test is told whatever the application's own sinks do.
      const sinks = [...testing.sinks, ...own];
      if (sinks.length === 0) return undefined;
      const logger = new Logger('ResilienceModule');
      const warn = (message: string): void => logger.warn(message);
      return located(
        'ResilienceModule.eventSinks',
        () => new EventEmitter({ sinks, clock, sinkErrors, warn }),
      );
    },
  };
}
