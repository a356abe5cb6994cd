import type { NestHost } from '../../nest-host.js';
import { WARNING_CODES, type WarningCode } from '../warning-codes.js';
import { duplicateOperationNames } from './duplicate-operation-name.js';
import { durationsInMilliseconds } from './duration-in-milliseconds.js';
import { fallbacksThatNeverRun } from './fallback-never-runs.js';
import { methodsOutOfReach } from './out-of-reach.js';
import { retriesInsideRetries } from './retries-inside-retries.js';
import { retriesWithoutRetryOn } from './retries-without-retry-on.js';
import { shieldsNotShared } from './shield-not-shared.js';
import { unsafeRetries } from './unsafe-retry.js';
import { waitsBeyondDeadline } from './waits-beyond-deadline.js';
import type { Application, Finder } from './warning.js';

const FINDERS: Readonly<Record<WarningCode, Finder>> = {
  'retries-without-retry-on': retriesWithoutRetryOn,
  'duration-in-milliseconds': durationsInMilliseconds,
  'retries-inside-retries': retriesInsideRetries,
  'fallback-never-runs': fallbacksThatNeverRun,
  'waits-beyond-deadline': waitsBeyondDeadline,
  'unsafe-retry': unsafeRetries,
  'duplicate-operation-name': duplicateOperationNames,
  'out-of-reach': methodsOutOfReach,
  'shield-not-shared': shieldsNotShared,
};

/** Says what is legal and harmful, once, when the application starts. */
export function warnAll(application: Application, host: NestHost): void {
  for (const code of WARNING_CODES) {
    if (application.options.silenced.has(code)) continue;
    // One operation may be found through several classes.
    for (const text of new Set(FINDERS[code](application)))
      host.warn(`${text} [${code}: docs/warnings/${code}.md]`);
  }
}
