// A test of retries and of a circuit breaker's recovery that takes no time. Run it with
// npm run build && npx tsc -p tsconfig.samples.json && node .build/samples/fake-clock.js
import assert from 'node:assert/strict';
import {
  asyncOperation,
  CircuitBreaker,
  CircuitBreakerOpenError,
  OperationExecutionError,
  RetryPolicy,
} from 'relprim';
import { FakeClock, seededRandom } from 'relprim/testing';

const clock = new FakeClock();
const breaker = new CircuitBreaker({ name: 'payments', failureThreshold: 3, recoveryTimeout: '30s', clock });

let asked = 0;
let isDown = true;
async function charge(): Promise<string> {
  asked += 1;
  if (isDown) throw new Error('payments are down');
  return 'receipt';
}

const operation = asyncOperation('charge', charge, { clock, random: seededRandom(1) })
  .withRetry(new RetryPolicy({ maxAttempts: 3 }))
  .withCircuitBreaker(breaker);

// Three tries with two waits between them, and the breaker has had enough.
const startMs = clock.monotonicMs();
await assert.rejects(clock.settle(operation.run()), OperationExecutionError);
assert.equal(asked, 3);
assert.equal(breaker.state, 'open');
console.log(`three tries took ${Math.round(clock.monotonicMs() - startMs)} ms of the fake clock`);

// While it is open nobody is asked.
const refused = await clock
  .settle(operation.run())
  .catch((error: unknown) => error as OperationExecutionError);
assert.ok(refused instanceof OperationExecutionError && refused.cause instanceof CircuitBreakerOpenError);
assert.equal(asked, 3);
console.log(refused.report.explain());

// Half a minute later one call may try again. Payments are back, so the breaker closes.
isDown = false;
await clock.advance('30s');
const { value, report } = await clock.settle(operation.run());
assert.equal(value, 'receipt');
assert.equal(report.retryCount, 0);
assert.equal(breaker.state, 'closed');
assert.equal(clock.pendingTimers, 0);
console.log('payments are back and the circuit breaker is closed');
