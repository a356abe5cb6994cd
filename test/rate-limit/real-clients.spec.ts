import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HttpService } from '@nestjs/axios';
import axios from 'axios';
import got from 'got';
import { firstValueFrom } from 'rxjs';
import { Agent, interceptors, request } from 'undici';
import { RateLimitPolicy, retryAfterFromHeaders } from '../../lib/index.js';
import { rejection } from '../operation/support.js';

/** Answers with the status and the headers that the path names. The clock of this server is years behind. */
const ANSWERS: Readonly<Record<string, [status: number, headers: Record<string, string | string[]>]>> = {
  '/seconds': [429, { 'Retry-After': '7' }],
  '/date': [503, { Date: 'Fri, 01 Jan 2021 10:00:00 GMT', 'Retry-After': 'Fri, 01 Jan 2021 10:00:07 GMT' }],
  '/milliseconds': [429, { 'retry-after-ms': '7000', 'retry-after': '8' }],
  '/joined': [429, { 'Retry-After': '5, 7' }],
  '/ietf': [429, { RateLimit: '"minute";r=0;t=7, "day";r=90;t=80000' }],
  '/ietf-before': [429, { 'RateLimit-Remaining': '0', 'RateLimit-Reset': '7' }],
  '/epoch': [403, { Date: 'Thu, 01 Jan 2026 00:00:00 GMT', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '1767225607' }], // prettier-ignore
  '/go': [429, { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '7s' }],
};
const SILENT = '/silent';
const TWICE = '/twice';

let server: Server;
let origin: string;

beforeAll(async () => {
  server = createServer(({ url }, response) => {
    const [status, headers] = ANSWERS[url as string] ?? [
      429,
      url === TWICE ? { 'Retry-After': ['5', '7'] } : {},
    ];
    response.writeHead(status, headers).end('come back later');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** How each client fails for a refused call. */
const CLIENTS: [name: string, fail: (path: string) => Promise<unknown>][] = [
  [
    'fetch, its Response thrown',
    async (path) => {
      const response = await fetch(origin + path);
      await response.text();
      return response;
    },
  ],
  [
    'fetch, its Response in an error',
    async (path) => {
      const response = await fetch(origin + path);
      await response.text();
      return Object.assign(new Error(`status ${response.status}`), { response });
    },
  ],
  ['axios', (path) => rejection(axios.get(origin + path))],
  ['axios over fetch', (path) => rejection(axios.get(origin + path, { adapter: 'fetch' }))],
  ['@nestjs/axios', (path) => rejection(firstValueFrom(new HttpService().get(origin + path)))],
  [
    'node:http, with its raw headers',
    async (path) => {
      const message = await new Promise<IncomingMessage>((resolve) => get(origin + path, resolve));
      message.resume();
      const { statusCode, rawHeaders } = message;
      return Object.assign(new Error(), { statusCode, headers: rawHeaders });
    },
  ],
  [
    'undici',
    (path) =>
      rejection(request(origin + path, { dispatcher: new Agent().compose(interceptors.responseError()) })),
  ],
  ['got', (path) => rejection(got(origin + path, { retry: { limit: 0 } }))],
];

describe.each(CLIENTS)('%s', (_name, fail) => {
  it.each(Object.keys(ANSWERS))('tells how long to wait: %s', async (path) => {
    expect(retryAfterFromHeaders(await fail(path))).toBe(7);
  });

  it('tells nothing where the server does not', async () => {
    expect(retryAfterFromHeaders(await fail(SILENT))).toBeUndefined();
  });

  it('gives a policy its decision', async () => {
    const policy = new RateLimitPolicy({ rateLimitOn: () => true, retryAfter: retryAfterFromHeaders });
    expect({ ...policy.evaluate(await fail('/date')) }).toEqual({ rateLimited: true, retryAfterSeconds: 7 });
    expect({ ...policy.evaluate(await fail(SILENT)) }).toEqual({
      rateLimited: true,
      retryAfterSeconds: null,
    });
  });
});

// D4: Node's own `headers`, and so axios, keep the first one only.
it.each(CLIENTS.filter(([name]) => !name.includes('axios') || name.includes('fetch')))(
  '%s tells the longest of two waits',
  async (_name, fail) => expect(retryAfterFromHeaders(await fail(TWICE))).toBe(7),
);
