/** For container integrations: what `nest-module` needs beyond the public doors. No public door itself. */
export { checkFunction, checkOptions, refuse } from './errors/check.js';
export { ConfigurationError, located } from './errors/configuration-error.js';
export { nearest } from './errors/nearest.js';
export { checkPolicyOptions } from './operation/check-options.js';
export { tellListener, type OperationHost, type ReportListener } from './operation/host.js';
export type { PolicyOptions } from './operation/options.js';
export { NoOperationError } from './operation/result-of.js';
export { isClock, systemClock } from './time/clock.js';
export { systemRandom } from './time/random.js';
export type { DecoratedMethod } from './decorator/decorated-method.js';
export {
  bindHandle,
  boundHandle,
  createHandle,
  EXECUTOR_HANDLE,
  type ExecutorHandle,
} from './decorator/handle.js';
export { MethodExecutor, type ModuleDefaults } from './decorator/method-executor.js';
export { operationName } from './decorator/operation-name.js';
export { decoratedMethodOf, decoratedMethodsOf, onDecorated } from './decorator/registry.js';
