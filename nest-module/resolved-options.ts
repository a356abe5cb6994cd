import type { ModulePolicies } from '../lib/container.js';
import type { EventEmitterOptions } from '../lib/index.js';
import type { Registrations } from './named/kinds.js';
import type { WarningCode } from './start-up/warning-codes.js';

/** What an application has said, checked, from whichever of the ways to say it. */
export interface ResolvedOptions {
  readonly named: Registrations;
  readonly sinkErrors: EventEmitterOptions['sinkErrors'];
  readonly policies: ModulePolicies;
  readonly silenced: ReadonlySet<WarningCode>;
  readonly idempotencyKeyScope: ((request: any) => string) | undefined;
}

/** The token of the {@link ResolvedOptions}. A text, because Nest 12 cannot print a symbol where it tells of a cycle. */
export const RESILIENCE_OPTIONS = 'relprim/options';
