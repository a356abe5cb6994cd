// Idempotency keys beside the same call without one. The text of the key is made in both.
import { idempotencyPolicy } from 'relprim';
import { operation } from './relprim.mjs';

const ownKey = (count) => `key ${count}`;
const WITHOUT = 'relprim: no key, a text made for each call';
const BESIDE = 'relprim: the same, in a process that uses keys';

const withKey = async (_key) => 1;

function counted(subject, keyOf = ownKey) {
  let count = 0;
  return { call: () => subject.run(keyOf((count += 1))) };
}

const keyed = (keyOf, options) =>
  counted(operation(withKey).withIdempotency(idempotencyPolicy((key) => key, options)), keyOf);

export default {
  [WITHOUT]: { make: () => counted(operation(withKey)) },
  [BESIDE]: {
    // Once a call with a key has run, Node 20 and 22 pay for the async context at each promise of the process.
    async make() {
      await keyed(ownKey).call();
      return counted(operation(withKey));
    },
    over: WITHOUT,
    changesProcess: true,
  },
  'relprim: with a key, executed': {
    make: () => keyed(ownKey),
    over: BESIDE,
    changesProcess: true,
    marks: { moreNs: 1_500 },
  },
  'relprim: the same, detectReentry: false': {
    make: () => keyed(ownKey, { detectReentry: false }),
    over: WITHOUT,
    marks: { moreNs: 1_500 },
  },
  'relprim: with a key, replayed': {
    make: () => keyed(() => 'one'),
    over: WITHOUT,
    changesProcess: true,
    marks: { moreNs: 1_000 },
  },
};
