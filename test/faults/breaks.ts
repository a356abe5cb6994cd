import { describe, expect, it } from '@jest/globals';
import { CircuitBreakerOpenError } from '../../lib/index.js';
import { rejection, story } from '../operation/support.js';
import type { MakeClient } from './clients.js';
import * as faults from './faults.js';
import { attemptsOf, checkTimes, marksOf, scene, timed } from './scene.js';

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

/** The faults that end a request before its time. */
export const CASES: readonly Case[] = [
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

/** What a call is told whose every try meets the same fault. */
export function describeBreaks(clients: readonly [client: string, make: MakeClient][]): void {
  describe.each(clients)('with %s, a connection', (client, make) => {
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
  });
}
