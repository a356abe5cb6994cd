/** For container integrations: what `nest-module` needs beyond the public doors. No public door itself. */
export {
  checkCount,
  checkDurationOrZero,
  checkFunction,
  checkName,
  checkOptions,
  isRecord,
  refuse,
} from './errors/check.js';
export { located } from './errors/configuration-error.js';
export { isObject, statusOf } from './errors/http-failure.js';
export { nearest } from './errors/nearest.js';
export { readBudget, readParts, readProbes, readRecovery } from './operation/breaker-parts.js';
export {
  fromConfiguration,
  readCount,
  readNumber,
  readSwitch,
  type BackoffConfiguration,
  type Configured,
} from './operation/configuration.js';
export {
  printDescription,
  type LayerDescription,
  type OperationDescription,
  type OptionDescription,
} from './operation/describe.js';
export { EventTap } from './operation/event-tap.js';
export type { Instrument, OperationHost, ReportListener } from './operation/host.js';
export type { PolicyOptions } from './operation/options.js';
export type { Guards } from './operation/guards.js';
export type { Plan } from './operation/plan.js';
export type { AnyFunction } from './operation/settings.js';
export { Shutdown } from './operation/shutdown.js';
export { provideObservable } from './operation/observable-class.js';
export type { ValueOf } from './operation/observable-like.js';
export { NoOperationError } from './operation/result-error.js';
export { transitionEventType, transitionPayload } from './policies/circuit-breaker/transition-event.js';
export { retryAfterFromHeaders } from './policies/rate-limit/retry-after-from-headers.js';
export { errorType } from './report/execution-error.js';
export { seconds } from './report/explain.js';
export { systemClock } from './time/clock.js';
export { nextTurn } from './time/next-turn.js';
export { readErrorNames } from './shield/environment.js';
export { systemRandom } from './time/random.js';
export type { DecoratedMethod, MethodOptions } from './decorator/decorated-method.js';
export {
  bindHandle,
  boundHandle,
  createHandle,
  EXECUTOR_HANDLE,
  type ExecutorHandle,
} from './decorator/handle.js';
export { checkMethodOptions } from './decorator/check-method-options.js';
export type { ModuleDefaults, ModulePolicies } from './decorator/layers.js';
export { MethodExecutor } from './decorator/method-executor.js';
export { memberName, operationName } from './decorator/operation-name.js';
export { decoratedMethodOf, decoratedMethodsOf, decoratedOwners, onDecorated } from './decorator/registry.js';
