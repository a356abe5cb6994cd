import { describe, expect, it } from '@jest/globals';
import { CircuitBreakerOpenError } from '../../lib/index.js';
import { rejection, story } from '../operation/support.js';
import { CLIENTS, type MakeClient } from './clients.js';
import * as faults from './faults.js';
import { attemptsOf, checkTimes, marksOf, PATIENT, scene, timed } from './scene.js';
import { BODY } from './upstream.js';

/** Clients that are undici inside, or Node's own HTTP. */
const isOfUndici = (client: string): boolean => /fetch|undici/.test(client);

const CONNECTION_LOST = /^(ECONNRESET|EPIPE)$/;
const CLOSED = (client: string): RegExp => (isOfUndici(client) ? /^UND_ERR_SOCKET$/ : /^(ECONNRESET|EPIPE)$/);

interface Case {
  readonly title: string;
  readonly fault: faults.Fault;
  /** How many of the tries reach the upstream. */
  readonly isAsked: boolean;
  /** What is found in the error, or beneath it, by code or name. */
  readonly mark: (client: string) => RegExp;
}

const CASES: readonly Case[] = [
  {
    title: 'is reset at once',
    fault: faults.RESET_AT_CONNECT,
    isAsked: false,
    mark: () => CONNECTION_LOST,
  },
  { title: 'is closed at once', fault: faults.CLOSED_AT_CONNECT, isAsked: false, mark: CLOSED },
  {
    title: 'is reset in the headers',
    fault: faults.RESET_IN_HEADERS,
    isAsked: true,
    mark: () => CONNECTION_LOST,
  },
  { title: 'is closed in the headers', fault: faults.CLOSED_IN_HEADERS, isAsked: true, mark: CLOSED },
  {
    title: 'is reset in the body',
    fault: faults.RESET_IN_BODY,
    isAsked: true,
    mark: () => CONNECTION_LOST,
  },
  {
    title: 'is closed in the body',
    fault: faults.CLOSED_IN_BODY,
    isAsked: true,
    mark: (client) => (/^(axios|@nestjs\/axios)$/.test(client) ? /^ERR_BAD_RESPONSE$/ : CLOSED(client)),
  },
  {
    title: 'answers no HTTP',
    fault: faults.GARBAGE,
    isAsked: false,
    mark: (client) => (isOfUndici(client) ? /^HPE_|^HTTPParserError$/ : /^HPE_INVALID_CONSTANT$/),
  },
];

describe.each(Object.entries(CLIENTS))('with %s, a connection', (client, make) => {
  describe.each(CASES)('that $title', ({ fault, isAsked, mark }) => {
    it('is tried again as often as allowed, and then told as it was; the breaker opens', async () => {
      const { catalog, proxy, upstream, reports, breaker, sink } = await scene(make, {
        breaker: { failureThreshold: 3 },
      });
      proxy.will(fault);
      const [error, ms] = await timed(() => rejection(catalog.read()));
      expect(marksOf(error)).toContainEqual(expect.stringMatching(mark(client)));
      const [report] = reports;
      expect(attemptsOf(report!)).toEqual(['failed, retryable', 'failed, retryable', 'failed, retryable']);
      expect([report!.status, report!.retryCount, report!.lastError?.message]).toEqual([
        'failed',
        2,
        (error as Error).message,
      ]);
      checkTimes(report!, ms);
      expect([proxy.met.length, upstream.requests.length]).toEqual([3, isAsked ? 3 : 0]);
      expect(breaker.snapshot()).toMatchObject({
        state: 'open',
        openedBy: 'consecutive_failures',
        failureCount: 3,
      });
      expect(story(sink)).toBe(
        'OS AS AF retry.scheduled AS AF retry.scheduled AS circuit_breaker.opened AF OF',
      );
      expect(await rejection(catalog.read())).toBeInstanceOf(CircuitBreakerOpenError);
      expect(proxy.met).toHaveLength(3);
    });
  });

  it('that breaks in any way is forgotten after a better one', async () => {
    const { catalog, proxy, upstream, reports, breaker } = await scene(make);
    upstream.keeps = false;
    for (const { fault, isAsked } of CASES) {
      upstream.requests.length = 0;
      proxy.will(fault, faults.PASSES);
      const [value, ms] = await timed(() => catalog.read());
      expect(value).toBe(BODY);
      const report = reports.pop()!;
      expect(attemptsOf(report)).toEqual(['failed, retryable', 'succeeded']);
      checkTimes(report, ms);
      expect([proxy.met.length, upstream.requests.length]).toEqual([2, isAsked ? 2 : 1]);
      expect(breaker.snapshot()).toMatchObject({ state: 'closed', failureCount: 0 });
    }
  });

  it('that is refused is tried again until somebody listens', async () => {
    let asked = 0;
    const errors: unknown[] = [];
    const opens: MakeClient = () => {
      const { get, close } = make();
      return {
        close,
        get: async (...request) => {
          if ((asked += 1) === 3) await proxy.accept();
          return get(...request).catch((error: unknown) => {
            errors.push(error);
            throw error;
          });
        },
      };
    };
    const { catalog, proxy, upstream, reports, breaker } = await scene(opens);
    await proxy.refuse();
    expect(await catalog.read()).toBe(BODY);
    expect(errors.map(marksOf)).toEqual(
      [1, 2].map(() => expect.arrayContaining([expect.stringMatching(/^ECONNREFUSED$/)])),
    );
    expect(attemptsOf(reports[0]!)).toEqual(['failed, retryable', 'failed, retryable', 'succeeded']);
    expect([upstream.requests.length, breaker.snapshot().failureCount]).toEqual([1, 0]);
  });

  it('that was kept and is reset by the next request costs one try, or none', async () => {
    const { catalog, proxy, upstream, reports } = await scene(make);
    proxy.will(faults.STALE, faults.PASSES);
    for (const call of [1, 2]) {
      expect(await catalog.read()).toBe(BODY);
      expect(upstream.requests).toHaveLength(call);
      // An idle connection is given back a moment after its answer.
      await new Promise((resolve) => void setTimeout(resolve, 10));
    }
    expect(attemptsOf(reports[0]!)).toEqual(['succeeded']);
    expect(attemptsOf(reports[1]!)).toEqual(['failed, retryable', 'succeeded']);
    expect([proxy.met.length, upstream.requests.length]).toEqual([2, 2]);
  });

  it('that breaks is told to a caller without retries, whose fallback answers', async () => {
    const { catalog, proxy, upstream, reports, breaker } = await scene(make, {
      policy: { ...PATIENT, retries: 0, fallback: 'fromShelf' },
    });
    proxy.will(faults.RESET_IN_BODY);
    expect(await catalog.read()).toBe('from the shelf');
    expect(attemptsOf(reports[0]!)).toEqual(['failed', 'fallback succeeded']);
    expect([upstream.requests.length, breaker.snapshot().failureCount]).toEqual([1, 1]);
  });
});
