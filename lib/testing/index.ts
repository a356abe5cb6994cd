export { FakeClock, type FakeClockOptions } from './fake-clock.js';
export { fakeResult } from './fake-result.js';
export { seededRandom } from '../time/random.js';
