import type { DecoratedMethod, MethodOptions, Plan } from '../../lib/container.js';
import type { DecoratedClass } from './decorated-classes.js';

/** An operation of the application, as it will run. */
export interface FoundOperation {
  readonly name: string;
  readonly method: DecoratedMethod;
  readonly decorated: DecoratedClass;
  readonly plan: Plan;
  /** All layers merged. */
  readonly options: () => MethodOptions;
}
