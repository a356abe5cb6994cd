import type { DecoratedMethod } from '../../../lib/container.js';
import type { Named } from '../../named/kind.js';
import type { ByKind } from '../../named/kinds.js';
import type { ResolvedOptions } from '../../resolved-options.js';
import type { DecoratedClass } from '../decorated-classes.js';
import type { FoundOperation } from '../found-operation.js';

/** What an application looks like when it starts. */
export interface Application {
  readonly operations: readonly FoundOperation[];
  readonly classes: readonly DecoratedClass[];
  /** Decorated static methods of its classes. */
  readonly statics: readonly DecoratedMethod[];
  readonly named: ByKind<readonly Named[]>;
  readonly options: ResolvedOptions;
}

/** Finds one kind of trouble; each text names its place first. */
export type Finder = (application: Application) => Iterable<string>;
