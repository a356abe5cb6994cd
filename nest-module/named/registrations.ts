import type {
  BudgetOptions,
  CircuitBreaker,
  CircuitBreakerOptions,
  ConcurrencyLimit,
  Shield,
  ShieldConfig,
  ShieldProfileName,
  TimeoutErrors,
} from '../../lib/index.js';

/** Settings of a circuit breaker; from configuration, numbers may be digits and durations any text. */
export interface CircuitBreakerConfiguration extends Pick<CircuitBreakerOptions, 'recordFailureOn'> {
  readonly failureThreshold?: number | string | undefined;
  readonly failureRate?: number | string | undefined;
  readonly window?: number | string | undefined;
  readonly minimumCalls?: number | string | undefined;
  readonly slowCallSeconds?: number | string | undefined;
  readonly slowCallRate?: number | string | undefined;
  readonly budget?:
    | (Pick<BudgetOptions, 'cost'> & { readonly limit: number | string; readonly per: number | string })
    | undefined;
  readonly recoveryTimeout?: number | string | RecoveryConfiguration | undefined;
  readonly probes?:
    | {
        readonly concurrent?: number | string | undefined;
        readonly successes?: number | string | undefined;
        readonly lease?: number | string | undefined;
      }
    | undefined;
  readonly maxKeys?: number | string | undefined;
  readonly ignoreLocalStalls?: boolean | 'true' | 'false' | undefined;
}

/** A growing recovery time. */
export interface RecoveryConfiguration {
  readonly initial: number | string;
  readonly factor?: number | string | undefined;
  readonly max: number | string;
  readonly jitter?: number | string | undefined;
}

/** A circuit breaker of the application: its name and settings, or the breaker itself. */
export type CircuitBreakerRegistration =
  CircuitBreaker | (CircuitBreakerConfiguration & { readonly name: string });

/** Settings of a shield; from configuration, numbers may be digits and durations any text. */
export interface ShieldConfiguration extends Pick<
  ShieldConfig,
  'whenLimited' | 'cache' | 'cacheKey' | 'fallback'
> {
  /** Default: what the environment says, else `'api'`. */
  readonly profile?: ShieldProfileName | undefined;
  /** From configuration also the names and codes of errors as one text, between commas or as a JSON list. */
  readonly timeoutErrors?: TimeoutErrors | undefined;
  readonly maxRate?: number | string | undefined;
  readonly maxWait?: number | string | undefined;
  /**
   * Where `RELPRIM_SHIELD_<NAME>_…` and `RELPRIM_SHIELD_…` are read, for what is not said here: `true` for the
   * environment of the process, an object for another one, `false` for none. Default: the process's, where
   * `RELPRIM_ENV_LOAD` is 1, true, yes or on.
   */
  readonly env?: boolean | 'true' | 'false' | Readonly<Record<string, string | undefined>> | undefined;
}

/** A shield of the application: its name and settings, or the shield itself. */
export type ShieldRegistration = Shield | (ShieldConfiguration & { readonly name: string });

/** Settings of a concurrency limit; from configuration, numbers may be digits and durations any text. */
export interface ConcurrencyLimitConfiguration {
  readonly maxConcurrent: number | string;
  readonly queue?:
    | {
        readonly size?: number | string | undefined;
        readonly maxWait?: number | string | undefined;
      }
    | undefined;
}

/** A concurrency limit of the application: its name and settings, or the limit itself. */
export type ConcurrencyLimitRegistration =
  ConcurrencyLimit | (ConcurrencyLimitConfiguration & { readonly name: string });
