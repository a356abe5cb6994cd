// What is measured: the same work, an async function that resolves at once, under different policies and libraries.
import {
  circuitBreaker,
  ConsecutiveBreaker,
  ExponentialBackoff as CockatielBackoff,
  handleAll,
  retry,
  timeout,
  TimeoutStrategy,
  wrap,
} from 'cockatiel';
import CircuitBreakerOpossum from 'opossum';
import {
  asyncOperation,
  CircuitBreaker,
  ConcurrencyLimit,
  currentAttempt,
  EventEmitter,
  fallbackChain,
  idempotencyPolicy,
  NoopEventSink,
  Resilient,
  RetryPolicy,
  Shield,
  TimeoutPolicy,
  validationPolicy,
  validator,
} from 'relprim';
import { sqliteStore } from './sqlite-store.mjs';
import { metricsOfNobody, metricsOfSdk, spansOfSdk } from './telemetry.mjs';

const work = async () => 1;
const failing = async () => {
  throw failure;
};
const failure = new Error('down');

const operation = (name, fn = work) => asyncOperation(name, fn);
const three = (name, fn) =>
  operation(name, fn)
    .withRetry(new RetryPolicy())
    .withTimeout(new TimeoutPolicy(10))
    .withCircuitBreaker(new CircuitBreaker({ name }));

function openBreaker() {
  const breaker = new CircuitBreaker({ name: 'open', failureThreshold: 1, recoveryTimeout: '1h' });
  breaker.recordFailure(breaker.admit(breaker.clock));
  return breaker;
}

/** A decorated method, written without decorator syntax so that the bench needs no compiler. */
function decorated(options) {
  class Client {
    async call() {
      return 1;
    }
  }
  const descriptor = Object.getOwnPropertyDescriptor(Client.prototype, 'call');
  Resilient(options)(Client.prototype, 'call', descriptor);
  Object.defineProperty(Client.prototype, 'call', descriptor);
  const client = new Client();
  return () => client.call();
}

const run = (subject) => () => subject.run();
const shielded = (shield) => () => shield.run(work);
const RETRY_AND_TIMEOUT = 'relprim: retry + timeout';
/** Failures are part of the measured work where they are the point. */
const settled = (call) => () => call().then(undefined, () => undefined);

function cockatielThree() {
  const policy = wrap(
    retry(handleAll, { maxAttempts: 2, backoff: new CockatielBackoff() }),
    circuitBreaker(handleAll, { halfOpenAfter: 30_000, breaker: new ConsecutiveBreaker(5) }),
    timeout(10_000, TimeoutStrategy.Aggressive),
  );
  return () => policy.execute(work);
}

function opossumTwo(fn = work, options = {}) {
  const breaker = new CircuitBreakerOpossum(fn, { timeout: 10_000, ...options });
  return { fire: () => breaker.fire(), breaker };
}

function opossumOpen() {
  const { fire, breaker } = opossumTwo();
  breaker.open();
  return fire;
}

const ofCalls = { failureRate: 1, window: 100_000, minimumCalls: 100_000 };
const ofTime = { failureRate: 1, window: '60s', minimumCalls: 1e9 };
const IN_A_ROW = 'relprim: breaker, failures in a row';
const FAILING = 'relprim: breaker in a row, a call that fails';

/** A breaker alone, that never opens. */
function guarded(options = {}, fn = work) {
  const breaker = new CircuitBreaker({ name: 'guarded', ...options });
  return operation('guarded', fn).withCircuitBreaker(breaker);
}

function cockatielFailing() {
  const policy = circuitBreaker(handleAll, { halfOpenAfter: 30_000, breaker: new ConsecutiveBreaker(1e9) });
  return () => policy.execute(failing);
}

/** Each call has a key of its own, so that all are executed, or all have one. */
function keyed(keyOf, options) {
  const op = operation('keyed', async (_key) => 1).withIdempotency(idempotencyPolicy((key) => key, options));
  let count = 0;
  return () => op.run(keyOf((count += 1)));
}
/** The same without idempotency: making a text for each call is no part of what keys cost. */
function unkeyed(keyOf) {
  const op = operation('unkeyed', async (_key) => 1);
  let count = 0;
  return () => op.run(keyOf((count += 1)));
}
const UNKEYED = 'relprim: no policy, a text made for each call';
/** Once a call with a key has run, Node 20 and 22 pay for the async context at each promise of the process. */
function besideKeys(call) {
  let first = keyed(ownKey);
  return () => {
    if (first === undefined) return call();
    const run = first;
    first = undefined;
    return run();
  };
}
const BESIDE_KEYS = 'relprim: the same, in a process that uses keys';
const ownKey = (count) => `key ${count}`;

export const BARE = 'await the bare method';
const THREE = 'relprim: retry + timeout + breaker';

/** Seen by what takes the place of an event sink. */
const watched = (sink) => run(three('watched').withEvents(new EventEmitter({ sinks: [sink] })));

/** Nothing where this Node has no driver. */
function withSqliteStore() {
  const sqlite = sqliteStore();
  if (sqlite === undefined) return {};
  const { store, ...between } = sqlite;
  const call = run(three('stored').withEvents(new EventEmitter({ sinks: [store] })));
  return {
    'relprim: the same + events to an SQLite store': { call, ...between, over: THREE, moreNs: 2_000 },
  };
}

/** What each does, and the mark it is held to: as a ratio to a bare await, or in ns beside another one. */
export const subjects = {
  [BARE]: { call: work },
  'relprim: no policy': { call: run(operation('plain')) },
  [THREE]: { call: run(three('three')), mark: 9 },
  'relprim: the same, as a decorated method': {
    call: decorated({ retries: 2, timeout: 10, circuitBreaker: new CircuitBreaker() }),
    mark: 11,
  },
  'relprim: the same, its report read': { call: async () => (await reportedThree.run()).report },
  'relprim: the same, signal read by the method': {
    call: run(three('signal', async () => currentAttempt().signal)),
  },
  'relprim: the same + deadline': { call: run(three('deadline').withDeadline('30s')) },
  'relprim: the same + validation': {
    call: run(
      three('valid').withValidation(
        validationPolicy(validator('positive', (n) => n > 0, { message: 'not above 0' })),
      ),
    ),
  },
  'relprim: the same + fallback, unused': {
    call: run(three('fallback').withFallbacks(fallbackChain(['other', work]))),
  },
  'relprim: the same + events to a no-op sink': {
    call: run(three('events').withEvents(new EventEmitter({ sinks: [new NoopEventSink()] }))),
  },
  ...withSqliteStore(),
  'relprim: the same + OpenTelemetry metrics': { call: watched(metricsOfSdk()), over: THREE, moreNs: 3_000 },
  'relprim: the same + OpenTelemetry metrics, no SDK': {
    call: watched(metricsOfNobody()),
    over: THREE,
    moreNs: 400,
  },
  'relprim: the same + OpenTelemetry spans': { call: watched(spansOfSdk()), over: THREE },
  [RETRY_AND_TIMEOUT]: {
    call: run(operation('two').withRetry(new RetryPolicy()).withTimeout(new TimeoutPolicy(10))),
  },
  'relprim: a shield that was never slow': {
    call: shielded(Shield.internal('bench')),
    over: RETRY_AND_TIMEOUT,
    moreNs: 200,
  },
  'relprim: a concurrency limit': {
    call: run(operation('limited').withConcurrencyLimit(new ConcurrencyLimit({ maxConcurrent: 10 }))),
  },
  'relprim: one failure answered by a fallback': {
    call: run(operation('falls', failing).withFallbacks(fallbackChain(['other', work]))),
  },
  'relprim: refused by an open breaker': {
    call: settled(run(operation('refused').withCircuitBreaker(openBreaker()))),
  },
  'relprim: the same refusal, decorated': { call: settled(decorated({ circuitBreaker: openBreaker() })) },
  [IN_A_ROW]: { call: run(guarded()) },
  'relprim: breaker, failure rate of 100,000 calls': {
    call: run(guarded(ofCalls)),
    over: IN_A_ROW,
    moreNs: 30,
  },
  'relprim: breaker, failure rate of 60 s': { call: run(guarded(ofTime)), over: IN_A_ROW, moreNs: 30 },
  [FAILING]: { call: settled(run(guarded({ failureThreshold: 1e9 }, failing))) },
  'relprim: the same, failure rate of an hour': {
    call: settled(run(guarded({ ...ofTime, window: '1h' }, failing))),
    over: FAILING,
    moreNs: 30,
  },
  'cockatiel: breaker, a call that fails': { call: settled(cockatielFailing()) },
  [UNKEYED]: { call: unkeyed(ownKey) },
  [BESIDE_KEYS]: { call: besideKeys(unkeyed(ownKey)), over: UNKEYED },
  'relprim: with a key, executed': { call: keyed(ownKey), over: BESIDE_KEYS, moreNs: 1_500 },
  'relprim: the same, detectReentry: false': {
    call: keyed(ownKey, { detectReentry: false }),
    over: UNKEYED,
    moreNs: 1_500,
  },
  'relprim: with a key, replayed': { call: keyed(() => 'one'), over: UNKEYED, moreNs: 1_000 },
  'opossum: breaker + timeout': { call: opossumTwo().fire },
  'opossum: refused by an open breaker': { call: settled(opossumOpen()) },
  'cockatiel: retry + timeout + breaker': { call: cockatielThree() },
};

const reportedThree = three('reported');
