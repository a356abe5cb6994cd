// Everything that is measured by CPU and garbage per call. A subject: `make` its call in the process that measures it
// (nothing where it cannot be made), `over` which other one it is read, `marks` it is held to. `changesProcess`: it makes
// other promises of its process dearer too, the bare ones included.
import breakers from './breakers.mjs';
import failing from './failing.mjs';
import keys from './keys.mjs';
import policies from './policies.mjs';
import { comparisons } from './scenarios.mjs';
import sinks from './sinks.mjs';
import together from './together.mjs';

export const groups = { together, policies, sinks, failing, breakers, keys };
/** The first of a name counts: what is measured of relprim alone is not measured again to be compared. */
export const subjects = Object.assign({}, comparisons, ...Object.values(groups));
