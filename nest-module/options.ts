import type { InjectionToken, ModuleMetadata, OptionalFactoryDependency, Type } from '@nestjs/common';
import type {
  BackoffConfiguration,
  Configured,
  MethodOptions,
  ModuleDefaults,
  PolicyOptions,
} from '../lib/container.js';
import type {
  CircuitBreaker,
  ConcurrencyLimit,
  EventEmitterOptions,
  EventSink,
  Shield,
} from '../lib/index.js';
import type {
  CircuitBreakerConfiguration,
  CircuitBreakerRegistration,
  ConcurrencyLimitConfiguration,
  ConcurrencyLimitRegistration,
  ShieldConfiguration,
  ShieldRegistration,
} from './named/registrations.js';
import type { WarningCode } from './start-up/warning-codes.js';

/** A sink of the application: a class, which becomes an injectable singleton, or the sink itself. */
export type EventSinkRegistration = Type<EventSink> | EventSink;

/** Policies for many methods, said once: the options of a decorator, and from configuration their texts. */
export interface PolicyConfiguration extends Configured<PolicyOptions>, Pick<ModuleDefaults, 'throws'> {}

/** Switched off, as code or configuration says it. */
type Off = false | 'false';

/** What `operations` may say of one operation: data only, as it comes from configuration. `false` switches off. */
export interface OperationConfiguration {
  readonly use?: MethodOptions['use'];
  readonly retries?: number | string | undefined;
  readonly backoff?: BackoffConfiguration | undefined;
  readonly retry?: Off | undefined;
  readonly timeout?: number | string | false | undefined;
  readonly deadline?: number | string | false | undefined;
  readonly circuitBreaker?: string | false | undefined;
  readonly maxConcurrent?: number | string | undefined;
  readonly concurrencyLimit?: string | false | undefined;
  readonly fallback?: string | false | undefined;
  readonly fallbacks?: Off | undefined;
  readonly maxRateLimitWait?: number | string | undefined;
  readonly rateLimit?: Off | undefined;
  readonly idempotencyTtl?: number | string | undefined;
  readonly idempotency?: Off | undefined;
  readonly validate?: Off | undefined;
  readonly validation?: Off | undefined;
  readonly idempotent?: boolean | 'true' | 'false' | undefined;
  readonly throws?: MethodOptions['throws'];
}

/** What an application may say about its operations, from code or from configuration. */
export interface ResilienceSettings {
  /**
   * What a failing or slow sink may do to a call. `'isolate'` (default): nothing. `'propagate'`: sinks are awaited, and
   * an error of one reaches the caller.
   */
  readonly sinkErrors?: EventEmitterOptions['sinkErrors'];
  /** Policies laid under every decorator. */
  readonly defaults?: PolicyConfiguration | undefined;
  /** Policies that decorators use by name, `@Resilient('upstream')`; laid over `defaults`, under the decorator. */
  readonly policies?: Readonly<Record<string, PolicyConfiguration | undefined>> | undefined;
  /** Laid over the decorator of one operation, by its exact name: `{ 'PaymentsClient.charge': { retries: 5 } }`. */
  readonly operations?: Readonly<Record<string, OperationConfiguration | undefined>> | undefined;
  /** Finds who makes an HTTP request, for `@IdempotencyKey()`: keys of different callers never meet. */
  readonly idempotencyKeyScope?: ((request: any) => string) | undefined;
  /** Warnings at start-up that are known and wanted, by their codes. */
  readonly silenceWarnings?: readonly WarningCode[] | undefined;
}

/** What Nest must know before anything is made. */
interface StaticOptions {
  /** Who is told what happens. Default: nobody, at no cost. */
  readonly eventSinks?: readonly EventSinkRegistration[] | undefined;
  /** Modules that export what the classes in `eventSinks`, and an options factory, need. */
  readonly imports?: ModuleMetadata['imports'];
  /** Answers HTTP requests that end with an error of this library, as `ResilienceExceptionFilter` does. Default false. */
  readonly exceptionFilter?: boolean | undefined;
}

/**
 * Options of `ResilienceModule.forFeature()`: what methods share by name. The same name with the same settings elsewhere
 * is the same thing.
 */
export interface ResilienceFeatureOptions {
  /** Circuit breakers that methods use by name and classes inject with `@InjectCircuitBreaker(name)`. */
  readonly circuitBreakers?: readonly CircuitBreakerRegistration[] | undefined;
  /** Shields that methods use by name, `@Shielded('github')`, and classes inject with `@InjectShield(name)`. */
  readonly shields?: readonly ShieldRegistration[] | undefined;
  /** Concurrency limits that methods use by name and classes inject with `@InjectConcurrencyLimit(name)`. */
  readonly concurrencyLimits?: readonly ConcurrencyLimitRegistration[] | undefined;
}

/** Options of `ResilienceModule.forRoot()`. */
export interface ResilienceModuleOptions
  extends ResilienceSettings, StaticOptions, ResilienceFeatureOptions {}

/** What an options factory gives: settings that were not known when the code was written. */
export interface ResilienceConfiguration extends ResilienceSettings {
  /** The settings of exactly the circuit breakers that `forRootAsync` names. */
  readonly circuitBreakers?:
    Readonly<Record<string, CircuitBreaker | CircuitBreakerConfiguration>> | undefined;
  /** The settings of exactly the shields that `forRootAsync` names. */
  readonly shields?: Readonly<Record<string, Shield | ShieldConfiguration>> | undefined;
  /** The settings of exactly the concurrency limits that `forRootAsync` names. */
  readonly concurrencyLimits?:
    Readonly<Record<string, ConcurrencyLimit | ConcurrencyLimitConfiguration>> | undefined;
}

/** Makes the settings of an application, with whatever is injected into it. */
export interface ResilienceOptionsFactory {
  createResilienceOptions(): ResilienceConfiguration | Promise<ResilienceConfiguration>;
}

/** Options of `ResilienceModule.forRootAsync()`: names are known at once, their settings may come later. */
export interface ResilienceModuleAsyncOptions extends StaticOptions {
  /** The names of the circuit breakers that the factory gives settings for. */
  readonly circuitBreakers?: readonly string[] | undefined;
  /** The names of the shields that the factory gives settings for. */
  readonly shields?: readonly string[] | undefined;
  /** The names of the concurrency limits that the factory gives settings for. */
  readonly concurrencyLimits?: readonly string[] | undefined;
  /** What `useFactory` is called with. */
  readonly inject?: readonly (InjectionToken | OptionalFactoryDependency)[] | undefined;
  readonly useFactory?: (...args: any[]) => ResilienceConfiguration | Promise<ResilienceConfiguration>;
  /** A class that makes the settings; the module instantiates it. */
  readonly useClass?: Type<ResilienceOptionsFactory> | undefined;
  /** The token of a provider that makes the settings. */
  readonly useExisting?: InjectionToken<ResilienceOptionsFactory> | undefined;
}
