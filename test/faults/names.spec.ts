import dns from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CircuitBreakerOpenError } from '../../lib/index.js';
import { rejection } from '../operation/support.js';
import { CLIENTS } from './clients.js';
import { attemptsOf, marksOf, scene } from './scene.js';
import { BODY } from './upstream.js';

/** No resolver knows a name of this domain, and none is asked here (RFC 6761). */
const HOST = 'catalog.invalid';
/** Clients that cannot be told how to find an address ask Node, which must not ask the network. */
const USE_NODES_OWN = new Set(['fetch', 'axios over fetch']);

type Found = (error: NodeJS.ErrnoException | null, address?: unknown, family?: number) => void;

let asked: string[];
/** What the resolver says to one question after another; the last is repeated. */
let says: (string | null)[];
/** The names that Node's own resolver was asked for. */
let inside: string[];
let spy: { mockRestore(): void };
const { lookup } = dns;

const resolver = ((host: string, options: { all?: boolean }, found: Found) => {
  asked.push(host);
  const code = says[Math.min(asked.length, says.length) - 1] as string | null;
  process.nextTick(() => {
    if (code !== null)
      found(Object.assign(new Error(`getaddrinfo ${code} ${host}`), { code, syscall: 'getaddrinfo' }));
    else if (options.all === true) found(null, [{ address: '127.0.0.1', family: 4 }]);
    else found(null, '127.0.0.1', 4);
  });
}) as unknown as LookupFunction;

beforeEach(() => {
  asked = [];
  inside = [];
  spy = jest.spyOn(dns, 'lookup').mockImplementation((host: string, ...rest: unknown[]) => {
    // An address needs no resolver; anything else would leave the machine.
    if (isIP(host) !== 0) return (lookup as (...given: unknown[]) => unknown)(host, ...rest);
    inside.push(host);
    return resolver(host, ...(rest as [never, never]));
  });
});
afterEach(() => spy.mockRestore());

describe.each(Object.entries(CLIENTS))('with %s, a host', (client, make) => {
  const catalogOf = (threshold: number) =>
    scene(() => make(USE_NODES_OWN.has(client) ? undefined : resolver), {
      host: HOST,
      breaker: { failureThreshold: threshold },
    });

  it('that nobody knows is asked for once: no other try would find it, and the breaker hears of it', async () => {
    says = ['ENOTFOUND'];
    const { catalog, proxy, reports, breaker } = await catalogOf(1);
    const error = await rejection(catalog.read());
    expect(marksOf(error)).toContain('ENOTFOUND');
    // axios says of every failure under fetch that it is one of the network, which is looked at first.
    const tries = client === 'axios over fetch' ? ['failed, retryable'] : ['failed'];
    expect(attemptsOf(reports[0]!).slice(0, 1)).toEqual(tries);
    expect([asked, proxy.met.length, breaker.state]).toEqual([[HOST], 0, 'open']);
    expect(await rejection(catalog.read())).toBeInstanceOf(CircuitBreakerOpenError);
    expect(asked).toHaveLength(1);
  });

  it('is asked for again where the resolver was not ready', async () => {
    says = ['EAI_AGAIN', 'EAI_AGAIN', null];
    const { catalog, proxy, reports, breaker } = await catalogOf(100);
    expect(await catalog.read()).toBe(BODY);
    expect(attemptsOf(reports[0]!)).toEqual(['failed, retryable', 'failed, retryable', 'succeeded']);
    expect([asked, proxy.met.length]).toEqual([[HOST, HOST, HOST], 1]);
    expect(breaker.snapshot().failureCount).toBe(0);
    expect(inside).toEqual(USE_NODES_OWN.has(client) ? asked : []);
  });
});
