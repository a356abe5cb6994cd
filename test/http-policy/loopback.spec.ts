import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HttpService } from '@nestjs/axios';
import axios from 'axios';
import { get } from 'node:http';
import { firstValueFrom } from 'rxjs';
import {
  CircuitBreaker,
  currentAttempt,
  httpCircuitBreaker,
  httpPolicy,
  Resilient,
  resilient,
  type ExecutionReport,
  type HttpPolicyOptions,
} from '../../lib/index.js';
import { rejection } from '../operation/support.js';
import { totals } from '../rate-limit/support.js';
import { HttpError, HttpUpstream } from './support.js';

const upstream = new HttpUpstream();
beforeAll(() => upstream.start());
afterAll(() => upstream.stop());

/** Real waits, but short ones. */
const quick = {
  circuitBreaker: false,
  backoff: { delayForRetry: () => 0.005 },
  timeout: '2s',
  deadline: '10s',
} as const;
const asks = (ms: number) => ({ 'retry-after-ms': String(ms) });

async function fetchText(method: string): Promise<string> {
  const { signal } = currentAttempt();
  const response = await fetch(upstream.url, { method, signal });
  if (response.ok) return response.text();
  await response.body?.cancel();
  throw new HttpError(response);
}

async function axiosText(method: string): Promise<string> {
  const { signal } = currentAttempt();
  return (await axios.request<string>({ url: upstream.url, method, signal })).data;
}

async function nestText(method: string): Promise<string> {
  const { signal } = currentAttempt();
  return (await firstValueFrom(new HttpService().request<string>({ url: upstream.url, method, signal })))
    .data;
}

/** `node:http`, whose failures are made by hand. */
function nodeText(method: string): Promise<string> {
  const { signal } = currentAttempt();
  return new Promise((resolve, reject) => {
    get(upstream.url, { method, signal }, (message) => {
      let text = '';
      message.setEncoding('utf8').on('data', (part: string) => (text += part));
      message.on('end', () => {
        const { statusCode = 0, headers } = message;
        if (statusCode < 400) resolve(text);
        else reject(Object.assign(new Error(`status ${statusCode}`), { statusCode, headers }));
      });
    }).on('error', reject);
  });
}

const CLIENTS: [name: string, ask: (method: string) => Promise<string>][] = [
  ['fetch', fetchText],
  ['axios', axiosText],
  ['@nestjs/axios', nestText],
  ['node:http', nodeText],
];

/** Milliseconds between the arrivals of two requests. */
const gap = (first: number): number =>
  (upstream.requests[first + 1]?.atMs ?? NaN) - (upstream.requests[first]?.atMs ?? NaN);

describe.each(CLIENTS)('the standard policy over %s', (_name, ask) => {
  const run = async (
    method: HttpPolicyOptions['method'] = 'GET',
    options: Partial<HttpPolicyOptions> = {},
  ) => {
    const policy = httpPolicy({ ...quick, ...(options as object), method });
    const reports: ExecutionReport[] = [];
    const call = resilient({ name: 'ask', ...policy, onReport: (report) => reports.push(report) }, ask);
    const outcome = await call(method).then(
      ({ value }) => value,
      (error: { cause: unknown }) => error.cause,
    );
    return { outcome, report: reports[0] as ExecutionReport };
  };

  it('waits as long as a real server asks, at 429 and at 503', async () => {
    upstream.will([429, asks(60)], [503, asks(40)], [200]);
    const { outcome, report } = await run();
    expect(outcome).toBe('answer 3');
    expect(gap(0)).toBeGreaterThanOrEqual(59);
    expect(gap(1)).toBeGreaterThanOrEqual(39);
    const [encountered, waited] = totals(report);
    expect(encountered).toBe(true);
    expect(waited).toBeGreaterThanOrEqual(0.1);
    expect(report.attempts.map(({ metadata }) => metadata.rate_limit_retry_after_seconds)).toEqual([
      0.06,
      0.04,
      undefined,
    ]);
  });

  it.each([
    ['seconds', { 'Retry-After': '3600' }],
    ['a date', { Date: 'Thu, 01 Jan 2026 00:00:00 GMT', 'Retry-After': 'Thu, 01 Jan 2026 01:00:00 GMT' }],
    ["the IETF's draft", { RateLimit: '"hour";r=0;t=3600' }],
    ['a reset', { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '3600' }],
  ])('does not wait an hour, told as %s, and says so', async (_style, headers) => {
    for (const status of [429, 503]) {
      upstream.will([status, headers]);
      const { report } = await run();
      expect(upstream.requests).toHaveLength(1);
      expect(totals(report)).toEqual([true, 0, true]);
      expect(report.explain()).toContain('the provider asked for 3600 s, which is too long to wait');
    }
  });

  it('repeats what the network lost, and what a server failed with', async () => {
    upstream.will('connection lost', [500], [502], [200]);
    const { outcome, report } = await run();
    expect([outcome, report.retryCount]).toEqual(['answer 4', 3]);
  });

  it('cuts a try that gets no answer, and asks again', async () => {
    upstream.will('no answer', [200]);
    const { outcome, report } = await run('GET', { timeout: '400ms' });
    expect([outcome, report.attempts[0]?.status]).toEqual(['answer 2', 'timed_out']);
  });

  it.each(['PUT', 'DELETE'] as const)('repeats a %s', async (method) => {
    upstream.will([503], [200]);
    const { outcome } = await run(method);
    expect(outcome).toBe('answer 2');
    expect(upstream.requests.map((request) => request.method)).toEqual([method, method]);
  });

  it.each(['POST', 'PATCH'] as const)('sends a %s once, and with a key again', async (method) => {
    for (const answer of [[429, asks(1)], [503], 'connection lost'] as const) {
      upstream.will(answer, [200]);
      await run(method);
      expect(upstream.requests).toHaveLength(1);
    }
    upstream.will([503], [200]);
    expect((await run(method, { idempotencyKey: true })).outcome).toBe('answer 2');
  });

  it('does not repeat what the server refuses for good', async () => {
    upstream.will([404]);
    const { outcome } = await run();
    expect(outcome).toBeInstanceOf(Error);
    expect(upstream.requests).toHaveLength(1);
  });

  it('opens the breaker by failures, not by limits', async () => {
    const circuitBreaker = new CircuitBreaker(httpCircuitBreaker('b', { failureThreshold: 2 }));
    upstream.will([429, asks(1)], [404]);
    for (let calls = 0; calls < 3; calls += 1) await run('GET', { circuitBreaker });
    expect(circuitBreaker.state).toBe('closed');
    upstream.will('connection lost', [500]);
    await run('GET', { circuitBreaker });
    expect([circuitBreaker.state, upstream.requests.length]).toEqual(['open', 2]);
  });
});

describe('a decorated client', () => {
  class Catalog {
    @Resilient(httpPolicy(quick))
    async find(): Promise<string> {
      return fetchText('GET');
    }

    @Resilient({ ...httpPolicy({ ...quick, method: 'POST' }), fallback: 'later' })
    async order(): Promise<string> {
      return fetchText('POST');
    }

    async later(): Promise<string> {
      return 'queued';
    }
  }

  it('has its policy in one line, and keeps its own errors', async () => {
    upstream.will([503, asks(1)], [200]);
    expect(await new Catalog().find()).toBe('answer 2');
    upstream.will([404]);
    expect(await rejection(new Catalog().find())).toBeInstanceOf(HttpError);
  });

  it('adds to it by spreading', async () => {
    upstream.will([503]);
    expect(await new Catalog().order()).toBe('queued');
    expect(upstream.requests).toHaveLength(1);
  });
});
