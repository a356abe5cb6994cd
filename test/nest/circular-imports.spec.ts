import { expect, it } from '@jest/globals';
import { CircuitBreakerRegistry } from '../../lib/index.js';
import { Left } from './circular-imports/left.js';
import { Right } from './circular-imports/right.js';
import { calls, start, watch } from './support.js';

// B156
it('options that are functions may name a class of a circular import: they are asked when a call needs them', async () => {
  const circuitBreakers = [{ name: 'left' }, { name: 'right' }];
  const app = watch(await start({ providers: [Left, Right] }, { circuitBreakers }));
  expect([app.get(Left).other, app.get(Right).other]).toEqual([app.get(Right), app.get(Left)]);
  expect([await app.get(Left).call(), await app.get(Right).call()]).toEqual(["right's", "left's"]);
  expect(calls()).toEqual(['APP Left.call', 'APP Right.call']);
  const registry = app.get(CircuitBreakerRegistry);
  // Two tries of the left one went through the right one's breaker.
  expect(['left', 'right'].map((name) => registry.get(name).snapshot().failureCount)).toEqual([1, 2]);
});
