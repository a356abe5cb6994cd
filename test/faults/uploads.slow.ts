import { Agent, request } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import axios from 'axios';
import { rejection } from '../operation/support.js';
import { HttpError, text, type MakeClient } from './clients.js';
import * as faults from './faults.js';
import { attemptsOf, checkTimes, marksOf, PATIENT, scene, SLACK_MS, timed } from './scene.js';
import { BODY } from './upstream.js';

/** More than the buffers of two sockets hold. */
const UPLOAD = Buffer.alloc(16_000_000, 'x');
const TIMEOUT_MS = 300;

/** Clients that send something before they hear anything. */
const UPLOADS: Readonly<Record<string, MakeClient>> = {
  fetch: () => ({
    get: async (url, signal) => text(await fetch(url, { method: 'PUT', body: UPLOAD, signal })),
    close: async () => undefined,
  }),
  axios: () => {
    const httpAgent = new Agent({ keepAlive: true });
    return {
      get: async (url, signal) => (await axios.put<string>(url, UPLOAD, { signal, httpAgent })).data,
      close: async () => httpAgent.destroy(),
    };
  },
  'node:http': () => {
    const agent = new Agent({ keepAlive: true });
    return {
      get: (url, signal) =>
        new Promise((resolve, reject) => {
          const sent = request(url, { method: 'PUT', signal, agent }, (answer) => {
            let said = '';
            answer.setEncoding('utf8').on('data', (part: string) => (said += part));
            answer.on('error', reject).on('end', () => {
              if (answer.statusCode === 200) resolve(said);
              else reject(new HttpError(answer.statusCode ?? 0));
            });
          });
          sent.on('error', reject).end(UPLOAD);
        }),
      close: async () => agent.destroy(),
    };
  },
};

describe.each(Object.entries(UPLOADS))('with %s, an upload', (_client, make) => {
  const policy = { ...PATIENT, retries: 1, timeout: `${TIMEOUT_MS}ms` } as const;

  it('into a connection that takes nothing any more is given up at the timeout of each try', async () => {
    const { catalog, proxy, upstream, reports, breaker } = await scene(make, {
      policy,
      breaker: { failureThreshold: 2 },
    });
    proxy.will(faults.GONE_AT_CONNECT);
    const [error, ms] = await timed(() => rejection(catalog.read()));
    expect(marksOf(error)[0]).toBe('RELPRIM_TIMEOUT');
    expect(ms).toBeGreaterThanOrEqual(2 * TIMEOUT_MS - 1);
    expect(ms).toBeLessThan(2 * TIMEOUT_MS + SLACK_MS);
    const [report] = reports;
    expect(attemptsOf(report!)).toEqual(['timed_out, retryable', 'timed_out, retryable']);
    expect([report!.status, report!.metadata.outcome_unknown]).toEqual(['timed_out', true]);
    checkTimes(report!, ms);
    expect([upstream.requests, upstream.received]).toEqual([[], 0]);
    expect(breaker.snapshot()).toMatchObject({ state: 'open', failureCount: 2 });
  });

  it('that stalls once is sent again, whole', async () => {
    const { catalog, proxy, upstream, reports } = await scene(make, {
      policy: { ...policy, timeout: '3s' },
    });
    proxy.will(faults.GONE_AT_CONNECT, faults.PASSES);
    expect(await catalog.read()).toBe(BODY);
    expect(attemptsOf(reports[0]!)).toEqual(['timed_out, retryable', 'succeeded']);
    expect([upstream.requests.length, upstream.received]).toEqual([1, UPLOAD.length]);
  });

  it('that is reset on its way is sent again, whole', async () => {
    const { catalog, proxy, upstream, reports } = await scene(make, {
      policy: { ...PATIENT, timeout: '10s' },
    });
    proxy.will(faults.RESET_AT_CONNECT, faults.PASSES);
    expect(await catalog.read()).toBe(BODY);
    expect(attemptsOf(reports[0]!)).toEqual(['failed, retryable', 'succeeded']);
    expect([upstream.requests.length, upstream.received]).toEqual([1, UPLOAD.length]);
  });
});
