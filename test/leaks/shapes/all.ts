import { abortedCalls } from './aborted-calls.js';
import { failingCalls } from './failing-calls.js';
import { goodCalls } from './good-calls.js';
import { keyedCalls } from './keyed-calls.js';
import { nestCalls } from './nest-calls.js';
import { refusedCalls } from './refused-calls.js';
import type { Shape } from './shape.js';
import { timedCalls } from './timed-calls.js';
import { toldCalls } from './told-calls.js';
import { waitingCalls } from './waiting-calls.js';

/** Every way a call can go; in two groups, as one process is one core. */
export const GROUPS = {
  first: [...goodCalls, ...failingCalls, ...timedCalls, ...abortedCalls],
  second: [...refusedCalls, ...waitingCalls, ...keyedCalls, ...toldCalls, ...nestCalls],
} satisfies Record<string, readonly Shape[]>;
