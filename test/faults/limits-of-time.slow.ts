import { THE_OTHERS } from './clients.js';
import { describeLimits } from './limits-of-time.js';

describeLimits(THE_OTHERS);
