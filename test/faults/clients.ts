import { lookup as systemLookup } from 'node:dns';
import { Agent as HttpAgent, get } from 'node:http';
import type { LookupFunction } from 'node:net';
import { HttpService } from '@nestjs/axios';
import axios from 'axios';
import got from 'got';
import { firstValueFrom } from 'rxjs';
import { Agent, request } from 'undici';

/** One way of asking, as an application has it: a status that says no is thrown, the body is read. */
export interface Client {
  get(url: string, signal: AbortSignal): Promise<string>;
  /** Ends what it keeps. */
  close(): Promise<void>;
}

/** With its headers where the client shows them, for a server that says when to come back. */
export class HttpError extends Error {
  constructor(
    readonly status: number,
    readonly headers?: unknown,
  ) {
    super(`status ${status}`);
  }
}

/** How a client is made. It resolves names by `lookup` where it can be told. */
export type MakeClient = (lookup?: LookupFunction) => Client;

export const text = async (response: {
  ok: boolean;
  status: number;
  headers: unknown;
  text(): Promise<string>;
  body: { cancel(): Promise<void> } | null;
}): Promise<string> => {
  if (response.ok) return response.text();
  await response.body?.cancel();
  throw new HttpError(response.status, response.headers);
};

const nobody = async (): Promise<void> => undefined;

function keeping(lookup: LookupFunction = systemLookup): HttpAgent {
  return new HttpAgent({ keepAlive: true, lookup });
}

function ofUndici(lookup?: LookupFunction): Agent {
  return new Agent(lookup === undefined ? {} : { connect: { lookup } });
}

export const CLIENTS: Readonly<Record<string, MakeClient>> = {
  fetch: () => ({
    get: async (url, signal) => text(await fetch(url, { signal })),
    close: nobody,
  }),
  undici: (lookup) => {
    const dispatcher = ofUndici(lookup);
    return {
      get: async (url, signal) => {
        const { statusCode, headers, body } = await request(url, { signal, dispatcher });
        const said = await body.text();
        if (statusCode >= 400) throw new HttpError(statusCode, headers);
        return said;
      },
      close: () => dispatcher.close(),
    };
  },
  axios: (lookup) => {
    const httpAgent = keeping(lookup);
    return {
      get: async (url, signal) => (await axios.get<string>(url, { signal, httpAgent })).data,
      close: async () => httpAgent.destroy(),
    };
  },
  'axios over fetch': () => ({
    get: async (url, signal) => (await axios.get<string>(url, { signal, adapter: 'fetch' })).data,
    close: nobody,
  }),
  '@nestjs/axios': (lookup) => {
    const httpAgent = keeping(lookup);
    const http = new HttpService(axios.create({ httpAgent }));
    return {
      get: async (url, signal) => (await firstValueFrom(http.get<string>(url, { signal }))).data,
      close: async () => httpAgent.destroy(),
    };
  },
  got: (lookup) => {
    const agent = { http: keeping(lookup) };
    return {
      get: (url, signal) => got(url, { signal, agent, retry: { limit: 0 } }).text(),
      close: async () => agent.http.destroy(),
    };
  },
  'node:http': (lookup) => {
    const agent = keeping(lookup);
    return {
      get: (url, signal) =>
        new Promise((resolve, reject) => {
          get(url, { signal, agent }, (answer) => {
            let said = '';
            answer.setEncoding('utf8').on('data', (part: string) => (said += part));
            answer.on('error', reject).on('end', () => {
              const { statusCode = 0 } = answer;
              if (statusCode < 400) resolve(said);
              else reject(new HttpError(statusCode, answer.headers));
            });
          }).on('error', reject);
        }),
      close: async () => agent.destroy(),
    };
  },
};

/** One client of each kind: of undici, of axios, and of Node's own HTTP. */
const KINDS: readonly string[] = ['fetch', 'axios', 'node:http'];

/** What every run of the tests looks at in full, and what only the slow one does. */
export const OF_EACH_KIND = Object.entries(CLIENTS).filter(([client]) => KINDS.includes(client));
export const THE_OTHERS = Object.entries(CLIENTS).filter(([client]) => !KINDS.includes(client));
