import { checkCount, checkOptions, checkTimeOptions, refuse, type TimeOptions } from '../errors/check.js';
import { isRecord } from '../errors/check.js';
import type { CircuitBreakerRegistry } from '../policies/circuit-breaker/circuit-breaker-registry.js';
import { systemClock } from '../time/clock.js';
import { systemRandom } from '../time/random.js';
import type { ExecutionHistory } from './history/execution-memory.js';
import type { SecretNames } from './http/secrets.js';

/** Options of {@link ReliabilityMcp}. */
export interface ReliabilityMcpOptions extends TimeOptions {
  /**
   * Hosts that may be called: `'api.example.com'`, `'*.example.com'`, `'127.0.0.1:8080'`, `'https://api.example.com'`.
   * Without a port it is the usual one of the protocol. Default: none, so no call is made.
   */
  readonly allowHosts?: readonly string[] | undefined;
  /** Whether a listed name may lead to a private address. Listed addresses and `localhost` always may. Default false. */
  readonly allowPrivateAddresses?: boolean | undefined;
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

const OPTIONS: readonly (keyof ReliabilityMcpOptions)[] = [
  'allowHosts',
  'allowPrivateAddresses',
  'allowControl',
  'secretHeaders',
  'secretParameters',
  'environment',
  'circuitBreakers',
  'history',
  'maxExecutions',
  'maxBreakers',
  'maxConcurrent',
  'maxResponseBytes',
  'clock',
  'random',
];

/** The same, checked, with the defaults. @throws {ConfigurationError} for what cannot work. */
export function checkMcpOptions(options: ReliabilityMcpOptions) {
  checkOptions('ReliabilityMcp', options, OPTIONS);
  checkTimeOptions(options);
  const { allowHosts = [], allowPrivateAddresses = false, allowControl = false, history } = options;
  const {
    maxExecutions = 500,
    maxBreakers = 100,
    maxConcurrent = 64,
    maxResponseBytes = 1_048_576,
  } = options;
  if (!Array.isArray(allowHosts)) refuse('allowHosts', allowHosts, 'give a list of hosts');
  if (history !== undefined && !(isRecord(history) && 'reports' in history && 'onReport' in history))
    refuse('history', history, 'give an object with onReport() and reports(), such as an SqliteEventStore');
  return {
    allowHosts: allowHosts as readonly unknown[],
    allowPrivateAddresses: checkSwitch('allowPrivateAddresses', allowPrivateAddresses),
    allowControl: checkSwitch('allowControl', allowControl),
    secretHeaders: options.secretHeaders ?? {},
    secretParameters: options.secretParameters ?? {},
    environment: options.environment ?? process.env,
    registry: options.circuitBreakers,
    history,
    maxExecutions: checkCount('maxExecutions', maxExecutions, 1),
    maxBreakers: checkCount('maxBreakers', maxBreakers, 1),
    maxConcurrent: checkCount('maxConcurrent', maxConcurrent, 1),
    maxResponseBytes: checkCount('maxResponseBytes', maxResponseBytes, 1),
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
  };
}

export type McpSettings = ReturnType<typeof checkMcpOptions>;

function checkSwitch(option: string, value: unknown): boolean {
  return typeof value === 'boolean' ? value : refuse(option, value, 'give true or false');
}
