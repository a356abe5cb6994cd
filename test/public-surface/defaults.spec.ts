import { describe, expect, it } from '@jest/globals';
import {
  asyncOperation,
  CircuitBreaker,
  ConcurrencyLimit,
  ExponentialBackoff,
  httpCircuitBreaker,
  httpPolicy,
  idempotencyPolicy,
  RateLimitPolicy,
  RetryPolicy,
} from '../../lib/index.js';
import { checkStoreOptions } from '../../lib/adapters/sqlite/store-options.js';
import { checkMcpOptions } from '../../lib/mcp/settings.js';

/** What stands where nothing was given: numbers, texts and switches, without functions and objects. */
function plain(object: object): object {
  const entries = Object.entries(object).filter(([, value]) =>
    ['number', 'string', 'boolean'].includes(typeof value),
  );
  return Object.fromEntries(entries);
}

const work = async (): Promise<string> => 'done';

/** Defaults are promised by docs/stability.md: another number is another behaviour of every application that gave none. */
describe('the default', () => {
  it('operation has no policy', () => {
    expect(asyncOperation('op', work).describe()).toBe('op: method');
  });

  it('retry policy makes three attempts', () => {
    expect(new RetryPolicy().maxAttempts).toBe(3);
  });

  it('back-off begins with 0.1 s, doubles up to 10 s, and has full jitter', () => {
    const { baseDelaySeconds, maxDelaySeconds, multiplier, jitter } = new ExponentialBackoff();
    expect([baseDelaySeconds, maxDelaySeconds, multiplier, jitter]).toEqual([0.1, 10, 2, true]);
  });

  it('circuit breaker opens after five failures in a row, for 30 s, and one good probe closes it', () => {
    expect(new CircuitBreaker().describe()).toBe('failureThreshold 5, recoveryTimeout 30 s');
  });

  it('window of a failure rate is the latest 20 calls, all of which must be there', () => {
    expect(new CircuitBreaker({ failureRate: 0.5 }).describe()).toBe(
      'failureRate 0.5, window 20 calls, minimumCalls 20, recoveryTimeout 30 s',
    );
  });

  it('window of time wants ten calls', () => {
    expect(new CircuitBreaker({ failureRate: 0.5, window: '1m' }).describe()).toBe(
      'failureRate 0.5, window 60 s, minimumCalls 10, recoveryTimeout 30 s',
    );
  });

  it('concurrency limit lets nobody wait', () => {
    expect(new ConcurrencyLimit({ maxConcurrent: 2 }).snapshot()).toMatchObject({
      name: 'default',
      queueSize: 0,
      maxWaitSeconds: null,
    });
  });

  it('wait after a rate limit is at most a minute', () => {
    expect(new RateLimitPolicy({ rateLimitOn: [Error] }).maxWaitSeconds).toBe(60);
  });

  it('idempotency policy keeps results for an hour, joins, and fails with its store', () => {
    expect(plain(idempotencyPolicy(() => 'k'))).toEqual({
      ttlSeconds: 3_600,
      onInFlight: 'join',
      onStoreError: 'fail',
      cacheFallback: true,
      detectReentry: true,
      exposeKey: false,
    });
  });

  it('HTTP policy makes four tries of 10 s within 30 s, of a request that only asks', () => {
    const times = { circuitBreaker: false, timeout: 10, deadline: 30 };
    expect(plain(httpPolicy({ circuitBreaker: false }))).toEqual({ ...times, retries: 3, idempotent: true });
    const post = httpPolicy({ circuitBreaker: false, method: 'POST' });
    expect(plain(post)).toEqual({ ...times, retries: 0, idempotent: false });
    expect(new CircuitBreaker(httpCircuitBreaker('shop')).describe()).toBe(
      'failureThreshold 5, recoveryTimeout 30 s',
    );
  });

  it('event file is written after 250 ms, and 10,000 events may wait', () => {
    expect(plain(checkStoreOptions({ path: 'file' }))).toEqual({
      path: 'file',
      flushIntervalMs: 250,
      busyTimeoutMs: 5_000,
      queueSize: 10_000,
    });
  });

  it('server for agents calls nobody', () => {
    const { allowHosts, ...others } = checkMcpOptions({});
    expect(allowHosts).toEqual([]);
    expect(plain(others)).toEqual({
      allowControl: false,
      allowPrivateAddresses: false,
      readOnly: false,
      maxBreakers: 100,
      maxConcurrent: 64,
      maxExecutions: 500,
      maxResponseBytes: 1_048_576,
    });
  });
});
