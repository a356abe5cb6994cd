export type { Outcome } from './outcome.js';
export { after, always, callThrough, fail, hang, succeed } from './outcomes.js';
export { ResilienceTesting } from './resilience-testing.js';
export { ResilienceTestingModule, type ResilienceTestingModuleOptions } from './resilience-testing.module.js';
export type { ResilienceTestingOptions } from './testing-options.js';
