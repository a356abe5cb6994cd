import { describeBreaks } from './breaks.js';
import { THE_OTHERS } from './clients.js';

describeBreaks(THE_OTHERS);
