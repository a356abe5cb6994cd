import { ExponentialBackoff } from 'relprim';
import { seededRandom } from 'relprim/testing';

/** Short waits, so that the outage is over soon; the same ones in every run. An application leaves `random` out. */
export const shortBackoff = new ExponentialBackoff({
  baseDelay: '60ms',
  maxDelay: '300ms',
  jitter: 'equal',
  random: seededRandom(1),
});
