import { it } from '@jest/globals';
import { deferred } from '../support/deferred.js';
import { heldBytes } from '../operation/memory.js';
import { FakeClock } from '../../lib/testing/index.js';
import { InMemoryIdempotencyStore } from '../../lib/index.js';
import { keyed } from './support.js';
it('x', async () => {
  const gate = deferred<string>();
  const clock = new FakeClock();
  const store = new InMemoryIdempotencyStore();
  const patient = keyed(() => gate.promise, { store, scope: 's' }, {}, clock);
  const hasty = keyed(() => gate.promise, { store, scope: 's' }, { deadline: '10ms', onReport: undefined }, clock);
  const staying = patient.run('a');
  const round = async (n: number) => {
    for (let i = 0; i < n; i += 100) {
      const calls = Promise.allSettled(Array.from({ length: 100 }, () => hasty.run('a')));
      await clock.advance('10ms');
      await calls;
    }
    return heldBytes();
  };
  console.log(await round(1000), await round(10000), await round(10000));
  gate.resolve('value');
  await staying;
  console.log(await heldBytes());
}, 60000);
