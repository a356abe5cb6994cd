import { describeOutages } from './redis-outages.js';

describeOutages('redis');
