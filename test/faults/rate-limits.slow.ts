import { THE_OTHERS } from './clients.js';
import { describeRateLimits } from './rate-limits.js';

describeRateLimits(THE_OTHERS);
