import { BREAKERS } from './breakers.js';
import { CALLS } from './calls.js';
import { DOM } from './dom.js';
import { FORMAT } from './format.js';
import { HISTORY } from './history.js';
import { MAIN } from './main.js';
import { OPERATE } from './operate.js';
import { OPERATIONS } from './operations.js';
import { SHIELDS } from './shields.js';
import { WATERFALL } from './waterfall.js';

/** The script of the page: plain JavaScript with its types in comments, which a test checks. */
export const CLIENT_PARTS: readonly string[] = [
  DOM,
  FORMAT,
  BREAKERS,
  SHIELDS,
  OPERATIONS,
  CALLS,
  WATERFALL,
  OPERATE,
  HISTORY,
  MAIN,
];
