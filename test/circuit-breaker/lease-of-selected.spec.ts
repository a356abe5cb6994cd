import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { asyncOperation, CircuitBreaker, resilient, TimeoutPolicy } from '../../lib/index.js';

const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
afterEach(() => void warn.mockClear());

const said = (): unknown[] => warn.mock.calls.map(([message]) => message);

describe('the lease of probes of a breaker that a function finds', () => {
  const breakerOf = (name: string, lease: '1s' | '10s' | undefined): CircuitBreaker =>
    new CircuitBreaker({ name, ...(lease !== undefined && { probes: { lease } }) });

  it('that is shorter than the timeout is warned of at the first call, once for each breaker', async () => {
    const breakers: Record<string, CircuitBreaker> = { a: breakerOf('a', '1s'), b: breakerOf('b', '1s') };
    const find = (host: string): CircuitBreaker => breakers[host] as CircuitBreaker;
    const ask = resilient({ name: 'ask', timeout: 10, circuitBreaker: find }, async (host: string) => host);
    for (const host of ['a', 'a', 'b', 'a', 'b']) expect((await ask(host)).value).toBe(host);
    const words = 'has probes with a lease of 1 s, shorter than the timeout of 10 s';
    const cure = 'give the lease at least the timeout, or leave it out';
    expect(said()).toEqual([
      `ask: circuit breaker 'a' ${words}; ${cure}`,
      `ask: circuit breaker 'b' ${words}; ${cure}`,
    ]);
  });

  it('of its keys is warned of once for all of them', async () => {
    const breaker = breakerOf('a', '1s');
    const ask = resilient(
      { name: 'ask', timeout: 10, circuitBreaker: (tenant: string) => breaker.keyed(tenant) },
      async (tenant: string) => tenant,
    );
    for (const tenant of ['acme', 'globex', 'initech']) await ask(tenant);
    expect(said()).toHaveLength(1);
    expect(said()[0]).toContain("ask: circuit breaker 'a' has probes");
  });

  it.each([
    ['as long as the timeout', '10s', 10],
    ['that the timeout gives', undefined, 10],
    ['without a timeout', '1s', undefined],
  ] as const)('%s is nothing to warn of', async (_title, lease, timeout) => {
    const breaker = breakerOf('a', lease);
    const ask = resilient({ name: 'ask', timeout, circuitBreaker: () => breaker }, async () => 'fine');
    expect((await ask()).value).toBe('fine');
    expect(said()).toEqual([]);
  });

  it('that is known beforehand is a mistake, and refused', () => {
    const operation = asyncOperation('ask', async () => 'fine').withTimeout(new TimeoutPolicy(10));
    expect(() => operation.withCircuitBreaker(breakerOf('a', '1s')).run()).toThrow(/lease of 1 s, shorter/);
  });
});
