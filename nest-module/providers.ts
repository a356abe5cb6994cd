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
  ConcurrencyLimitRegistry,
  EventEmitter,
  ShieldRegistry,
  type Clock,
  type EventSink,
  type Random,
} from '../lib/index.js';
import { isSinkClass } from './check-lists.js';
import { ResilienceExceptionFilter } from './filters/resilience-exception.filter.js';
import { KINDS, type ByKind } from './named/kinds.js';
import { namedProviders, tokensOf } from './named/named-providers.js';
import { SharedThings } from './named/shared-things.js';
import { NestHost } from './nest-host.js';
import type { EventSinkRegistration } from './options.js';
import { ResilienceExecutor } from './resilience-executor.js';
import { RESILIENCE_OPTIONS, type ResolvedOptions } from './resolved-options.js';
import { stateExports, stateProviders } from './state/state-providers.js';
import { StartUp } from './start-up/start-up.js';
import { NO_TESTING, RESILIENCE_TESTING, type TestingHooks } from './testing-hooks.js';
import { RESILIENCE_CLOCK, RESILIENCE_EVENTS, RESILIENCE_EXECUTOR, RESILIENCE_RANDOM } from './tokens.js';

/** Joins at start-up what must not depend on each other: decorated methods, the executor, event sinks, an options factory. */
const EXECUTOR_LINK = Symbol.for('relprim/executor-link');

/** What must be known of an application before anything is made. */
export interface ProviderOptions {
  readonly names: ByKind<readonly string[]>;
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
  const { names, eventSinks, exceptionFilter } = options;
  return [
    ...ground,
    ...resolved,
    SharedThings,
    StartUp,
    ...namedProviders(names),
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
        ShieldRegistry,
        ConcurrencyLimitRegistry,
      ],
      useFactory: (
        handle: ExecutorHandle,
        executor: ResilienceExecutor,
        host: NestHost,
        events: EventEmitter | undefined,
        { policies }: ResolvedOptions,
        circuitBreakers: CircuitBreakerRegistry,
        shields: ShieldRegistry,
        concurrencyLimits: ConcurrencyLimitRegistry,
      ) => {
        host.join({ circuitBreakers, shields, concurrencyLimits }, events);
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
export function resilienceExports({ names, eventSinks }: ProviderOptions) {
  return [
    RESILIENCE_CLOCK,
    RESILIENCE_RANDOM,
    RESILIENCE_EVENTS,
    RESILIENCE_EXECUTOR,
    RESILIENCE_OPTIONS,
    ResilienceExecutor,
    ...KINDS.map(({ registry }) => registry),
    SharedThings,
    EXECUTOR_HANDLE,
    ...stateExports,
    ...tokensOf(names),
    ...eventSinks.filter(isSinkClass),
  ];
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
