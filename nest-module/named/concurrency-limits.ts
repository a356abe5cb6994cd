import { readCount, readParts } from '../../lib/container.js';
import { ConcurrencyLimit, ConcurrencyLimitRegistry, type ConcurrencyLimitOptions } from '../../lib/index.js';
import { getConcurrencyLimitToken } from '../tokens.js';
import type { Kind } from './kind.js';
import type { ConcurrencyLimitConfiguration } from './registrations.js';

type Settings = ConcurrencyLimitConfiguration & { readonly name: string };

const READERS = {
  maxConcurrent: readCount,
  queue: (value: unknown) => readParts(value, { size: readCount }),
};

export const concurrencyLimits: Kind<ConcurrencyLimit, Settings> = {
  option: 'concurrencyLimits',
  single: 'concurrencyLimit',
  noun: 'concurrency limit',
  word: 'limit',
  className: 'ConcurrencyLimit',
  settings: Object.keys(READERS),
  ownObjects: [],
  leastSettings: ': { maxConcurrent: 10 }',
  registry: ConcurrencyLimitRegistry,
  token: getConcurrencyLimitToken,
  is: (value) => value instanceof ConcurrencyLimit,
  make(settings, host) {
    const options = readParts(settings, READERS) as ConcurrencyLimitOptions;
    if (host === undefined) return new ConcurrencyLimit(options);
    const { clock, shutdown } = host;
    return new ConcurrencyLimit({ ...options, clock }, { shutdown });
  },
  // All that there is to say of one is in its text.
  isSame: (one, other) => concurrencyLimits.print(one) === concurrencyLimits.print(other),
  print(settings) {
    const { maxConcurrent, queueSize, maxWaitSeconds } = concurrencyLimits.make(settings).snapshot();
    const wait = maxWaitSeconds === null ? '' : `, queue.maxWait ${maxWaitSeconds} s`;
    return `maxConcurrent ${maxConcurrent}, queue.size ${queueSize}${wait}`;
  },
};
