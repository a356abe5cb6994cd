import { TimeoutPolicy } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';

/** A timeout of ten seconds on a fake clock. */
export function tenSeconds() {
  const clock = new FakeClock();
  return { clock, timeout: new TimeoutPolicy(10, { clock }) };
}
