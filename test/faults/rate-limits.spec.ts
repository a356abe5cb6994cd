import { OF_EACH_KIND } from './clients.js';
import { describeRateLimits } from './rate-limits.js';

describeRateLimits(OF_EACH_KIND);
