import { describeOutages } from './redis-outages.js';

describeOutages('ioredis');
