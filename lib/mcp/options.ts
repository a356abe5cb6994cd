import type { TimeOptions } from '../errors/check.js';
import type { CircuitBreakerRegistry } from '../policies/circuit-breaker/circuit-breaker-registry.js';
import type { ShieldRegistry } from '../shield/shield-registry.js';
import type { ExecutionHistory } from './history/execution-history.js';
import type { SecretNames } from './http/secret-names.js';

/** Options of {@link ReliabilityMcp}. */
export interface ReliabilityMcpOptions extends TimeOptions {
  /**
   * Hosts that may be called: `'api.example.com'`, `'*.example.com'`, `'127.0.0.1:8080'`, `'https://api.example.com'`.
   * Without a port it is the usual one of the protocol. Default: none, so no call is made.
   */
  readonly allowHosts?: readonly string[] | undefined;
  /** Whether a listed name may lead to a private address. Listed addresses and `localhost` always may. Default false. */
  readonly allowPrivateAddresses?: boolean | undefined;
  /** Whether agents only look: no tool that makes breakers or calls anything. Default false. */
  readonly readOnly?: boolean | undefined;
  /** Whether there are the tools `reset_breaker` and `force_breaker`. Default false. */
  readonly allowControl?: boolean | undefined;
  /** By host and by header, the environment variable whose value is sent: `{ 'api.example.com': { authorization: 'API_AUTH' } }`. */
  readonly secretHeaders?: SecretNames | undefined;
  /** The same for parameters of the URL. */
  readonly secretParameters?: SecretNames | undefined;
  /** Where secrets are read. Default: the environment of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** Breakers of an application, which agents then see and use, beside those that they make. Default: none. */
  readonly circuitBreakers?: CircuitBreakerRegistry | undefined;
  /** Shields of an application, which agents then see: there is a tool `list_shields`. Default: none. */
  readonly shields?: ShieldRegistry | undefined;
  /** Where reports are kept, such as an `SqliteEventStore`. Default: the latest ones in memory. */
  readonly history?: ExecutionHistory | undefined;
  /** How many reports are kept in memory. Default 500. */
  readonly maxExecutions?: number | undefined;
  /** The most breakers. Default 100. */
  readonly maxBreakers?: number | undefined;
  /** How many attempts run at once; others wait in line. Default 64. */
  readonly maxConcurrent?: number | undefined;
  /** How much of a body is read; then the connection is closed. Default 1 MiB. */
  readonly maxResponseBytes?: number | undefined;
}
