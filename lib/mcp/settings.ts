import { checkCount, checkOptions, checkTimeOptions, isRecord, refuse } from '../errors/check.js';
import { systemClock } from '../time/clock.js';
import { systemRandom } from '../time/random.js';
import type { ReliabilityMcpOptions } from './options.js';

const OPTIONS: readonly (keyof ReliabilityMcpOptions)[] = [
  'allowHosts',
  'allowPrivateAddresses',
  'readOnly',
  'allowControl',
  'secretHeaders',
  'secretParameters',
  'environment',
  'circuitBreakers',
  'shields',
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
  const { readOnly = false } = options;
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
    readOnly: checkSwitch('readOnly', readOnly),
    allowControl: checkSwitch('allowControl', allowControl),
    secretHeaders: options.secretHeaders ?? {},
    secretParameters: options.secretParameters ?? {},
    environment: options.environment ?? process.env,
    registry: options.circuitBreakers,
    shields: options.shields,
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
