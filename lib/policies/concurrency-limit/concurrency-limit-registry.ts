import { NamedRegistry } from '../../errors/named-registry.js';
import type { ConcurrencyLimit } from './concurrency-limit.js';

/** The named concurrency limits of one application. */
export class ConcurrencyLimitRegistry extends NamedRegistry<ConcurrencyLimit> {
  constructor() {
    super({ option: 'concurrencyLimit', list: 'concurrencyLimits', also: ', maxConcurrent: 10' });
  }
}
