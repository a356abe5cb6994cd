import { checkOptions } from '../errors/check.js';
import { readCount, readNumber } from '../operation/configuration.js';
import { ConcurrencyLimit } from '../policies/concurrency-limit/concurrency-limit.js';
import { readErrorNames } from '../shield/environment.js';
import { PROFILES, type ShieldProfileName } from '../shield/profiles.js';
import { checkConfig, checkProfile, type ShieldConfig } from '../shield/shield-options.js';
import { Obeys } from './obeys.js';

/** The data of a shield, to be nested in an application's own configuration class. */
export class ShieldConfiguration {
  @Obeys((value) => void checkProfile(value))
  profile?: ShieldProfileName | undefined;

  /** Names or codes of errors: a list, or a text with commas. */
  @Obeys((value) =>
    checkShield({
      timeoutErrors:
        typeof value === 'string'
          ? readErrorNames('timeoutErrors', value)
          : (value as ShieldConfig['timeoutErrors']),
    }),
  )
  timeoutErrors?: string | readonly string[] | undefined;

  @Obeys((value) => checkShield({ maxRate: readNumber(value) as number }))
  maxRate?: number | string | undefined;

  @Obeys((value) => checkShield({ maxWait: value as number }))
  maxWait?: number | string | undefined;

  @Obeys((value) => checkShield({ whenLimited: value as 'wait' }))
  whenLimited?: 'wait' | 'reject' | undefined;
}

/** The data of a queue in front of a concurrency limit. */
export interface ConcurrencyQueueConfiguration {
  readonly size?: number | string | undefined;
  readonly maxWait?: number | string | undefined;
}

/** The data of a concurrency limit, to be nested in an application's own configuration class. */
export class ConcurrencyLimitConfiguration {
  @Obeys((value) => void new ConcurrencyLimit({ maxConcurrent: readCount(value) as number }))
  maxConcurrent?: number | string | undefined;

  @Obeys(checkQueue)
  queue?: ConcurrencyQueueConfiguration | undefined;
}

/** Of all profiles this one allows the lowest rate; that of another one is asked when the shield is made. */
function checkShield(config: ShieldConfig): void {
  checkConfig(config, PROFILES.slow);
}

function checkQueue(value: unknown): void {
  checkOptions('queue', value, ['size', 'maxWait']);
  const { size, maxWait } = value as ConcurrencyQueueConfiguration;
  new ConcurrencyLimit({
    maxConcurrent: 1,
    queue: { size: readCount(size) as number, maxWait: maxWait as number },
  });
}
